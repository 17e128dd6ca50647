//! Rules about tool calls.

pub(crate) mod allow_only;
pub(crate) mod forbid;
pub(crate) mod forbid_calls;
pub(crate) mod max_calls;
pub(crate) mod require;

pub use allow_only::AllowOnly;
pub use forbid::Forbid;
pub use forbid_calls::ForbidCall;
pub use max_calls::MaxCalls;
pub use require::Required;
