//! The keys of a model of the Messages API.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_agents::http::HttpConfig;
use ananke_agents::{ApiPath, ToolExecution};
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{NotBefore, Number, Text, Toggle};

/// The path of messages. The clients of the vendor have a base without the version, and others have one with it.
pub(super) const MESSAGES: ApiPath = ApiPath {
    version: Some("v1"),
    below_base: "messages",
};

/// A model of Anthropic's Messages API. Its tools are the `client_tools`, whose mocks answer its calls; tools that the server
/// runs itself are declared in `params.tools`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = NotBefore("1.4"))]
pub struct AnthropicConfig {
    /// The base URL of the API, with or without `/v1`, or the full URL of its messages (`http://` or `https://`).
    #[schemars(example = "https://api.anthropic.com")]
    pub endpoint: Text,
    /// The name of the model, also in reports.
    #[schemars(example = "claude-sonnet-5")]
    pub model: Text,
    /// The system prompt of every request (default: none).
    pub instructions: Option<Text>,
    /// Further keys of every request (default: `max_tokens: 4096`, which the API requires). `tools` in it are added to the
    /// `client_tools`.
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[schemars(example = serde_json::json!({"max_tokens": 8192}))]
    pub params: Option<Node>,
    /// Who executes the tools: with `run` (default) the mocks of the `client_tools` answer the calls; with `observed` the server
    /// executes its tools itself, and its calls are only checked.
    #[schemars(example = &"observed")]
    pub tools: Option<ToolExecution>,
    /// HTTP headers of every request (default: `anthropic-version: 2023-06-01`). Values of variables here are secrets and are
    /// masked in all output.
    #[schemars(example = serde_json::json!({"x-api-key": "${ENV.ANTHROPIC_API_KEY}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// How often a request is sent again that was rejected with HTTP 429, or `false` for never (default 3). The waiting
    /// does not count as time of the model.
    #[schemars(extend("x-since" = "1.4"))]
    pub retry_429: Option<Toggle<Number>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}
