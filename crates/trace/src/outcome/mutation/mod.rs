//! What came of changes to recorded conversations, as reports show it.
//!
//! **Invariant:** a score counts the changes that a rule had to notice, and is rounded down.

mod fate;
mod mutation_report;
mod severity;
mod suggestion;

pub use fate::Fate;
pub use mutation_report::{MutationReport, OperatorScore, Score, SurvivingMutant, TestScore};
pub use severity::MutantSeverity;
pub use suggestion::{MutationLevel, Suggestion};
