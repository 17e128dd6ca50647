//! The calls of recordings against the tools that an agent declares now (feature `json-schema`).
//!
//! `recorded_calls` replays recordings and collects their calls, `refusals` compares each with a declaration.
//!
//! **Invariant:** nothing is sent but the request for the list of tools; the order is that of the recordings, their turns and
//! calls.

mod recorded_calls;
mod refusals;

pub use recorded_calls::{recorded_calls, recordings_below};
pub use refusals::refusals;
