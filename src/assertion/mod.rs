//! Rules: what must hold of what an agent does, one file a kind (compile, watch and explain together).
//!
//! A [`Rule`] is inert and checked. Started, it is a [`Monitor`] with a home (SPEC 7.1): it is fed moments of the
//! trace and answers with a three-valued [`Judgement`]. [`inherit`] merges the levels, [`Judge`] runs the monitors.
//! Nothing here sees a target or a run.

mod adding;
mod allow_only;
mod argument_conditions;
mod arguments;
mod block;
mod count;
mod describe;
mod embedded_json;
mod equals;
mod explain;
mod forbid;
mod forbid_calls;
mod inherit;
mod judge;
mod judgement;
mod library;
mod lint;
mod matcher;
mod max_calls;
mod max_duration;
mod max_first_token;
mod max_idle;
mod max_tokens;
mod max_tool;
mod measure;
mod misfit;
mod must_match;
mod must_not_match;
mod off;
mod outcome;
mod output;
mod partial;
mod require;
mod result_conditions;
mod rule;
mod selector;
mod snapshot;
mod state;
mod sum;
mod tool_name;
mod wording;

pub use allow_only::AllowOnly;
pub use argument_conditions::ArgumentConditions;
pub use arguments::{ArgumentPatterns, Matching};
pub use block::{Block, Bound, Expectation, Setting};
pub use count::Counted;
pub use equals::Equals;
pub use explain::{ExplainedLimit, ExplainedRule, Explanation, Part, SwitchedOff, explain};
pub use forbid::Forbid;
pub use forbid_calls::ForbidCall;
pub use inherit::{Dropped, Inherited, Replaced, TurnRules, inherit};
pub use judge::{Judge, Standing};
pub use judgement::{Finding, Home, Judgement, Moment, Reach, Scope, Seen, Told};
pub use library::{Library, circular};
pub use lint::{Lint, Surroundings, TimeOut, lint};
pub use matcher::{Matcher, Wanted};
pub use max_calls::MaxCalls;
pub use measure::{Measure, PerMeasure};
pub use must_match::MustMatch;
pub use must_not_match::MustNotMatch;
pub use off::Off;
pub use outcome::ExpectedOutcome;
pub use output::OutputRule;
pub use partial::Partial;
pub use require::Required;
pub use result_conditions::ResultConditions;
pub use rule::{Entry, Kind, Monitor, Origin, Rule};
pub use selector::Selector;
pub use snapshot::{Captured, Snapshot, Writing};
pub use state::StateRule;
pub use tool_name::ToolName;
pub use wording::{Sought, Wording};
