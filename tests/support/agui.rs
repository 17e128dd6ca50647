//! AG-UI agents for tests: their settings, targets and sessions.

use std::sync::Arc;

use ananke::target::agui::{AguiSettings, AguiTarget, AguiTransport, ProtocolVersion};
use ananke::target::{Session, Transport};
use serde_json::{Value, json};

use super::conformance::opened;

pub(crate) fn settings(endpoint: &str) -> AguiSettings {
    AguiSettings {
        agent: "shop".to_owned(),
        endpoint: endpoint.parse().expect("a URL"),
        headers: Vec::new(),
        options: Arc::default(),
        context: Vec::new(),
        forwarded_props: Value::Null,
        state: json!({}),
        transport: AguiTransport::Http,
        version: ProtocolVersion::V1,
        last_only: false,
        event_clock: false,
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
