//! The documents of commands that run no tests themselves: `audit`, `contract`, `coverage`, `mutate`, `compare`.
//!
//! What a command found flows in as a [`Documented`] value, with the facts of its run and its [`Conclusion`]; one JSON
//! printer, one frame of text and one schema for each come out. **Invariant:** every document is
//! `{version, type, run, summary, …}`, and every text ends with its conclusion; what is from outside is escaped and bounded
//! by the frame.

mod command_document;
mod document_text;

pub use command_document::{CommandDocument, Documented, document_schema};
pub use document_text::{Conclusion, DocumentText};
pub(in crate::report) use document_text::{EntryMark, counted};
