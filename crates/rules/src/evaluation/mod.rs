//! The words in which a rule is evaluated: its scope and origin, moments, findings, judgements and questions, and what limits
//! measure.
//!
//! A limit is a number that inner levels override; a value equal to it passes.
//!
//! **Invariant:** the same moments give the same findings; it knows no rule.

mod call_focus;
mod captured;
mod coded_warning;
mod counted_calls;
mod finding;
mod judge_question;
mod judgement;
mod judging_time;
mod measure;
mod monitor;
mod question;
mod rule_origin;
mod scope;
mod script_question;
mod setting;
mod total;
mod turn_limits;
mod undecided;
mod view;

pub(crate) use call_focus::CallFocus;
pub use captured::{Captured, Writing};
pub(crate) use coded_warning::CodedWarning;
pub(crate) use counted_calls::{CallCounting, CountedCalls};
pub(crate) use finding::{Evidence, Finding};
pub use judge_question::JudgeQuestion;
pub(crate) use judgement::{Judgement, Moment};
pub use judging_time::JudgingTime;
pub use measure::{Measure, PerMeasure};
pub(crate) use monitor::{Monitor, at_each_call, at_scope_end, at_turn_end};
pub use question::{Decision, Inquiry, Question};
pub use rule_origin::RuleOrigin;
pub use scope::RuleScope;
pub use script_question::{ScriptQuestion, ScriptSource};
pub use setting::{Bound, Setting};
pub(crate) use total::{NOT_SHOWN, total};
pub(crate) use turn_limits::{
    max_cost, max_duration, max_first_token, max_idle, max_rounds, max_tokens, max_tool,
};
pub(crate) use undecided::{schema_mismatches, take_reason};
pub(crate) use view::{Exclusions, View};
