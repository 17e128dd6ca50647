//! The reader of the events of a response, whatever carries them.

use std::ops::ControlFlow;
use std::time::Duration;

use super::sink::{Sink, Stop};
use ananke_base::context::At;

/// The reader of the events of a response: each protocol has its own.
pub trait EventReader: Send {
    /// Takes the data of an event and reports what it means. `Break` if the sink wants no more.
    ///
    /// # Errors
    /// The reason why the event cannot be decoded; the text follows `event 3 `.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String>;

    /// The time for which the response is still read, if it may end here; `None` while something of it is missing.
    fn rest(&self) -> Option<Rest>;
}

/// The time for which a response that may end is still read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// So long after it could end first.
    AfterEnd(Duration),
    /// So long after its last event.
    AfterLastEvent(Duration),
}
