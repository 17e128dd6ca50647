//! The rules of a test while it runs: their monitors take in what happens, and what they find is put together.
//!
//! **Invariant:** a rule that cannot be evaluated never passes; what a judge or a script decides is asked last.

mod evaluator;
mod watch;

pub use evaluator::{Completion, Evaluator, Following};
