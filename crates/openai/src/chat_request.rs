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
/// null to leave it out.
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
    pub(super) fn new(
        model: &'a str,
        messages: &'a [ChatMessage],
        tools: &'a [ToolDeclaration],
        params: &Map<String, Value>,
        props: Map<String, Value>,
    ) -> Self {
        let mut all = Map::new();
        let usage = serde_json::json!({ "include_usage": true });
        all.insert(STREAM_OPTIONS.to_owned(), usage);
        all.extend(params.clone());
        // The caller's data must not replace the conversation.
        for (key, value) in props {
            if !RESERVED.contains(&key.as_str()) {
                all.insert(key, value);
            }
        }
        all.retain(|_, value| !value.is_null());
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
            params: all,
        }
    }
}
