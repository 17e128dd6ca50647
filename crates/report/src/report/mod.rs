//! Reports: on the terminal, in files, for CI servers. Each takes sealed [`RunEvent`](ananke_engine::run::RunEvent)s one by
//! one and sees nothing else of a run.
//!
//! What an agent says is hostile: whatever reaches a terminal or a file goes through [`escape`](ananke_base::text::escape), is
//! bounded in size and never interpreted. The transcript of a test is written in one place, for every report that has it.

pub mod ci;
pub mod comparison;
mod coverage;
pub mod file;
pub mod history;
pub mod last_run;
mod layout;
mod mutation;
mod own_folder;
#[cfg(feature = "html")]
mod page_parts;
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

#[cfg(feature = "html")]
pub use coverage::coverage_page;
pub use coverage::coverage_text;
#[cfg(feature = "junit")]
pub use mutation::mutation_junit;
pub use mutation::mutation_markdown;
#[cfg(feature = "html")]
pub use mutation::mutation_page;
pub use reporter::{Reporter, deliver};
