//! How far the run of an answer is, and the event that made it so.

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
