//! Steps: calls, results and messages that rules name.
//!
//! What is written flows in, matchers of what happened come out. **Invariant:** what a step wants depends on nothing but the
//! thing that happened.

mod compile;
mod kinds;
mod step_matcher;

pub(crate) use kinds::Kinds;
pub(crate) use step_matcher::{StepMatcher, author};
