//! The changes between two runs, from their reports: which tests fail newly, call other tools, take longer.
//!
//! Flows in: two reports, read back test by test, or one and the results of the current run. Flows out: a [`Comparison`].
//!
//! **Invariant:** two reports of one run have no difference; memory grows by a few words per test, whatever a report
//! contains.

mod builder;
mod change;
mod comparison;
mod test_summary;

pub(crate) use builder::ComparisonBuilder;
pub use builder::{Baseline, Coverage};
pub use change::{ChangeKind, Noise};
pub(crate) use change::{TestChange, ratio};
pub(crate) use comparison::{ComparedRun, RunSummary};
pub use comparison::{Comparison, ComparisonRules};
pub(crate) use test_summary::TestSummary;
