//! What commands write: files, documents, the streams of a run, and the screen of the person before it.
//!
//! `output_thread` writes the streams of a run. `output_files` decides for every command whether a file may be written, and
//! `document_output` is the way of a document.
//!
//! **Invariant:** whether a file may be written is decided by `output_files` alone.

mod document_output;
mod output_files;
mod output_thread;
mod paths;
mod screen;

pub(crate) use document_output::{DocumentFile, DocumentForm, DocumentOutput, extensions_in_words};
pub(crate) use output_files::{ForceOption, OutputFiles, OutputKind};
pub(crate) use output_thread::{OutputThread, Outputs};
pub(crate) use paths::{named_path, shown_path};
pub(crate) use screen::Screen;
