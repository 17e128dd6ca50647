//! `ananke explain`: the rules that apply to a test, or the meaning of a name. Nothing runs.

mod command;
mod layout;
mod name;
mod test;

pub(crate) use command::{ExplainOptions, explain};
