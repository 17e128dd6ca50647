//! `ananke watch`: runs what a change touches.

mod changes;
mod command;

pub(crate) use command::{WatchOptions, watch};
