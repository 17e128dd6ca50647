//! The coverage of an agent by tests: outcomes of its tools, their order, values of arguments, answers to interrupts.
//!
//! Declared tools and finished conversations flow in, a report and stubs of tests for its holes come out. **Invariant:** what
//! is kept is bounded by the number of tools and not of tests; the order in which tests end changes nothing.

mod argument_values;
mod collector;
mod coverage_report;
mod coverage_state;
mod covered_items;
mod noticed_changes;
mod stubs;

pub use collector::CoverageCollector;
pub use coverage_report::{
    ArgumentCoverage, CoverageCount, CoverageReport, CoverageTotals, InterruptCoverage,
    ToolCoverage, TransitionCoverage,
};
pub use coverage_state::{AnswerStates, CoverageState, OutcomeStates};
pub use noticed_changes::{CallPart, NoticedChanges};
