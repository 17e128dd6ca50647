//! The smallest conversation that still violates a rule: a recording that fails in, an agent written in YAML with its test
//! out.
//!
//! Flows in: a recording, and the test that it is of. Flows out: a [`ShrunkTest`]: a config and a test that need no agent.
//! The `agent_steps` of the scripted target turn what the agent did into steps; a `test_candidate` is a part of these, with
//! its turns and rules, and the files it would be written to; `shrink_search` runs candidates, turns first, then steps,
//! arguments and rules, as `reduction` gives them.
//!
//! **Invariant:** every candidate is run as it would be written, so that what is written fails with the same rule; the same
//! recording gives the same files.

mod candidate_turn;
mod rule_entries;
mod shrink_search;
mod shrunk_test;
mod source_config;
mod step_parts;
mod test_candidate;
mod violated_rule;

pub use shrink_search::ShrinkProgress;
pub use shrunk_test::{ShrinkRequest, ShrunkTest, shrink};
