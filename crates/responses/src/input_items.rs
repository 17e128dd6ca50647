//! The items of a request: what the user says, results of tools, answers to approvals, and what the model said before.

use serde_json::{Map, Value, json};

use super::item_kind::{OutputItemKind, base_type};
use ananke_base::message::{
    ContentPart, FileContent, HistoryMessage, InterruptAnswer, ToolAnswer, UserContent,
};

/// The keys of an output item that no input item has: clients add them when they parse an item.
const PARSED: [&str; 2] = ["parsed_arguments", "parsed"];

pub(super) fn user_message(content: &UserContent) -> Value {
    json!({ "role": "user", "content": input_content(content) })
}

/// The content of a message: a text, or parts.
fn input_content(content: &UserContent) -> Value {
    let parts = match content {
        UserContent::Text(text) => return Value::from(&**text),
        UserContent::Parts(parts) => parts,
    };
    let mut items = Vec::new();
    for part in parts.iter() {
        items.push(match part {
            ContentPart::Text(text) => json!({ "type": "input_text", "text": text }),
            // Every file is an image here: a test with another file does not load.
            ContentPart::File(file) => {
                json!({ "type": "input_image", "image_url": url_of(&file.content, file.media_type.as_deref()), "detail": "auto" })
            }
        });
    }
    items.into()
}

/// The URL of a file, which contains the file itself if it has no address.
fn url_of(content: &FileContent, media_type: Option<&str>) -> String {
    match content {
        FileContent::Url(url) => url.clone(),
        // The loader requires a media type for each file with data, so that the default is for safety alone.
        FileContent::Data { base64, .. } => {
            format!("data:{};base64,{base64}", media_type.unwrap_or("image/png"))
        }
    }
}

/// The items of a message of the history of a test: its text, then its calls. A result is one item.
pub(super) fn of_history(message: &HistoryMessage) -> Vec<Value> {
    let mut items = Vec::new();
    if let Some(id) = &message.answers {
        let text = match &message.content {
            Some(content) => content.text().into_owned(),
            None => String::new(),
        };
        items.push(json!({ "type": "function_call_output", "call_id": id, "output": text }));
        return items;
    }
    if let Some(content) = &message.content {
        items.push(json!({ "role": message.role.as_str(), "content": input_content(content) }));
    }
    for call in &message.calls {
        items.push(json!({
            "type": "function_call", "call_id": call.id, "name": call.name, "arguments": or_object(&call.arguments),
        }));
    }
    items
}

/// The arguments of a call. A server that parses empty arguments as JSON needs an object.
pub(super) fn or_object(arguments: &str) -> &str {
    if arguments.is_empty() {
        "{}"
    } else {
        arguments
    }
}

/// The item with the result of a call. `call_type` is the `type` of the item of the call, whose results have a type of their own.
pub(super) fn call_output(call_type: &str, call_id: &str, answer: &ToolAnswer) -> Value {
    let output_type = format!("{}_output", base_type(call_type));
    let mut item = json!({ "type": output_type, "call_id": call_id });
    match base_type(call_type) {
        // A screenshot is an object, which the mock of such a tool returns. A text is the address of one.
        "computer_call" => {
            item["output"] = match &answer.content {
                content @ Value::Object(_) => content.clone(),
                content => {
                    json!({ "type": "computer_screenshot", "image_url": content.as_str().unwrap_or_default() })
                }
            };
        }
        "apply_patch_call" => {
            let status = if answer.is_error {
                "failed"
            } else {
                "completed"
            };
            item["status"] = status.into();
            item["output"] = answer.text().into();
        }
        // A shell has a list of outputs, and a text is the whole output of its only command.
        "shell_call" => {
            item["output"] = if answer.content.is_array() {
                answer.content.clone()
            } else {
                let outcome = json!({ "type": "exit", "exit_code": i32::from(answer.is_error) });
                json!([{ "stdout": answer.text(), "stderr": "", "outcome": outcome }])
            };
        }
        // The API has no mark for an error: it is a text like any other result.
        _ => item["output"] = answer.text().into(),
    }
    item
}

/// The item that answers a request for an approval. An answer approves it unless it is cancelled or says the reverse.
pub(super) fn approval(answer: &InterruptAnswer) -> Value {
    let payload = answer.payload.as_ref();
    let said = match payload {
        Some(Value::Bool(approves)) => Some(*approves),
        Some(Value::Object(keys)) => {
            let mut names = ["approve", "approved"].iter();
            names.find_map(|name| keys.get(*name)?.as_bool())
        }
        _ => None,
    };
    let approves = answer.is_resolved && said.unwrap_or(true);
    let mut item = json!({ "type": "mcp_approval_response", "approval_request_id": answer.id, "approve": approves });
    if let Some(Value::Object(keys)) = payload
        && let Some(Value::String(reason)) = keys.get("reason")
    {
        item["reason"] = reason.as_str().into();
    }
    item
}

/// An output item as the next request has it; `None` if a request cannot have it.
pub(super) fn sent_back(item: &Value) -> Option<Value> {
    let keys = item.as_object()?;
    // A server that stores nothing finds reasoning only in its encrypted form, and refuses the id alone.
    if OutputItemKind::of(item) == OutputItemKind::Reasoning
        && !keys.contains_key("encrypted_content")
    {
        return None;
    }
    let mut sent = without_parsed(keys);
    if let Some(Value::Array(parts)) = sent.get_mut("content") {
        for part in parts {
            if let Value::Object(keys) = part {
                *keys = without_parsed(keys);
                // These repeat the text, and are no key of an input.
                keys.remove("logprobs");
            }
        }
    }
    Some(Value::Object(sent))
}

/// The same keys but for those without a value and those that a client added.
fn without_parsed(keys: &Map<String, Value>) -> Map<String, Value> {
    let mut sent = Map::new();
    for (key, value) in keys {
        if !value.is_null() && !PARSED.contains(&key.as_str()) {
            sent.insert(key.clone(), value.clone());
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_goes_back_only_if_it_is_encrypted() {
        let bare = json!({ "type": "reasoning", "id": "rs_1", "summary": [] });
        assert_eq!(sent_back(&bare), None);
        let encrypted = json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA", "status": null });
        let expected =
            json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA" });
        assert_eq!(sent_back(&encrypted), Some(expected));
    }

    #[test]
    fn an_item_goes_back_without_what_a_client_added() {
        let part =
            json!({ "type": "output_text", "text": "Hi", "annotations": [], "logprobs": [] });
        let item = json!({ "type": "message", "id": "m", "role": "assistant", "phase": "final_answer", "content": [part] });
        let part = json!({ "type": "output_text", "text": "Hi", "annotations": [] });
        let expected = json!({ "type": "message", "id": "m", "role": "assistant", "phase": "final_answer", "content": [part] });
        assert_eq!(sent_back(&item), Some(expected));
        let call = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "parsed_arguments": null });
        let expected =
            json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" });
        assert_eq!(sent_back(&call), Some(expected));
    }

    #[test]
    fn an_approval_is_refused_only_by_an_answer_that_says_so() {
        for (is_resolved, payload, approves) in [
            (true, None, true),
            (true, Some(json!(true)), true),
            (true, Some(json!("go on")), true),
            (true, Some(json!(false)), false),
            (true, Some(json!({ "approved": false })), false),
            (true, Some(json!({ "approve": true })), true),
            (false, None, false),
            (false, Some(json!(true)), false),
        ] {
            let answer = InterruptAnswer {
                id: "mcpr_1".to_owned(),
                is_resolved,
                payload: payload.clone(),
            };
            assert_eq!(approval(&answer)["approve"], approves, "{payload:?}");
        }
        let answer = InterruptAnswer {
            id: "mcpr_1".to_owned(),
            is_resolved: true,
            payload: Some(json!({ "approve": false, "reason": "too dear" })),
        };
        assert_eq!(approval(&answer)["reason"], "too dear");
    }

    #[test]
    fn the_result_of_a_call_has_the_type_of_its_call() {
        let answer = ToolAnswer {
            call: "c".to_owned(),
            content: json!({ "ok": true }),
            is_error: false,
        };
        for (call_type, expected) in [
            (
                "function_call",
                json!({ "type": "function_call_output", "call_id": "c", "output": "{\"ok\":true}" }),
            ),
            (
                "custom_tool_call",
                json!({ "type": "custom_tool_call_output", "call_id": "c", "output": "{\"ok\":true}" }),
            ),
            (
                "computer_call",
                json!({ "type": "computer_call_output", "call_id": "c", "output": { "ok": true } }),
            ),
            (
                "apply_patch_call",
                json!({ "type": "apply_patch_call_output", "call_id": "c", "status": "completed", "output": "{\"ok\":true}" }),
            ),
        ] {
            assert_eq!(call_output(call_type, "c", &answer), expected);
        }
    }
}
