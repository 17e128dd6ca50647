//! Limits of time and tokens: a line for each in `registry`, and what they measure in `measure`.
//!
//! **Invariant:** a limit is a number that inner levels override; a value equal to it passes.

mod measure;
mod registry;
mod setting;
mod total;
mod turn_limits;

pub use measure::{Measure, PerMeasure};
pub(crate) use registry::{compile, monitor};
pub use setting::{Bound, Setting};
pub(crate) use total::total;
