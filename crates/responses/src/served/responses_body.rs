//! The body of a request for a response, as a server receives it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::event::text_of;
use crate::item_kind::{OutputItemKind, base_type, tool_name, type_of};
use ananke_agents::{
    ModelBody, PromptContent, call_arguments, hosted_tool, items_of, noted_params, offered_tool,
    output_schema, result_content,
};
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::{ModelRequest, ModelToolCall, PromptMessage};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct ResponsesBody {
    model: String,
    input: Option<Value>,
    #[serde(default)]
    instructions: Value,
    tools: Option<Vec<Value>>,
    #[serde(default)]
    tool_choice: Value,
    stream: Option<bool>,
    previous_response_id: Option<String>,
    /// All further keys, so that none is lost.
    #[serde(flatten)]
    keys: Map<String, Value>,
}

/// The keys of a call that neither name its tool nor say with what it is called.
const NOT_ARGUMENTS: [&str; 5] = ["id", "type", "status", "call_id", "name"];

/// Reads a request. Only keys that decide which API it is of must have their form, because clients send more than the API has.
///
/// # Errors
/// The reason that the body is not such a request.
pub(super) fn read(body: &[u8]) -> Result<ModelBody, String> {
    let mut body: ResponsesBody = read_as(body).map_err(|error| error.to_string())?;
    let mut request = ModelRequest {
        model: body.model,
        tool_choice: body.tool_choice,
        ..ModelRequest::default()
    };
    add_instructions(&body.instructions, &mut request);
    match &body.input {
        Some(Value::String(text)) => request.messages.push(PromptMessage::User {
            text: text.clone(),
            files: Vec::new(),
        }),
        Some(Value::Array(items)) => {
            for item in items {
                add_item(item, &mut request);
            }
        }
        Some(_) => return Err("`input` is neither a text nor a list".to_owned()),
        None => {}
    }
    add_tools(&body.tools.unwrap_or_default(), &mut request);

    // The schema of the answer is below a key that has parameters as well.
    if let Some(Value::Object(text)) = body.keys.get_mut("text") {
        request.output_schema = output_schema(text, "format");
        if text.is_empty() {
            body.keys.shift_remove("text");
        }
    }
    request.params = noted_params(body.keys);
    Ok(ModelBody {
        request,
        is_streamed: body.stream.unwrap_or_default(),
        reports_usage: true,
        previous: body.previous_response_id,
    })
}

/// Adds what is said before the input: a text, or a list of items.
fn add_instructions(instructions: &Value, request: &mut ModelRequest) {
    match instructions {
        Value::String(text) => request.messages.push(PromptMessage::System(text.clone())),
        items => {
            for item in items_of(items) {
                add_item(item, request);
            }
        }
    }
}

/// Adds the tools that a request declares. The client executes functions.
fn add_tools(tools: &[Value], request: &mut ModelRequest) {
    for tool in tools {
        match offered_tool(tool, "parameters") {
            Some(offered) if tool["type"] == "function" => request.tools.push(offered),
            _ => request.hosted_tools.push(hosted_tool(tool)),
        }
    }
}

/// Adds an item of the input.
fn add_item(item: &Value, request: &mut ModelRequest) {
    let messages = &mut request.messages;
    match text_of(item, "type").unwrap_or("message") {
        "message" => add_message(item, messages),
        "mcp_approval_response" => messages.push(PromptMessage::Approval {
            id: word(item, "approval_request_id"),
            is_approved: item["approve"] == true,
        }),
        // Some clients declare their tools in an item, so that they can add to them.
        "additional_tools" => add_tools(items_of(&item["tools"]), request),
        "item_reference" => {
            let call = ModelToolCall {
                id: word(item, "id"),
                tool: String::new(),
                args: Value::Null,
            };
            // A reference to reasoning is omitted, because reasoning is.
            if !call.id.starts_with("rs_") {
                add_to_answer(String::new(), Some(call), messages);
            }
        }
        _ => match OutputItemKind::of(item) {
            // Clients send reasoning back or not as they like, so that it is no part of the question.
            OutputItemKind::Reasoning => {}
            OutputItemKind::Result => messages.push(PromptMessage::Result {
                call: word(item, "call_id"),
                content: result_content(&item["output"]),
                is_error: item["status"] == "failed",
            }),
            _ => add_to_answer(String::new(), Some(call_of(item)), messages),
        },
    }
}

/// The text under a key; empty if there is none.
fn word(item: &Value, key: &str) -> String {
    text_of(item, key).unwrap_or_default().to_owned()
}

/// Adds a message of the client, or text of the model.
fn add_message(item: &Value, messages: &mut Vec<PromptMessage>) {
    let mut content = PromptContent::of(&item["content"]);
    match item["role"].as_str() {
        Some("user") => messages.push(PromptMessage::User {
            text: content.text,
            files: content.files,
        }),
        Some("assistant") => {
            // A refusal counts as text, since the model reads it as such.
            for part in items_of(&item["content"]) {
                content
                    .text
                    .push_str(part["refusal"].as_str().unwrap_or_default());
            }
            add_to_answer(content.text, None, messages);
        }
        _ => messages.push(PromptMessage::System(content.text)),
    }
}

/// Adds to the answer of the model, whose items follow each other.
fn add_to_answer(more: String, call: Option<ModelToolCall>, messages: &mut Vec<PromptMessage>) {
    if let Some(PromptMessage::Assistant { text, calls }) = messages.last_mut() {
        if !text.is_empty() && !more.is_empty() {
            text.push('\n');
        }
        text.push_str(&more);
        calls.extend(call);
        return;
    }
    messages.push(PromptMessage::Assistant {
        text: more,
        calls: Vec::from_iter(call),
    });
}

/// The call in an item. An item of another type is known by that, and has its keys as arguments: if the server executed it, they
/// contain the result.
fn call_of(item: &Value) -> ModelToolCall {
    let base = base_type(type_of(item));
    let args = match base {
        "function_call" | "mcp_approval_request" => call_arguments(&item["arguments"]),
        "custom_tool_call" => item["input"].clone(),
        // All keys count, because each tool of the API has its own, apart from those that change from one run to the next.
        _ => {
            let mut keys = item.clone();
            if let Value::Object(keys) = &mut keys {
                for key in NOT_ARGUMENTS {
                    keys.shift_remove(key);
                }
            }
            keys
        }
    };
    let mut id = word(item, "call_id");
    if id.is_empty() {
        id = word(item, "id");
    }
    ModelToolCall {
        id,
        tool: match tool_name(item) {
            Some(name) => name.into_owned(),
            None => base.to_owned(),
        },
        args,
    }
}
