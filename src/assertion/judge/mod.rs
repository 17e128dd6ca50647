//! Runs the rules of a test: their monitors take in what happens and answer whether it is right.

mod finding;
mod judge;
mod judgement;
mod monitor;
mod question;
mod scope;
mod view;
mod watch;

pub(crate) use finding::{Evidence, Finding};
pub use judge::{Completion, Following, Judge};
pub(crate) use judgement::{Judgement, Moment};
pub(crate) use monitor::{Monitor, at_each_call, at_scope_end, at_turn_end};
pub use question::{Question, ScriptQuestion};
pub use scope::RuleScope;
pub(crate) use view::{Exclusions, View};
