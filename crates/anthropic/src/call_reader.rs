//! Reads the blocks that are calls or results.

use std::borrow::Cow;

use serde_json::Value;

use super::block_changes::BlockChanges;
use super::block_kind::{ToolSide, tool_name};
use super::block_reader::BlockReader;
use super::ending::StopReason;
use super::message_event::{id_of, type_of};
use super::tool_use::ToolUse;
use ananke_base::source::received_json::{SentText, without_marks};
use ananke_trace::trace::{Change, ResultContent, Unread};

/// The end of the type of a result that is an error.
const ERROR: &str = "_tool_result_error";

impl BlockReader<'_> {
    /// Begins the call of a block, which names its tool.
    pub(super) fn begin_call(&mut self, number: usize, changes: &mut BlockChanges<'_>) {
        let block = self.blocks.block(number);
        let id = id_of(&block.value, "id");
        let Some(tool) = tool_name(&block.value) else {
            let why = "the block of the call came, but no name";
            changes.report(Change::Unread(Unread::call(
                id.as_deref().unwrap_or_default(),
                why,
            )));
            self.has_nameless = true;
            return;
        };
        let tool = tool.into_owned();
        let key = self.call_keys.add(id.as_deref());
        changes.report(Change::CallOpened {
            id: Cow::Borrowed(&key),
            name: Cow::Borrowed(&tool),
            subagent: None,
        });
        self.calls_by_id
            .insert(id.unwrap_or_else(|| key.clone()), number);
        block.tool = tool;
        block.key = key;
    }

    /// Adds a piece of the input of a call.
    pub(super) fn add_input(
        &mut self,
        number: usize,
        text: SentText<'_>,
        changes: &mut BlockChanges<'_>,
    ) {
        let block = self.blocks.block(number);
        let (delta, has_lone_half) = block.add(text);
        if has_lone_half {
            changes.warn_of_half();
        }
        if !block.key.is_empty() && !delta.is_empty() {
            let id = Cow::Borrowed(block.key.as_str());
            changes.report(Change::CallArgs { id, delta });
        }
    }

    /// Ends a call. An input that came in no pieces is that of the beginning of the block.
    pub(super) fn finish_call(
        &mut self,
        number: usize,
        side: ToolSide,
        changes: &mut BlockChanges<'_>,
    ) {
        let block = self.blocks.block(number);
        if block.key.is_empty() {
            return;
        }
        let lone_half = block.finish();
        if lone_half.is_some() {
            changes.warn_of_half();
        }
        let mut rest = String::from_iter(lone_half);
        if block.text.is_empty() {
            block.text = input_text(&block.value);
            rest.clone_from(&block.text);
        }
        let key = block.key.clone();
        let id = id_of(&block.value, "id").unwrap_or_else(|| key.clone());
        let tool = block.tool.clone();
        let is_of_toolset = !block.value["toolset_name"].is_null();
        if !rest.is_empty() {
            let id = Cow::Borrowed(key.as_str());
            changes.report(Change::CallArgs {
                id,
                delta: rest.into(),
            });
        }
        let done = Cow::Borrowed(key.as_str());
        changes.report(Change::CallArgsDone { id: done });
        match side {
            ToolSide::Client => self.calls.push(ToolUse {
                key,
                id,
                tool,
                is_of_toolset,
            }),
            ToolSide::Server => {
                self.server_calls.insert(id, key);
            }
        }
    }

    /// Reads a result, which comes as a whole. Its call may be of an earlier response.
    pub(super) fn result(&mut self, number: usize, changes: &mut BlockChanges<'_>) {
        let value = self.blocks.block(number).value.clone();
        let id = id_of(&value, "tool_use_id").unwrap_or_default();
        let of_response = self.calls_by_id.get(&id).copied();
        if let Some(call) = of_response {
            // A server may leave out the end of a block.
            self.finish_block(call, changes);
        }
        let key = match of_response {
            Some(call) => Some(self.blocks.block(call).key.clone()),
            None => self.server_calls.get(&id).cloned(),
        };
        let Some(key) = key else {
            let why = "the call is not in the response";
            return changes.report(Change::Unread(Unread::results(&id, why)));
        };
        self.server_calls.remove(&id);
        self.answered.add(key.clone());
        self.blocks.block(number).key.clone_from(&key);
        let content = value.get("content").unwrap_or(&Value::Null);
        changes.report(Change::CallAnswered {
            id: key.into(),
            result: content_of(content),
            is_error: is_error(&value),
        });
    }

    /// Reports the calls that the server has executed without showing a result. It has executed its own once the model is done, and
    /// waits for nothing.
    pub(super) fn report_unseen(
        &mut self,
        stop: Option<&StopReason>,
        changes: &mut BlockChanges<'_>,
    ) {
        let mut unseen = Vec::new();
        for call in &self.calls {
            if self.answered.is_executed_unseen(&call.key) {
                unseen.push(call.key.clone());
            }
        }
        // Those of earlier responses are over as well.
        if stop == Some(&StopReason::Done) && !self.is_waiting() {
            unseen.extend(std::mem::take(self.server_calls).into_values());
        }
        for key in unseen {
            changes.report(Change::CallExecuted { id: key.into() });
        }
    }

    /// Whether the response waits for results of the client.
    pub(super) fn is_waiting(&self) -> bool {
        let mut calls = self.calls.iter();
        calls.any(|call| self.answered.is_sent_back(&call.key))
    }
}

/// The input of a block as text; empty if it has none.
fn input_text(block: &Value) -> String {
    match block.get("input") {
        None | Some(Value::Null) => "{}".to_owned(),
        // Some servers send the input as a text instead of as JSON.
        Some(Value::String(text)) => text.clone(),
        Some(input) => without_marks(input).to_string(),
    }
}

/// Whether a result is an error, if it says so: by a key, or by the type of its content.
fn is_error(result: &Value) -> Option<bool> {
    if type_of(&result["content"]).ends_with(ERROR) {
        return Some(true);
    }
    result["is_error"].as_bool()
}

/// The value of a result: a text as it is, the texts of a list of blocks joined, and anything else as JSON.
fn content_of(value: &Value) -> ResultContent<'static> {
    match value {
        Value::String(text) => ResultContent::Text(text.clone().into()),
        Value::Array(blocks) => match texts_of(blocks) {
            Some(text) => ResultContent::Text(text.into()),
            None => ResultContent::Json(value.clone()),
        },
        _ => ResultContent::Json(value.clone()),
    }
}

/// The texts of blocks, joined by newlines; `None` if there is no block, or one that is not a text.
fn texts_of(blocks: &[Value]) -> Option<String> {
    let mut texts = Vec::new();
    for block in blocks {
        match block["text"].as_str() {
            Some(text) if type_of(block) == "text" => texts.push(text),
            _ => return None,
        }
    }
    if texts.is_empty() {
        return None;
    }
    Some(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_says_whether_it_is_an_error() {
        let failed = json!({ "type": "web_search_tool_result_error", "error_code": "e" });
        let ran = json!({ "type": "code_execution_result", "return_code": 1 });
        for (content, written, expected) in [
            (json!([]), None, None),
            (json!("x"), Some(true), Some(true)),
            (json!("x"), Some(false), Some(false)),
            (failed, None, Some(true)),
            (ran, None, None),
        ] {
            let result = json!({ "content": content, "is_error": written });
            assert_eq!(is_error(&result), expected, "{result}");
        }
    }

    #[test]
    fn a_result_of_texts_is_a_text() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        assert_eq!(
            content_of(&json!([text("a"), text("b")])),
            ResultContent::Text("a\nb".into())
        );
        for other in [
            json!([]),
            json!([text("a"), { "type": "image" }]),
            json!({ "stdout": "a" }),
        ] {
            assert_eq!(content_of(&other), ResultContent::Json(other.clone()));
        }
    }
}
