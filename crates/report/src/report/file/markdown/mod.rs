//! The report for comments of pull requests: the verdict, then what failed with its transcripts collapsed, then what is
//! flaky, in quarantine or slow; tests that passed are only counted.
//!
//! **Invariant:** the text has fewer bytes than a comment may have characters, whatever the run; nothing an agent says is
//! read as Markdown or HTML; the first line says that it is ours.

mod builder;
mod failures;
mod markdown_report;
mod picks;
mod words;

pub(in crate::report) use builder::{MARKER, MarkdownBuilder};
pub use markdown_report::{MOST, MarkdownReport};
pub(in crate::report) use words::{MarkdownRows, code, message};
