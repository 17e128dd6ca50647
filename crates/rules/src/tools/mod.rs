//! Rules about tool calls.
//!
//! **Invariant:** a call is checked once what the rule looks at is complete: its name, its arguments, or its result.

pub(crate) mod allow_only;
pub(crate) mod every;
pub(crate) mod forbid;
pub(crate) mod forbid_calls;
pub(crate) mod max_calls;
pub(crate) mod max_identical_calls;
pub(crate) mod require;
pub(crate) mod schema;
