//! `tools.require`: calls that must happen.

mod miss;
mod monitor;
mod required;

pub(crate) use required::compile;
