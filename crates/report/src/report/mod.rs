//! Reports: on the terminal, in files, for CI servers. Each takes sealed [`RunEvent`](ananke_trace::outcome::RunEvent)s one by
//! one.
//!
//! `terminal/` is the console, and the live area under it; `file/` is JUnit, HTML, JSON, Markdown and TAP, one file or
//! directory each; `ci/` is GitHub Actions. `document/` is the one JSON printer and frame of text of the commands that run no
//! tests (`audit`, `contract`, `coverage`, `mutate`, `compare`), for whatever is [`Documented`]; `comparison/`, `coverage/`
//! and `mutation/` are what these found. They share `transcript/` (the turns of a test for people), `layout/` (lines wrapped
//! for a terminal, colours) and `words/` (durations, times, names). `RunTotals` counts a run for all of them, and a `stream`
//! is what those write to that print.
//!
//! Style and script of the HTML page are files in its folder, which are put into every report as they are. Its data has types of
//! its own, defined by `part!` as the document of a run is ([`run_document`](crate::run_document)): each field once. A kept run
//! (`store/`) has the results of that document, for `show` and `run --again`. `history` is the one memory of earlier runs: how
//! each test ended, and which did not.
//!
//! **Invariant:** a report is built without what runs tests; memory does
//! not grow with the number of tests; text of an agent goes through [`escape`](ananke_base::text::escape) for terminals, XML
//! and browsers, where it is only ever text; lines are wrapped for a terminal alone.

#[cfg(feature = "json-schema")]
mod audit;
mod build_job;
pub mod ci;
pub mod comparison;
#[cfg(feature = "json-schema")]
mod contract;
mod coverage;
mod document;
mod failure_numbers;
pub mod file;
pub mod history;
mod layout;
mod mutation;
mod own_folder;
mod reporter;
mod run_keeping;
mod slowest;
pub mod store;
pub mod terminal;
mod transcript;
mod words;
pub mod written_reports;

#[cfg(feature = "json-schema")]
pub use audit::{DeniedLevels, audit_conclusion, write_audit_end, write_audited_tool};
#[cfg(feature = "json-schema")]
pub use contract::contract_conclusion;
pub use coverage::{CoverageGate, coverage_conclusion};
pub use document::{CommandDocument, Conclusion, DocumentText, Documented, document_schema};
pub use mutation::{MutationDocument, MutationGates, mutation_conclusion};
pub use own_folder::prepare_own_folder;
pub use reporter::{Reporter, deliver};
pub use run_keeping::RunKeeping;
