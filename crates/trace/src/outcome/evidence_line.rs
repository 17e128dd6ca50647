//! Something that was found instead of what a rule expects.

use serde::{Deserialize, Serialize};

use ananke_derive::Mask;

/// Something that was found instead of what a rule expects.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum EvidenceLine {
    /// A call.
    Call {
        /// The call with its arguments and its result, on one line.
        text: String,
        /// Its first event.
        event: u32,
        /// The rest about it, which a transcript with the call and the values that differ does not show; may be empty.
        remark: String,
    },
    /// The text of a message, which a transcript shows.
    Said(String),
    /// Anything else.
    Words(String),
}

impl EvidenceLine {
    /// All of it, on one line.
    pub fn text(&self) -> &str {
        match self {
            Self::Call { text, .. } | Self::Said(text) | Self::Words(text) => text,
        }
    }

    /// The same, to be changed.
    pub(super) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::Call { text, .. } | Self::Said(text) | Self::Words(text) => text,
        }
    }
}
