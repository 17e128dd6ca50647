//! Rules: what must hold of what an agent does, one file a kind (compile, watch and explain together).
//!
//! A [`Rule`] is inert and checked. Started, it is a [`Monitor`] with a home (SPEC 7.1): it is fed moments of the
//! trace and answers with a three-valued [`Judgement`]. [`inherit`] merges the levels, [`Judge`] runs the monitors.
//! Nothing here sees a target or a run.

mod arguments;
mod block;
mod count;
mod describe;
mod explain;
mod forbid;
mod forbid_calls;
mod inherit;
mod judge;
mod judgement;
mod library;
mod lint;
mod matcher;
mod max_duration;
mod max_first_token;
mod max_idle;
mod max_tokens;
mod max_tool;
mod measure;
mod must_match;
mod must_not_match;
mod outcome;
mod require;
mod rule;
mod selector;
mod snapshot;
mod state;
mod sum;

pub use arguments::{ArgumentPatterns, Matching};
pub use block::{Block, Bound, Expectation, Setting};
pub use count::Counted;
pub use explain::{ExplainedLimit, ExplainedRule, Explanation, Part, explain};
pub use forbid::Forbid;
pub use forbid_calls::ForbidCall;
pub use inherit::{Dropped, Inherited, TurnRules, inherit};
pub use judge::{Judge, Standing};
pub use judgement::{Finding, Home, Judgement, Moment, Scope, Seen};
pub use library::{Library, circular};
pub use lint::{Lint, Surroundings, TimeOut, lint};
pub use matcher::{Matcher, Wanted};
pub use measure::{Measure, PerMeasure};
pub use must_match::MustMatch;
pub use must_not_match::MustNotMatch;
pub use outcome::ExpectedOutcome;
pub use require::Required;
pub use rule::{Entry, Kind, Monitor, Origin, Rule};
pub use selector::Selector;
pub use snapshot::{Captured, Snapshot, Writing};
pub use state::StateRule;
