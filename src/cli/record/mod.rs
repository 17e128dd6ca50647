//! `ananke record`: conversations that a person or a front end holds, as tests with its recording.

mod command;
mod dialog;
mod proxy;
mod unrecorded;
mod write;

pub(super) use command::{RecordOptions, record};
pub(super) use write::write;
