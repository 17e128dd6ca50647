//! The statistics of a number of runs of a test: pure functions of counts, without input or output.
//!
//! **Invariant:** the same counts give the same answer; nothing here knows what a run is.

mod binomial;
mod duration_statistics;
mod interval;
mod percentage;
mod reliability;
mod sequential_test;
mod stability_class;

pub use duration_statistics::DurationStatistics;
pub use interval::{Interval, exact_interval};
pub use percentage::Percentage;
pub use reliability::{ReliabilityEstimate, reliability};
pub use sequential_test::{SequentialDecision, SequentialTest};
pub use stability_class::StabilityClass;
