//! AG-UI agents for tests: their settings, targets and sessions.

use std::sync::Arc;

use ananke::agents::{Session, Transport};
use ananke::agui::{AguiSettings, AguiTarget, AguiTransport, ConversationSettings};
use serde_json::json;

use super::conformance::opened;

pub(crate) fn settings(endpoint: &str) -> AguiSettings {
    AguiSettings {
        agent: "shop".to_owned(),
        endpoint: endpoint.parse().expect("a URL"),
        headers: Vec::new(),
        options: Arc::default(),
        transport: AguiTransport::Http,
        conversation: conversation(),
    }
}

/// What the runs of a conversation are sent without settings.
pub(crate) fn conversation() -> ConversationSettings {
    ConversationSettings {
        state: json!({}),
        ..ConversationSettings::default()
    }
}

/// A session with an AG-UI agent on the thread `t-1` whose first run is `r-{run}`.
pub(crate) async fn session(
    settings: AguiSettings,
    transport: Arc<dyn Transport>,
    run: u64,
) -> Box<dyn Session> {
    opened(&AguiTarget::new(settings), transport, run).await
}

/// An AG-UI agent for the conformance kit.
pub(crate) fn agui() -> AguiTarget {
    AguiTarget::new(settings("http://127.0.0.1:1/"))
}
