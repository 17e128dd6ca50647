//! The keys of an agent behind an HTTP API of its own, apart from how its responses are read.

use schemars::JsonSchema;
use serde::Deserialize;

use super::response_config::ResponseConfig;
use ananke_agents::http::HttpConfig;
use ananke_base::diagnostic::Spanned;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{
    Excludes, Flag, NotBefore, Number, OneOrMany, Short, ShortForm, Since, Text, Toggle,
};

/// An agent behind a request and a response of its own: JSON, server-sent events, JSON lines, text or prefixed lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = NotBefore("1.4"))]
pub struct HttpAgentConfig {
    /// The URL that the turns of a conversation are sent to (`http://` or `https://`). Values of captures are percent-encoded.
    #[schemars(example = "http://localhost:8000/chat")]
    pub endpoint: Text,
    /// The request itself, and the captures of its response.
    #[serde(rename = "$ananke::flattened method headers query body form capture")]
    #[schemars(flatten)]
    pub request: HttpRequestKeys,
    /// One message of `${MESSAGES}` and `${HISTORY}` (default `{ role: "${ROLE}", content: "${TEXT}" }`).
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"from": "${ROLE}", "text": "${TEXT}"}))]
    pub message: Option<Node>,
    /// The words that `${ROLE}` becomes (default `user` and `assistant`).
    #[schemars(example = serde_json::json!({"user": "human", "assistant": "ai"}))]
    pub roles: Option<RoleNames>,
    /// Requests before the first turn of a conversation, such as one that makes a session.
    #[schemars(example = serde_json::json!([{"endpoint": "/threads", "body": {}}]))]
    pub start: Option<OneOrMany<StartRequest>>,
    /// Requests after the main one of each turn. The response to the last one is what `response` reads.
    #[schemars(example = serde_json::json!([{"endpoint": "/runs/${RUN}", "until": "[?status=completed]"}]))]
    pub then: Option<OneOrMany<ThenRequest>>,
    /// The request of a `resume` turn. Its keys replace those of the target.
    #[schemars(example = serde_json::json!({"body": {"answer": "${RESUME}"}}))]
    pub resume: Option<Spanned<ResumeRequest>>,
    /// How a response is read.
    #[schemars(example = serde_json::json!({"text": "reply"}))]
    pub response: Spanned<ResponseConfig>,
    /// How often a request is sent again that was rejected with HTTP 429, or `false` for never (default 3). The waiting
    /// does not count as time of the agent.
    #[schemars(extend("x-since" = "1.4"))]
    pub retry_429: Option<Toggle<Number>>,
    /// The keys of every target over HTTP.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub http: HttpConfig,
}

/// The keys of a request, apart from where it is sent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("body", "form")]))]
pub struct HttpRequestKeys {
    /// The method (default `POST` for the turns, and for another request with a `body` or `form`; else `GET`).
    #[schemars(example = &"POST")]
    pub method: Option<RequestMethod>,
    /// HTTP headers of every request; those of a further request are added. Values of variables here are secrets and are masked in all
    /// output.
    #[schemars(example = serde_json::json!({"authorization": "Bearer ${ENV.AGENT_TOKEN}"}))]
    pub headers: Option<FreeMap<Text>>,
    /// Parameters that are added to the query of the URL.
    #[schemars(example = serde_json::json!({"version": "2"}))]
    pub query: Option<FreeMap<Text>>,
    /// The body of the request: sent as JSON, or as `text/plain` if it is a text. `${INPUT}` is what the user says, `${MESSAGES}` the
    /// conversation with it, `${HISTORY}` the conversation before it, `${TURN}` the number of the turn.
    #[schemars(with = "Option<serde_json::Value>", example = serde_json::json!({"message": "${INPUT}", "session_id": "${THREAD_ID}"}))]
    pub body: Option<Node>,
    /// The fields of the request, if it is an HTML form (urlencoded).
    #[schemars(example = serde_json::json!({"message": "${INPUT}"}))]
    pub form: Option<FreeMap<Text>>,
    /// Values of the response that later requests send: a path, or the name of a header or of a cookie.
    #[schemars(example = serde_json::json!({"CONVERSATION": "conversation_id"}))]
    pub capture: Option<FreeMap<Short<CapturePlace>>>,
}

/// The methods of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
pub enum RequestMethod {
    /// Reads something; has no body.
    Get,
    /// Sends something.
    Post,
}

/// The words that an API has for the authors of messages.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct RoleNames {
    /// The user (default `user`).
    #[schemars(example = &"human")]
    pub user: Option<Text>,
    /// The agent (default `assistant`).
    #[schemars(example = &"ai")]
    pub assistant: Option<Text>,
}

/// A request before the first turn.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct StartRequest {
    /// Where it is sent: a URL, or a path on the host of the target's endpoint.
    #[schemars(example = "/threads")]
    pub endpoint: Text,
    /// The request itself, and the captures of its response.
    #[serde(rename = "$ananke::flattened method headers query body form capture")]
    #[schemars(flatten)]
    pub request: HttpRequestKeys,
}

/// A request after the main one of a turn.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ThenRequest {
    /// Where it is sent: a URL, or a path on the host of the target's endpoint.
    #[schemars(example = "/runs/${RUN}")]
    pub endpoint: Text,
    /// The request itself, and the captures of its response.
    #[serde(rename = "$ananke::flattened method headers query body form capture")]
    #[schemars(flatten)]
    pub request: HttpRequestKeys,
    /// The path, or the paths, of which one must find something: until then the request is repeated.
    #[schemars(example = &"[?status=completed]")]
    pub until: Option<OneOrMany<Text>>,
    /// The time between two of these requests in milliseconds (default 500).
    #[schemars(example = 2000)]
    pub every_ms: Option<Number>,
    /// Whether `response` reads its response too, before that of the last request (default false).
    #[schemars(example = true)]
    pub read: Option<Flag>,
}

/// The request of a `resume` turn.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct ResumeRequest {
    /// Where it is sent (default: the target's endpoint).
    #[schemars(example = "/runs/${RUN}/resume")]
    pub endpoint: Option<Text>,
    /// The keys of the request, which replace those of the target. `${RESUME}` is the payload of the answer, `${RESUME_STATUS}` its
    /// status, `${RESUME_ID}` the id of the interrupt.
    #[serde(rename = "$ananke::flattened method headers query body form capture")]
    #[schemars(flatten)]
    pub request: HttpRequestKeys,
    /// The words that `${RESUME_STATUS}` becomes (default `resolved` and `cancelled`).
    #[schemars(example = serde_json::json!({"resolved": "approve", "cancelled": "reject"}))]
    pub statuses: Option<StatusNames>,
}

/// The words that an API has for how an interrupt was answered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
pub struct StatusNames {
    /// The word for an interrupt that is resolved (default `resolved`).
    #[schemars(example = &"approve")]
    pub resolved: Option<Text>,
    /// The word for an interrupt that is cancelled (default `cancelled`).
    #[schemars(example = &"reject")]
    pub cancelled: Option<Text>,
}

/// The place of a captured value in a response: exactly one of `path`, `header` and `cookie`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"), transform = Excludes(&[("path", "header"), ("path", "cookie"), ("header", "cookie")]))]
pub struct CapturePlace {
    /// A path in the body.
    #[schemars(example = &"conversation_id")]
    pub path: Option<Text>,
    /// The name of a header.
    #[schemars(example = &"x-session")]
    pub header: Option<Text>,
    /// The name of a cookie that the response sets.
    #[schemars(example = &"csrftoken")]
    pub cookie: Option<Text>,
}

impl ShortForm for CapturePlace {
    const KEY: &'static str = "path";
    const SINCE: &'static str = "1.4";
    type Value = String;
}
