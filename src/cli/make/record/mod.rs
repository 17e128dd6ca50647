//! `ananke record`: conversations that a person or a front end holds, as tests with its recording.

mod command;
mod dialog;
mod proxy;
mod write;

pub(crate) use command::RecordOptions;
pub(super) use write::write;
