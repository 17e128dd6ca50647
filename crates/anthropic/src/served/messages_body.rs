//! The body of a request for a message, as a server receives it.

use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::message_event::{text_of, type_of};
use ananke_agents::{
    ModelBody, PromptContent, call_arguments, hosted_tool, items_of, noted_params, offered_tool,
    output_schema, result_content,
};
use ananke_base::source::received_json::read_as;
use ananke_trace::trace::{ModelRequest, ModelToolCall, PromptMessage};

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct MessagesBody {
    model: String,
    /// The most tokens of the answer. The API requires the number, by which its requests differ from those of other APIs.
    max_tokens: Number,
    messages: Vec<MessagesItem>,
    #[serde(default)]
    system: Value,
    tools: Option<Vec<Value>>,
    #[serde(default)]
    tool_choice: Value,
    #[serde(default)]
    mcp_servers: Value,
    stream: Option<bool>,
    /// All further keys, so that none is lost.
    #[serde(flatten)]
    keys: Map<String, Value>,
}

#[derive(Deserialize)]
struct MessagesItem {
    role: String,
    content: Value,
}

/// The start of a block with which Claude Code numbers its requests for the bill: it differs from one run to the next.
const BILLING: &str = "x-anthropic-billing-header:";

/// The keys of a block that neither name its tool nor say with what it is called.
const NOT_ARGUMENTS: [&str; 5] = ["id", "type", "name", "tool_use_id", "cache_control"];

/// Reads a request. Only keys that decide which API it is of must have their form, because clients send more than the API has.
///
/// # Errors
/// The reason that the body is not such a request.
pub(super) fn read(body: &[u8]) -> Result<ModelBody, String> {
    let mut body: MessagesBody = read_as(body).map_err(|error| error.to_string())?;
    let mut request = ModelRequest {
        model: body.model,
        tool_choice: body.tool_choice,
        output_schema: output_schema(&mut body.keys, "output_format"),
        ..ModelRequest::default()
    };
    if !body.system.is_null() {
        let system = PromptMessage::System(system_text(&body.system));
        request.messages.push(system);
    }
    for message in &body.messages {
        match message.role.as_str() {
            "user" => add_user(&message.content, &mut request.messages),
            "assistant" => request.messages.push(assistant(&message.content)),
            "system" => {
                let system = PromptMessage::System(system_text(&message.content));
                request.messages.push(system);
            }
            other => return Err(format!("there is no role `{other}`")),
        }
    }
    for tool in &body.tools.unwrap_or_default() {
        // The client executes no tool of another type.
        match offered_tool(tool, "input_schema") {
            Some(offered) if matches!(type_of(tool), "" | "custom") => request.tools.push(offered),
            _ => request.hosted_tools.push(hosted_tool(tool)),
        }
    }
    // Servers of tools count as tools, since the provider calls them.
    for server in items_of(&body.mcp_servers) {
        request.hosted_tools.push(hosted_tool(server));
    }

    // The schema of the answer may be below a key that has parameters as well.
    if let Some(Value::Object(output)) = body.keys.get_mut("output_config") {
        if request.output_schema.is_null() {
            request.output_schema = output_schema(output, "format");
        }
        if output.is_empty() {
            body.keys.shift_remove("output_config");
        }
    }
    request.params = noted_params(body.keys);
    let most = Value::Number(body.max_tokens);
    request.params.insert("max_tokens".to_owned(), most);
    Ok(ModelBody {
        request,
        is_streamed: body.stream.unwrap_or_default(),
        reports_usage: true,
        previous: None,
    })
}

/// The text of instructions, a text or a list of blocks.
fn system_text(content: &Value) -> String {
    if !content.is_array() {
        return PromptContent::of(content).text;
    }
    let mut blocks = Vec::new();
    for block in items_of(content) {
        match text_of(block, "text") {
            Some(text) if text.starts_with(BILLING) => {}
            _ => blocks.push(block),
        }
    }
    PromptContent::of_parts(blocks).text
}

/// Adds a message of the user: results of one round, and then what the user says.
fn add_user(content: &Value, messages: &mut Vec<PromptMessage>) {
    let mut has_results = false;
    let mut others = Vec::new();
    for block in items_of(content) {
        if type_of(block) != "tool_result" {
            others.push(block);
            continue;
        }
        has_results = true;
        messages.push(PromptMessage::Result {
            call: text_of(block, "tool_use_id").unwrap_or_default().to_owned(),
            content: match &block["content"] {
                Value::Null => "".into(),
                content => result_content(content),
            },
            is_error: block["is_error"] == true,
        });
    }
    let said = if content.is_array() {
        PromptContent::of_parts(others)
    } else {
        PromptContent::of(content)
    };
    // A message without anything is one of the user as well.
    if !has_results || said != PromptContent::default() {
        messages.push(PromptMessage::User {
            text: said.text,
            files: said.files,
        });
    }
}

/// An answer of the model that the client sends back.
fn assistant(content: &Value) -> PromptMessage {
    let mut calls = Vec::new();
    for block in items_of(content) {
        match type_of(block) {
            // Clients send reasoning back or not as they like, so that it is no part of the question.
            "text" | "thinking" | "redacted_thinking" => {}
            _ => calls.push(call_of(block)),
        }
    }
    PromptMessage::Assistant {
        text: PromptContent::of(content).text,
        calls,
    }
}

/// The call in a block. A block of another type, such as a result of a tool of the provider, is known by that, and has its keys as
/// arguments.
fn call_of(block: &Value) -> ModelToolCall {
    let args = if let Some(input) = block.get("input") {
        call_arguments(input)
    } else {
        // All keys count, because each type has its own, apart from those that change from one run to the next.
        let mut keys = block.clone();
        if let Value::Object(keys) = &mut keys {
            for key in NOT_ARGUMENTS {
                keys.shift_remove(key);
            }
        }
        keys
    };
    let id = match text_of(block, "id") {
        Some(id) => id,
        None => text_of(block, "tool_use_id").unwrap_or_default(),
    };
    ModelToolCall {
        id: id.to_owned(),
        tool: text_of(block, "name").unwrap_or(type_of(block)).to_owned(),
        args,
    }
}
