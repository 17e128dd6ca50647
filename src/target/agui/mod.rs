//! AG-UI: an agent behind one HTTP endpoint; a run is a POST answered by server-sent events.
//!
//! A `session` sends a `request` and reads the answer: bytes become frames in `reading`, a `frame` is looked at where it
//! lies, `sequence` sees whether it may come now, `decode` says what it means. The agent keeps nothing for sure, so every request brings the whole `history` and
//! the `state` along. A stream that ends without the protocol's terminal event is an error that says what was received.

mod annotations;
mod beside;
mod content;
mod conversation;
mod decode;
mod evidence;
mod frame;
mod history;
mod lanes;
mod reading;
mod request;
mod route;
mod sequence;
mod session;
mod snapshot;
mod speech;
mod thoughts;
mod warnings;

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use sequence::{Explained, SequenceRule};

use super::{Capabilities, Opening, Session, Target, TargetError, Transport};
use crate::plan::AguiSettings;

/// An agent that speaks AG-UI.
pub struct AguiTarget {
    settings: Arc<AguiSettings>,
    transport: Arc<dyn Transport>,
}

impl AguiTarget {
    /// An agent reached through `transport`.
    pub fn new(settings: AguiSettings, transport: Arc<dyn Transport>) -> Self {
        Self { settings: Arc::new(settings), transport }
    }
}

impl Target for AguiTarget {
    fn capabilities(&self) -> Capabilities {
        Capabilities { tool_calls_visible: true }
    }

    fn open(&self, opening: Opening) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session =
            session::AguiSession::new(Arc::clone(&self.settings), Arc::clone(&self.transport), opening);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
