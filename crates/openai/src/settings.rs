//! What is known of an OpenAI-compatible model before it is talked to.

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use ananke_agents::ToolExecution;
use ananke_agents::http::HttpOptions;

/// An OpenAI-compatible model.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenaiSettings {
    /// Where requests are posted to.
    pub endpoint: Url,
    /// The name of the model.
    pub model: String,
    /// The system message that every request begins with.
    pub instructions: Option<String>,
    /// Further keys of every request.
    pub params: Map<String, Value>,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// What connections and responses need.
    pub options: Arc<HttpOptions>,
    /// How often a request is sent again that was rejected with HTTP 429.
    pub retries: u32,
    /// Who executes the tools.
    pub tools: ToolExecution,
}
