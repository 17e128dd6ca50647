//! `ananke record`: a conversation that a person holds, as a test with its recording.

mod command;
mod dialog;
mod write;

pub(super) use command::{RecordOptions, record};
