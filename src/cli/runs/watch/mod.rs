//! `ananke watch`: runs what a change touches.

mod changes;
mod command;
mod kept_answers;
mod keys;

pub(crate) use command::WatchOptions;
