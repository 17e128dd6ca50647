//! The body of a request for a response, as a server receives it.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::event::text_of;
use crate::item_kind::{OutputItemKind, base_type, tool_name, type_of};
use ananke_agents::{
    ModelBody, PromptContent, call_arguments, hosted_tool, noted_params, offered_tool,
    output_schema, result_content,
};
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::{ModelRequest, ModelToolCall, PromptMessage};

#[derive(Deserialize)]
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
    /// The other keys.
    #[serde(flatten)]
    keys: Map<String, Value>,
}

/// The keys of a call that neither name its tool nor say with what it is called.
const NOT_ARGUMENTS: [&str; 5] = ["id", "type", "status", "call_id", "name"];

/// Reads the body of a request.
///
/// # Errors
/// The reason that it is not such a request.
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
    add_tools(body.tools.iter().flatten(), &mut request);

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
        Value::Array(items) => {
            for item in items {
                add_item(item, request);
            }
        }
        _ => {}
    }
}

/// Adds the tools that a request declares. The client executes functions.
fn add_tools<'v>(tools: impl IntoIterator<Item = &'v Value>, request: &mut ModelRequest) {
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
    let item_type = text_of(item, "type").unwrap_or("message");
    match (item_type, OutputItemKind::of(item)) {
        ("message", _) => add_message(item, messages),
        // The model reads what it reasoned, but clients keep that or not as they like.
        (_, OutputItemKind::Reasoning) => {}
        (_, OutputItemKind::Result) => messages.push(PromptMessage::Result {
            call: text_of(item, "call_id").unwrap_or_default().to_owned(),
            content: result_content(&item["output"]),
            is_error: item["status"] == "failed",
        }),
        ("mcp_approval_response", _) => messages.push(PromptMessage::Approval {
            id: text_of(item, "approval_request_id")
                .unwrap_or_default()
                .to_owned(),
            is_approved: item["approve"] == true,
        }),
        // Some clients declare their tools in an item.
        ("additional_tools", _) => {
            let tools = item["tools"].as_array();
            add_tools(tools.into_iter().flatten(), request);
        }
        // Only the provider knows the item. A reference to reasoning is omitted like the reasoning.
        ("item_reference", _) => {
            let id = text_of(item, "id").unwrap_or_default();
            if !id.starts_with("rs_") {
                let call = ModelToolCall {
                    id: id.to_owned(),
                    tool: String::new(),
                    args: Value::Null,
                };
                add_to_answer(String::new(), Some(call), messages);
            }
        }
        _ => add_to_answer(String::new(), Some(call_of(item)), messages),
    }
}

/// Adds a message of the client, or text of the model.
fn add_message(item: &Value, messages: &mut Vec<PromptMessage>) {
    let content = PromptContent::of(&item["content"]);
    match item["role"].as_str() {
        Some("user") => messages.push(PromptMessage::User {
            text: content.text,
            files: content.files,
        }),
        Some("assistant") => {
            add_to_answer(content.text + &refusals(&item["content"]), None, messages);
        }
        _ => messages.push(PromptMessage::System(content.text)),
    }
}

/// The texts of the parts of a message that refuse.
fn refusals(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["refusal"].as_str()).collect()
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
    let id = text_of(item, "call_id").or_else(|| text_of(item, "id"));
    let base = base_type(type_of(item));
    let args = match (base, item) {
        ("function_call" | "mcp_approval_request", _) => call_arguments(&item["arguments"]),
        ("custom_tool_call", _) => item["input"].clone(),
        (_, Value::Object(keys)) => {
            let mut others = keys.clone();
            for key in NOT_ARGUMENTS {
                others.shift_remove(key);
            }
            others.into()
        }
        _ => item.clone(),
    };
    ModelToolCall {
        id: id.unwrap_or_default().to_owned(),
        tool: match tool_name(item) {
            Some(name) => name.into_owned(),
            None => base.to_owned(),
        },
        args,
    }
}
