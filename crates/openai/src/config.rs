//! The keys of an OpenAI-compatible model.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_agents::ToolExecution;
use ananke_agents::http::HttpConfig;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{Number, Since, Text, Toggle};

/// The path of chat completions under the base of an API.
pub(super) const CHAT_COMPLETIONS: &str = "chat/completions";

/// A model behind an OpenAI-compatible chat-completions endpoint. Its tools are the `client_tools`, whose mocks answer its
/// calls.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct OpenaiConfig {
    /// The base URL of the API, or the full URL of its chat completions (`http://` or `https://`).
    #[schemars(example = "https://api.openai.com/v1")]
    pub endpoint: Text,
    /// The name of the model, also in reports.
    #[schemars(example = "gpt-6-luna")]
    pub model: Text,
    /// The system message that every request begins with (default: none).
    pub instructions: Option<Text>,
    /// Further keys of every request, such as `temperature` (default: none). `tools` in it are added to the `client_tools`.
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[schemars(example = serde_json::json!({"temperature": 0}))]
    pub params: Option<Node>,
    /// Who executes the tools: with `run` (default) the mocks of the `client_tools` answer the calls; with `observed` the server
    /// executes its tools itself, and its calls are only checked.
    #[schemars(extend("x-since" = "1.4"), example = &"observed")]
    pub tools: Option<ToolExecution>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.OPENAI_API_KEY}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// How often a request is sent again that was rejected with HTTP 429, or `false` for never (default 3). The waiting
    /// does not count as time of the model.
    pub retry_429: Option<Toggle<Number>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}
