//! The possible ends of a call.

use ananke_trace::outcome::coverage::{CoverageState, OutcomeStates};
use ananke_trace::trace::ToolCall;

/// The possible ends of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEnding {
    Ok,
    Error,
    Denied,
    Pending,
}

impl CallEnding {
    /// The state of calls that end so.
    pub(super) fn state_in(self, states: &mut OutcomeStates) -> &mut CoverageState {
        match self {
            Self::Ok => &mut states.ok,
            Self::Error => &mut states.error,
            Self::Denied => &mut states.denied,
            Self::Pending => &mut states.pending,
        }
    }

    /// The end of a call when its conversation is over.
    pub(super) fn of(call: &ToolCall) -> Self {
        match call.result() {
            None => Self::Pending,
            Some(result) if result.is_denied => Self::Denied,
            Some(result) if result.is_error == Some(true) => Self::Error,
            Some(_) => Self::Ok,
        }
    }
}
