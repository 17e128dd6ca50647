//! The comparison of two runs by their reports: the tests that fail newly, call other tools or take longer.
//!
//! Flows in: two reports, read back test by test, or one and the results of the current run. Flows out: a [`Comparison`].
//! **Invariant:** two reports of one run have no difference.

mod baseline;
mod builder;
mod change;
mod comparison;
mod reader;
mod report_object;
mod run_summary;
mod test_summary;

pub use baseline::Baseline;
pub(crate) use builder::ComparisonBuilder;
pub use builder::Coverage;
pub use change::{ChangeKind, Noise};
pub(crate) use change::{TestChange, ratio};
pub(crate) use comparison::ComparedRun;
pub use comparison::{Comparison, ComparisonRules};
pub(crate) use reader::read_line;
pub(crate) use run_summary::RunSummary;
pub(crate) use test_summary::TestSummary;
