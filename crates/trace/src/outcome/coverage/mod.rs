//! The coverage of an agent by its tests, as reports show it.
//!
//! **Invariant:** a share is rounded down, so that 100 means all.

mod coverage_report;
mod coverage_state;

pub use coverage_report::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};
pub use coverage_state::{AnswerStates, CoverageState, OutcomeStates};
