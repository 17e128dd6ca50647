//! The keys of a model of the Responses API.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_agents::ToolExecution;
use ananke_agents::http::HttpConfig;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{NotBefore, Number, Text, Toggle};

/// The path of responses under the base of an API.
pub(super) const RESPONSES: &str = "responses";

/// A model of OpenAI's Responses API, or of Open Responses. Its tools are the `client_tools`, whose mocks answer its
/// calls; tools that the server runs itself are declared in `params.tools`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = NotBefore("1.4"))]
pub struct ResponsesConfig {
    /// The base URL of the API, or the full URL of its responses (`http://` or `https://`).
    #[schemars(example = "https://api.openai.com/v1")]
    pub endpoint: Text,
    /// The name of the model, also in reports.
    #[schemars(example = "gpt-6-luna")]
    pub model: Text,
    /// The instructions of every request (default: none).
    pub instructions: Option<Text>,
    /// Further keys of every request, such as `temperature` (default: none). `tools` in it are added to the `client_tools`.
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[schemars(example = serde_json::json!({"reasoning": {"effort": "low"}}))]
    pub params: Option<Node>,
    /// The form in which each request has the conversation (default `full`).
    #[schemars(example = &"previous_response_id")]
    pub history: Option<HistoryForm>,
    /// Who executes the functions: with `run` (default) the mocks of the `client_tools` answer the calls; with `observed` the server
    /// executes them itself, and its calls are only checked.
    #[schemars(example = &"observed")]
    pub tools: Option<ToolExecution>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.OPENAI_API_KEY}"}))]
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

/// The form in which a request has the conversation before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum HistoryForm {
    /// Every request has the whole conversation, and the server stores nothing.
    #[default]
    Full,
    /// The server stores the conversation, and a request names the response before.
    PreviousResponseId,
}
