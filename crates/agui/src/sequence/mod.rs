//! The order of the events of a run: which rules of the protocol it violates, and with which events.
//!
//! The [`Validator`] looks at every event before it is decoded and changes nothing of what the event means: a stream that
//! violates rules is taken as far as it is clear. What is kept is no larger than the response: ids and event numbers,
//! dropped with the next run.

mod chunks;
mod items;
mod lane_owners;
mod named;
mod rule;
mod steps;
mod subagents;
mod validator;
mod violations;

pub(super) use rule::EventOrderRule;
pub(super) use validator::Validator;
