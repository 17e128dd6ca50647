//! `ananke explain`: the rules that apply to a test, or the meaning of a name. Nothing runs.

mod command;
mod layout;
mod name;
mod test;

pub(super) use command::{ExplainOptions, explain};
