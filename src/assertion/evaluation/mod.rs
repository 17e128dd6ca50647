//! Runs the rules of a test: their monitors take in what happens and answer whether it is right.

mod evaluator;
mod finding;
mod judgement;
mod monitor;
mod question;
mod scope;
mod view;
mod watch;

pub use evaluator::{Completion, Evaluator, Following};
pub(crate) use finding::{Evidence, Finding};
pub(crate) use judgement::{Judgement, Moment};
pub(crate) use monitor::{Monitor, at_each_call, at_scope_end, at_turn_end};
pub use question::{Question, ScriptQuestion};
pub use scope::RuleScope;
pub(crate) use view::{Exclusions, View};
