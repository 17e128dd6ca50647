//! One thing that happened: a message, a call or a result.

use ananke_model::model::MessageRole;
use ananke_trace::trace::Trace;

/// One thing that happened, by its place in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Message { index: usize, by: MessageRole },
    Call(usize),
    Result(usize),
}

impl Item {
    /// Its place among all that happened.
    pub(crate) fn order(self, trace: &Trace) -> u32 {
        match self {
            Self::Message { index, .. } => trace.messages[index].order,
            Self::Call(call) => trace.calls[call].order,
            Self::Result(call) => trace.calls[call].result().map_or(0, |result| result.order),
        }
    }

    /// The number of the event that brought it.
    pub(crate) fn event(self, trace: &Trace) -> u32 {
        match self {
            Self::Message { index, .. } => trace.messages[index].opened,
            Self::Call(call) => trace.calls[call].first_event,
            Self::Result(call) => {
                let call = &trace.calls[call];
                call.result().map_or(call.last_event, |result| result.event)
            }
        }
    }
}
