//! The changes between two runs, or between several on each side, from their reports: which tests fail newly, call other tools,
//! take longer.
//!
//! Flows in: reports, read back test by test, or one and the results of the current run. Flows out: a [`Comparison`].
//!
//! **Invariant:** two reports of one run have no difference; memory grows by a few words and some values of a bounded size per
//! test, whatever a report contains.

mod builder;
mod change;
mod comparison;
mod conversation_facts;
mod test_summary;

pub(crate) use builder::ComparisonBuilder;
pub use builder::{Baseline, Coverage, ReportPath};
pub use change::{ChangeKind, Noise};
pub(crate) use change::{TestChange, ValueChange, ratio};
pub(crate) use comparison::{ComparedRun, ComparedSide, ComparedSum, RunSummary};
pub use comparison::{Comparison, ComparisonRules};
pub(crate) use test_summary::TestSummary;
