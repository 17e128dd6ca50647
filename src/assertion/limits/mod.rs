//! Limits of time and tokens.

pub(crate) mod max_duration;
pub(crate) mod max_first_token;
pub(crate) mod max_idle;
pub(crate) mod max_tokens;
pub(crate) mod max_tool;
mod measure;
pub(crate) mod total;

pub use measure::{Measure, PerMeasure};
