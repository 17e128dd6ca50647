//! The coverage of an agent by its tests, and the tools that its model picked, as reports show it.
//!
//! **Invariant:** a share is rounded down, so that 100 means all.

mod coverage_report;
mod coverage_state;
mod picks;

pub use coverage_report::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};
pub use coverage_state::{AnswerStates, CoverageState, OutcomeStates};
pub use picks::{Picks, ToolPicks};
