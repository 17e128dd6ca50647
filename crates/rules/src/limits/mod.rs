//! Limits of time and tokens: a line for each in `registry`, and what they measure in `measure`.
//!
//! **Invariant:** a limit is a number that inner levels override; a value equal to it passes.

mod max_duration;
mod max_first_token;
mod max_idle;
mod max_tokens;
mod max_tool;
mod measure;
mod registry;
mod setting;
mod total;

pub use measure::{Measure, PerMeasure};
pub(crate) use registry::{compile, monitor};
pub use setting::{Bound, Setting};
pub(crate) use total::total;
