//! The output of commands: the standard streams, files, documents and reports, and whether they are coloured.
//!
//! `print` writes to the standard streams, escaped; `output_thread` writes those of a run. `output_files` decides for every command
//! whether a file may be written, and `document_output` is the way of a document.
//!
//! **Invariant:** nothing else writes to the standard streams: `clippy.toml` refuses every other writer.

mod colour;
mod custom_reporter;
mod document_output;
mod output_files;
mod output_thread;
mod paths;
mod print;
mod print_problems;
mod reporters;
mod reserved_report;
mod screen;

pub(crate) use colour::{Colour, colouring, is_dumb};
pub(crate) use custom_reporter::{CustomReporter, custom_reporter};
pub(crate) use document_output::{DocumentFile, DocumentForm, DocumentOutput, extensions_in_words};
pub(crate) use output_files::{ForceOption, OutputFiles, OutputKind};
pub(crate) use output_thread::{OutputThread, Outputs};
pub(crate) use paths::{named_path, shown_path};
pub(crate) use print::{print, print_now, say, say_styled, streams, unless_gone};
pub(crate) use print_problems::print_problems;
pub(crate) use reporters::{
    LiveDisplay, Reporters, file_options, file_reports, note_earlier_reports, reporters,
    usual_durations,
};
pub(crate) use reserved_report::ReservedReport;
pub(crate) use screen::Screen;
