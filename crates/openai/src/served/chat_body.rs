//! The body of a chat-completions request, as a server receives it.

use serde::Deserialize;
use serde_json::{Map, Value};

use ananke_agents::{
    ModelBody, PromptContent, call_arguments, hosted_tool, items_of, noted_params, offered_tool,
    output_schema, result_content,
};
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::{ModelRequest, ModelToolCall, PromptMessage};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct ChatBody {
    model: String,
    messages: Vec<BodyMessage>,
    tools: Option<Vec<Value>>,
    #[serde(default)]
    tool_choice: Value,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    /// All further keys, so that none is lost.
    #[serde(flatten)]
    keys: Map<String, Value>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct BodyMessage {
    role: String,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Value,
    #[serde(default)]
    tool_calls: Value,
    tool_call_id: Option<String>,
}

/// Reads a request. Only keys that decide which API it is of must have their form, because clients send more than the API has.
///
/// # Errors
/// The reason that the body is not such a request.
pub(super) fn read(body: &[u8]) -> Result<ModelBody, String> {
    let mut body: ChatBody = read_as(body).map_err(|error| error.to_string())?;
    let mut request = ModelRequest {
        model: body.model,
        tool_choice: body.tool_choice,
        output_schema: output_schema(&mut body.keys, "response_format"),
        params: noted_params(body.keys),
        ..ModelRequest::default()
    };
    for message in body.messages {
        request.messages.push(prompt_message(message));
    }
    for tool in &body.tools.unwrap_or_default() {
        // A tool without a function is of another kind.
        match offered_tool(&tool["function"], "parameters") {
            Some(offered) => request.tools.push(offered),
            None => request.hosted_tools.push(hosted_tool(tool)),
        }
    }
    let is_streamed = body.stream.unwrap_or_default();
    let asks_usage = match body.stream_options {
        Some(options) => options.include_usage.unwrap_or_default(),
        None => false,
    };
    Ok(ModelBody {
        request,
        is_streamed,
        // A response that is not streamed always reports the tokens that were used. A stream does so on request.
        reports_usage: asks_usage || !is_streamed,
        previous: None,
    })
}

fn prompt_message(message: BodyMessage) -> PromptMessage {
    let content = PromptContent::of(&message.content);
    match message.role.as_str() {
        "user" => PromptMessage::User {
            text: content.text,
            files: content.files,
        },
        "assistant" => assistant(&message),
        "tool" => PromptMessage::Result {
            call: message.tool_call_id.unwrap_or_default(),
            content: match message.content {
                Value::Null => "".into(),
                content => result_content(&content),
            },
            is_error: false,
        },
        _ => PromptMessage::System(content.text),
    }
}

/// An answer of the model that the client sends back.
fn assistant(message: &BodyMessage) -> PromptMessage {
    let mut text = PromptContent::of(&message.content).text;
    // A refusal counts as text, since the model reads it as such. It is a key of the message, or a part of its content.
    text.push_str(message.refusal.as_str().unwrap_or_default());
    for part in items_of(&message.content) {
        text.push_str(part["refusal"].as_str().unwrap_or_default());
    }

    let mut calls = Vec::new();
    for call in items_of(&message.tool_calls) {
        let mut keys = &call["function"];
        let mut args = call_arguments(&keys["arguments"]);
        // The input of a tool of another kind is any text, so that it is not read as JSON.
        if call["custom"].is_object() {
            keys = &call["custom"];
            args = keys["input"].clone();
        }
        calls.push(ModelToolCall {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            tool: keys["name"].as_str().unwrap_or_default().to_owned(),
            args,
        });
    }
    PromptMessage::Assistant { text, calls }
}
