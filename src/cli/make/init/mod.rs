//! `ananke init`: a first project.

mod command;
mod starter;

pub(crate) use command::InitOptions;
