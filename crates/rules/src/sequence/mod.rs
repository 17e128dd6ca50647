//! `sequence`: in which order calls, results and messages must come.
//!
//! **Invariant:** a step matches one thing, and a thing goes with one step.

mod matching;
mod miss;
mod only;
pub(crate) mod sequence;
mod step;
mod turn_step;
mod walk;

pub use turn_step::{StepFinding, TurnStep};
