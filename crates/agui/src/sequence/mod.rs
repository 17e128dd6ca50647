//! The order of the events of a run: which rules of the protocol it violates, and with which events.
//!
//! The [`Validator`] looks at every event before it is decoded: a stream that violates rules is taken as far as it is clear.
//!
//! **Invariant:** it changes nothing of what an event means; what is kept is no larger than the response: ids and event
//! numbers, dropped with the next run.

mod chunks;
mod items;
mod lane_owners;
mod rule;
mod steps;
mod subagents;
mod validator;
mod violations;

pub(super) use rule::EventOrderRule;
pub(super) use validator::Validator;
