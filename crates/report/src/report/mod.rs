//! Reports: on the terminal, in files, for CI servers. Each takes sealed [`RunEvent`](ananke_engine::run::RunEvent)s one by
//! one and sees nothing else of a run.
//!
//! What an agent says is hostile: whatever reaches a terminal or a file goes through [`escape`](ananke_base::text::escape), is
//! bounded in size and never interpreted. The transcript of a test is written in one place, for every report that has it.

#[cfg(feature = "json-schema")]
mod audit;
pub mod ci;
pub mod comparison;
#[cfg(feature = "json-schema")]
mod contract;
mod coverage;
mod document;
mod failure_numbers;
pub mod file;
pub mod history;
pub mod last_run;
mod layout;
mod mutation;
mod own_folder;
#[cfg(feature = "html")]
mod page_parts;
mod part;
mod reporter;
mod run_journal;
mod run_totals;
mod slowest;
mod snapshot_totals;
pub mod store;
mod stream;
pub mod terminal;
mod transcript;
mod words;

#[cfg(feature = "json-schema")]
pub use audit::{DeniedLevels, audit_conclusion, write_audit_end, write_audited_tool};
#[cfg(feature = "json-schema")]
pub use contract::contract_conclusion;
pub use coverage::{CoverageGate, coverage_conclusion};
pub use document::{CommandDocument, Conclusion, DocumentText, Documented, document_schema};
pub use mutation::{MutationDocument, MutationGates, mutation_conclusion};
pub use own_folder::prepare_own_folder;
pub use reporter::{Reporter, deliver};
