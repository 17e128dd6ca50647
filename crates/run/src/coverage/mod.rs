//! The coverage of an agent by its tests: outcomes of its tools, their order, values of arguments, answers to interrupts.
//!
//! The run hands a [`CoverageCollector`] the declared tools and the finished trace of each conversation, if `ananke coverage`
//! asks for it; a report, and stubs of tests for its holes, come out.
//!
//! **Invariant:** what is kept is bounded by the number of tools and not of tests, and masked; the order in which tests end
//! changes nothing.

mod argument_values;
mod call_ending;
mod collector;
mod coverage_report;
mod covered_items;
mod stubs;

pub use collector::{CallPart, CoverageCollector, NoticedChanges};
pub use stubs::stubs;
