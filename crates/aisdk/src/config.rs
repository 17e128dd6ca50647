//! The keys of a backend of `useChat`, and the settings that are known before the first request.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use ananke_agents::http::{HttpConfig, HttpOptions};
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{NotBefore, Text};

/// A backend of `useChat`, the chat of the AI SDK (versions 5, 6 and 7): each request is a POST of the chat, answered by a UI
/// message stream.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = NotBefore("1.4"))]
pub struct AiSdkConfig {
    /// The URL of the chat route (`http://` or `https://`).
    #[schemars(example = "http://127.0.0.1:3000/api/chat")]
    pub endpoint: Text,
    /// Further keys of the body of every request, such as those that the app adds with `body` or `prepareSendMessagesRequest`
    /// (default: none).
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    #[schemars(example = serde_json::json!({"selectedChatModel": "chat-model"}))]
    pub body: Option<Node>,
    /// HTTP headers of every request. Values of variables here are secrets and are masked in all output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.APP_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}

/// A backend of `useChat`.
#[derive(Clone, Debug, PartialEq)]
pub struct AiSdkSettings {
    /// The URL that requests are posted to.
    pub endpoint: Url,
    /// Further keys of every request.
    pub body: Map<String, Value>,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// The options of connections and responses.
    pub options: Arc<HttpOptions>,
}
