//! The commands that make something of a project or of a recording: tests, changed agents, a stand-in for an agent (`mock`), and a
//! project itself.
//!
//! **Invariant:** a file that exists is replaced only if that is asked for.

mod convert;
mod freeze;
mod freeze_trace;
mod init;
mod mock;
mod model;
mod model_answer_options;
mod mutate;
mod record;
mod report_recording;
mod shrink;

pub(crate) use convert::ConvertOptions;
pub(crate) use freeze::FreezeOptions;
pub(crate) use init::InitOptions;
pub(crate) use mock::MockCommand;
pub(crate) use model::ModelCommand;
pub(crate) use mutate::MutateOptions;
pub(crate) use record::RecordOptions;
pub(crate) use shrink::ShrinkOptions;
