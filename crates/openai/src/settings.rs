//! The settings of an OpenAI-compatible model that are known before the first request.

use std::sync::Arc;

use serde_json::{Map, Value};
use url::Url;

use ananke_agents::ToolExecution;
use ananke_agents::http::HttpOptions;

/// An OpenAI-compatible model.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenaiSettings {
    /// The URL that requests are posted to.
    pub endpoint: Url,
    /// The name of the model.
    pub model: String,
    /// The system message that every request begins with.
    pub instructions: Option<String>,
    /// Further keys of every request.
    pub params: Map<String, Value>,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// The options of connections and responses.
    pub options: Arc<HttpOptions>,
    /// The number of times that a request is sent again that was rejected with HTTP 429.
    pub retries: u32,
    /// The side that executes the tools.
    pub tools: ToolExecution,
}
