//! The rules of a test while it runs: their monitors take in what happens and answer whether it is right.
//!
//! **Invariant:** the same moments give the same findings; a rule that cannot be evaluated never passes.

mod coded_warning;
mod counted_calls;
mod evaluator;
mod finding;
mod judge_question;
mod judgement;
mod judging_time;
mod monitor;
mod question;
mod scope;
mod script_question;
mod undecided;
mod view;
mod watch;

pub(crate) use coded_warning::CodedWarning;
pub(crate) use counted_calls::CountedCalls;
pub use evaluator::{Completion, Evaluator, Following};
pub(crate) use finding::{Evidence, Finding};
pub use judge_question::JudgeQuestion;
pub(crate) use judgement::{Judgement, Moment};
pub use judging_time::JudgingTime;
pub(crate) use monitor::{Monitor, at_each_call, at_scope_end, at_turn_end};
pub use question::{Decision, Inquiry, Question};
pub use scope::RuleScope;
pub use script_question::{ScriptQuestion, ScriptSource};
pub(crate) use undecided::{schema_mismatches, take_reason};
pub(crate) use view::{Exclusions, View};
