//! The meaning of a number of runs for a test: a test of a rate that decides as soon as it can (`sequential_test`), exact
//! intervals (`interval`), pass@k and pass^k (`reliability`), statistics of durations, and the spread of numbers.
//!
//! **Invariant:** pure functions of counts, without input or output: the same counts give the same answer on every run;
//! nothing here knows what a run is.

mod binomial;
mod duration_statistics;
mod interval;
mod percentage;
mod reliability;
mod sequential_test;
mod spread;
mod stability_class;

pub use duration_statistics::DurationStatistics;
pub use interval::{Interval, exact_interval};
pub use percentage::Percentage;
pub use reliability::{ReliabilityEstimate, reliability};
pub use sequential_test::{SequentialDecision, SequentialTest};
pub use spread::Spread;
pub use stability_class::StabilityClass;
