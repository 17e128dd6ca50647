//! Runs the rules of a test: their monitors are fed what happens and answer what holds.

mod judge;
mod judgement;

pub use judge::{Judge, Standing};
pub use judgement::{Finding, Home, Judgement, Moment, Reach, Scope, Seen, Told};
