//! The smallest conversation that still violates a rule: a recording that fails in, an agent written in YAML with its test out.
//!
//! Flows in: a recording, and the test that it is of. Flows out: a [`ShrunkTest`]: a config and a test that need no agent.
//! **Invariant:** every candidate is judged by running it as it would be written, so that what is written fails with the
//! same rule; the same recording gives the same files.

mod candidate;
mod candidate_turn;
mod rule_entries;
mod search;
mod shrunk_test;
mod source_config;
mod violated_rule;

pub use search::Progress;
pub use shrunk_test::{ShrinkRequest, ShrunkTest, shrink};
