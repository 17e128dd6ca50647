//! `tools.require`: calls that must happen.

mod miss;
pub(crate) mod monitor;
mod required;

pub use required::Required;
