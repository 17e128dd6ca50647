//! What is known of an AG-UI agent before it is talked to.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::config::{AguiTransport, ProtocolVersion};
use crate::target::http::HttpOptions;

/// A description and a value for the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContextItem {
    /// What the value is.
    pub description: String,
    /// The value.
    pub value: String,
}

/// An AG-UI agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AguiSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// Where runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// What connections and responses need.
    pub options: Arc<HttpOptions>,
    /// Descriptions and values that are sent with every run.
    pub context: Vec<ContextItem>,
    /// Passed on with every run.
    pub forwarded_props: Value,
    /// Sent with the first turn.
    pub state: Value,
    /// How the agent is reached.
    pub transport: AguiTransport,
    /// Which version of the protocol the requests are written in.
    pub version: ProtocolVersion,
    /// Whether a run is sent only what is new.
    pub last_only: bool,
    /// Whether times are the timestamps of events.
    pub event_clock: bool,
}
