//! One attempt at a test, from its file to its outcome.
//!
//! `run_attempts` makes attempts until a series has enough, `run_attempt` one of them with its environment and its recording, which
//! is verified before it is kept (`verify_recording`). `carry_out` takes it through hooks, conversation and teardown, and
//! `test_conversation` hands what the plan says to [`converse`](ananke_conversation::converse()).
//!
//! **Invariant:** whatever goes wrong in an attempt is in its outcome.

mod attempt_models;
mod carry_out;
mod observe;
mod run_attempt;
pub(crate) mod run_attempts;
mod take_result;
mod test_conversation;
mod verify_recording;

pub(crate) use run_attempts::run_attempts;
