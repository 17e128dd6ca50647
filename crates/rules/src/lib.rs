//! Rules: what an agent must and must not do, one file each (compile, watch, describe and claim together).
//!
//! A rule is a type that implements the trait `Rule` (`rule`): its kind, how it is described and watched, and what it claims.
//! What follows from its path is data ([`RuleProperties`]).
//! `registry` has a line for each: its path and what compiles it; limits have a registry of their own. The rules are in
//! folders by what they look at; `values` has the conditions on values, `select` those that select calls, `steps` the steps
//! that `sequence` and `whenever` share.
//!
//! A [`Block`] is compiled from what a level writes, each rule with its origin; `library` finds the blocks that have names,
//! and [`inherit()`] merges the levels. The [`Evaluator`] runs the monitors of the rules: they take in moments of the trace
//! and answer with a three-valued judgement (SPEC 7.1). A rule has a scope, the level that it is defined on; its monitor is
//! open until it passes or fails, and what only a script or a judge can decide is a [`Question`], which is answered after all
//! other rules have passed. `explain` shows which rules apply; `lint` compares the claims of the rules and warns of what can
//! never fail or never pass.
//!
//! **Invariant:** it sees no target and no run; the same trace gives the same judgement; a warning of `lint` is true whatever
//! the agent does.

mod block;
mod call_limit;
mod checkpoint;
mod collector;
mod compile;
mod content;
mod conversation_json;
mod describe;
mod embedded_json;
mod evaluation;
mod evaluator;
mod explain;
mod inherit;
mod judge;
mod library;
mod limit_registry;
mod limit_settings;
mod lint;
mod model_calls;
mod named_tool;
mod near_values;
mod needle;
mod overlay;
mod provenance;
pub mod question_keys;
mod registry;
mod rule;
mod rule_properties;
mod script;
mod select;
mod sequence;
mod snapshot;
mod steps;
mod text;
mod tools;
mod turn_condition;
mod values;
mod whenever;
mod withhold;

pub use block::{Block, Disabled, Expectation};
pub use checkpoint::CompiledCheckpoint;
pub use conversation_json::whole_conversation;
pub use evaluation::{
    Bound, Captured, Decision, Inquiry, JudgeQuestion, JudgingTime, Measure, PerMeasure, Question,
    RuleOrigin, RuleScope, ScriptQuestion, ScriptSource, Setting, Writing,
};
pub use evaluator::{Completion, Evaluator, Following};
pub use explain::{ExplainedLimit, Explanation, ScopeRules, explain};
pub use inherit::{Inherited, TurnRules, inherit};
pub use judge::Judge;
pub use library::{Library, circular};
pub use lint::{Lint, LintContext, Timeout, lint, lint_checkpoint};
pub use named_tool::NamedTool;
pub use question_keys::question_keys;
pub use registry::rule_paths;
pub use rule::{DroppedRule, ReplacedRule, RuleEntry};
pub use rule_properties::{RuleDecider, RuleNumber, RuleProperties, RuleSubject};
pub use script::Script;
pub use select::{PathConditions, suffixed_pattern};
pub use sequence::{StepFinding, TurnStep};
pub use snapshot::{Snapshot, with_golden};
pub use turn_condition::{TurnCondition, WantedOfTurn};
