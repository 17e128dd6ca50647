//! The state of an answer's run, and the event that led to it.

use super::event_kind::EventRef;

/// The state of the newest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RunState {
    #[default]
    NotStarted,
    Open(EventRef),
    Finished(EventRef),
    Failed(EventRef),
}

impl RunState {
    /// Whether a terminal event has ended it.
    pub(super) fn has_ended(self) -> bool {
        matches!(self, Self::Finished(_) | Self::Failed(_))
    }
}
