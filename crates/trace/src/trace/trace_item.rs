//! One thing that happened in a conversation.

/// One thing that happened, by its place in the lists of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceItem {
    /// A message started.
    Message(usize),
    /// A call started.
    Call(usize),
    /// A call got a result.
    Result {
        /// The call.
        call: usize,
        /// The number of the result among those of the call, counted from 0.
        nth: u32,
    },
    /// A turn answered an interrupt.
    Answer {
        /// The turn, counted from 0.
        turn: usize,
        /// The number of the answer among those of the turn, counted from 0.
        nth: u32,
    },
}

impl TraceItem {
    /// The call that it is, or that it is a result of.
    pub fn call(self) -> Option<usize> {
        match self {
            Self::Call(call) | Self::Result { call, .. } => Some(call),
            Self::Message(_) | Self::Answer { .. } => None,
        }
    }
}
