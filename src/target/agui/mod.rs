//! AG-UI: an agent behind one HTTP endpoint; a run is a POST answered by server-sent events.
//!
//! A `session` sends a `request` and reads the answer: bytes become frames in `reading`, a `frame` is looked at where it
//! lies, `decode` says what it means. The agent keeps nothing for sure, so every request brings the whole `history` and
//! the `state` along. A stream that ends without the protocol's terminal event is an error that says what was received.

mod conversation;
mod decode;
mod evidence;
mod frame;
mod history;
mod lanes;
mod reading;
mod request;
mod session;
mod snapshot;
mod speech;
mod state;
mod warnings;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::Url;
use serde_json::Value;

use super::{Capabilities, Opening, Session, Target, TargetError, Transport};

/// Where an agent is and what every run brings along.
#[derive(Clone)]
pub struct Settings {
    /// Where runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, beside and before those of the protocol. They may be secret.
    pub headers: Vec<(String, String)>,
    /// Passed to the agent untouched with every run; `null` is sent as `{}`.
    pub forwarded_props: Value,
    /// The state sent with the first run; `null` is sent as `{}`.
    pub state: Value,
}

/// An agent that speaks AG-UI.
pub struct AguiTarget {
    settings: Arc<Settings>,
    transport: Arc<dyn Transport>,
}

impl AguiTarget {
    /// An agent reached through `transport`.
    pub fn new(settings: Settings, transport: Arc<dyn Transport>) -> Self {
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
