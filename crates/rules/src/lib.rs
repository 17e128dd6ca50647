//! Rules: what an agent must and must not do, one file each (compile, watch, describe and claim together).
//!
//! A [`Block`] is compiled from what is written: the rules that the registry lists, each with its origin. [`inherit()`]
//! merges the levels, [`Evaluator`] runs the monitors of the rules: they take in moments of the trace and answer with a
//! three-valued judgement (SPEC 7.1). Nothing here sees a target or a run.

mod block;
mod call_focus;
mod captured;
mod checkpoint;
mod claim;
mod collector;
mod compile;
mod content;
mod conversation;
mod describe;
mod evaluation;
mod explain;
mod inherit;
mod judge;
mod library;
mod limits;
mod lint;
mod named_tool;
mod overlay;
mod provenance;
pub mod question_keys;
mod registry;
mod rule;
mod rule_origin;
mod rule_tool;
mod script;
mod script_source;
mod select;
mod sequence;
mod snapshot;
mod steps;
mod text;
mod tools;
mod whenever;
mod withhold;

pub use block::{Block, Disabled, Expectation};
pub use captured::{Captured, Writing};
pub use checkpoint::CompiledCheckpoint;
pub use conversation::whole_conversation;
pub use evaluation::{
    Completion, Decision, Evaluator, Following, Inquiry, JudgeQuestion, JudgingTime, Question,
    RuleScope, ScriptQuestion,
};
pub use explain::{ExplainedLimit, Explanation, ScopeRules, explain};
pub use inherit::{Inherited, TurnRules, inherit};
pub use judge::Judge;
pub use library::{Library, circular};
pub use limits::{Bound, Measure, PerMeasure, Setting};
pub use lint::{Lint, LintContext, Timeout, lint};
pub use named_tool::NamedTool;
pub use question_keys::question_keys;
pub use rule::{DroppedRule, ReplacedRule, RuleEntry};
pub use rule_origin::RuleOrigin;
pub use script::Script;
pub use script_source::ScriptSource;
pub use select::PathPatterns;
pub use select::suffixed_pattern;
pub use snapshot::{Snapshot, with_golden};
