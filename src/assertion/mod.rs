//! Rules: what must hold of what an agent does, one file a kind (compile, watch and explain together).
//!
//! A [`Rule`] is inert and checked. Started, it is a [`Monitor`] with a home (SPEC 7.1): it is fed moments of the
//! trace and answers with a three-valued [`Judgement`]. [`inherit`] merges the levels, [`Judge`] runs the monitors.
//! Nothing here sees a target or a run.

mod block;
mod compile;
mod content;
mod conversation;
mod describe;
mod disabled;
mod explain;
mod inherit;
mod judge;
mod library;
mod limits;
mod lint;
mod rule;
mod script;
mod select;
mod sequence;
mod snapshot;
mod text;
mod tools;

pub use block::{Block, Bound, Expectation, Setting};
pub use content::{ExpectedOutcome, Matcher, OutputRule, StateRule, Wanted};
pub use disabled::Off;
pub use explain::{ExplainedLimit, ExplainedRule, Explanation, Part, SwitchedOff, explain};
pub use inherit::{Dropped, Inherited, Replaced, TurnRules, inherit};
pub use judge::{Finding, Home, Judge, Judgement, Moment, Reach, Scope, Seen, Standing, Told};
pub use library::{Library, circular};
pub use limits::{Measure, PerMeasure};
pub use lint::{Lint, Surroundings, TimeOut, lint};
pub use rule::{Entry, Kind, Monitor, Origin, Rule};
pub use script::{Program, Question, Script};
pub use select::{
    ArgumentConditions, ArgumentPatterns, Counted, Matching, Partial, ResultConditions, Selector, ToolName,
};
pub use sequence::{Sequence, Step, Wants};
pub use snapshot::{Captured, Snapshot, Writing};
pub use text::{Equals, MustMatch, MustNotMatch, Sought, Wording};
pub use tools::{AllowOnly, Forbid, ForbidCall, MaxCalls, Required};
