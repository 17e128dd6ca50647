//! Rules about tool calls.

pub(crate) mod allow_only;
mod call_limit;
pub(crate) mod forbid;
pub(crate) mod forbid_calls;
pub(crate) mod max_calls;
pub(crate) mod max_identical_calls;
pub(crate) mod require;
pub(crate) mod schema;
