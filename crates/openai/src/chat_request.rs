//! The body of a chat-completions request.

use serde::Serialize;
use serde_json::{Map, Value};

use super::chat_message::ChatMessage;
use ananke_base::message::ToolDeclaration;

/// The keys that every request has of its own.
pub(super) const RESERVED: [&str; 6] = [
    "model",
    "messages",
    "stream",
    "tools",
    "functions",
    "function_call",
];

/// Asks for the tokens of the response; servers that do not know it ignore it. `params` may set it to another value, or to
/// null to omit it.
const STREAM_OPTIONS: &str = "stream_options";

/// A request: the whole conversation, and the tools.
#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: &'a [ChatMessage],
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(flatten)]
    params: Map<String, Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> ChatRequest<'a> {
    /// A request for a stream of chunks. `params` are the parameters of the target, and `props` the data of the caller: of two
    /// values for one key, that of the caller is sent.
    pub(super) fn new(
        model: &'a str,
        messages: &'a [ChatMessage],
        tools: &'a [ToolDeclaration],
        params: &Map<String, Value>,
        props: Map<String, Value>,
    ) -> Self {
        // Usage comes first, because the keys that follow may replace it: servers report tokens in a stream only if asked.
        let mut keys = Map::new();
        let usage = serde_json::json!({ "include_usage": true });
        keys.insert(STREAM_OPTIONS.to_owned(), usage);
        keys.extend(params.clone());
        // The caller's data must not replace the conversation. `params` need no such check, since a target with a reserved
        // key does not load.
        for (key, value) in props {
            if !RESERVED.contains(&key.as_str()) {
                keys.insert(key, value);
            }
        }
        // A null in a test removes a key, also one that the lines above added.
        keys.retain(|_, value| !value.is_null());

        let tools = tools.iter().map(|tool| Tool {
            kind: "function",
            function: ToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
            },
        });
        Self {
            model,
            messages,
            stream: true,
            tools: tools.collect(),
            params: keys,
        }
    }
}
