//! A request in the form in which it is compared with a recorded one.

use std::borrow::Cow;
use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use crate::provider_keys::without_keys;
use ananke_trace::trace::{ModelRequest, PromptMessage, json_key};

/// The word that replaces what is not compared.
const IGNORED: &str = "(ignored)";

/// A change of a text; a text that it borrows stays as it is.
pub(crate) type TextChange<'c> = dyn FnMut(&str) -> Cow<'_, str> + 'c;

/// A request without what does not count: ids are numbers in their order, tools are in the order of their names, and keys, ignored
/// texts and parameters of sampling are not in it.
#[derive(Clone, Debug)]
pub(crate) struct ComparedRequest {
    pub(crate) request: ModelRequest,
    /// A text that two requests have in common exactly if they ask the same.
    pub(crate) key: String,
}

impl ComparedRequest {
    /// The form of `request` in which texts that a pattern of `ignore` matches do not count.
    pub(crate) fn of(request: &ModelRequest, ignore: &[Regex]) -> Self {
        let mut request = request.clone();
        request.params = Map::new();
        number_ids(&mut request);
        change_texts(&mut request, &mut |text| without_ignored(text, ignore));
        request
            .tools
            .sort_by(|one, other| one.name.cmp(&other.name));
        request.hosted_tools.sort_by_key(json_key);
        // Requests are texts, numbers and JSON: nothing that cannot be written.
        let written = serde_json::to_value(&request).unwrap_or_default();
        Self {
            key: json_key(&written),
            request,
        }
    }

    /// The place in the conversation: the number of calls and of results so far.
    pub(crate) fn place(&self) -> (usize, usize) {
        let mut calls_so_far = 0;
        let mut results = 0;
        for message in &self.request.messages {
            match message {
                PromptMessage::Assistant { calls, .. } => calls_so_far += calls.len(),
                PromptMessage::Result { .. } => results += 1,
                _ => {}
            }
        }
        (calls_so_far, results)
    }

    /// The tool of the call with this number; empty if there is none.
    pub(crate) fn tool_of(&self, id: &str) -> &str {
        for message in &self.request.messages {
            if let PromptMessage::Assistant { calls, .. } = message {
                for call in calls {
                    if call.id == id {
                        return &call.tool;
                    }
                }
            }
        }
        ""
    }
}

/// Replaces every id by the number of its first place, so that calls and results stay tied.
fn number_ids(request: &mut ModelRequest) {
    let mut numbers = HashMap::new();
    for message in &mut request.messages {
        match message {
            PromptMessage::Assistant { calls, .. } => {
                for call in calls {
                    number(&mut call.id, &mut numbers);
                }
            }
            PromptMessage::Result { call, .. } => number(call, &mut numbers),
            PromptMessage::Approval { id, .. } => number(id, &mut numbers),
            PromptMessage::System(_) | PromptMessage::User { .. } => {}
        }
    }
}

fn number(id: &mut String, numbers: &mut HashMap<String, usize>) {
    let next = numbers.len() + 1;
    let number = *numbers.entry(std::mem::take(id)).or_insert(next);
    *id = number.to_string();
}

/// Changes every text of a request that is not made by its API: messages, arguments, results and descriptions of tools.
pub(crate) fn change_texts(request: &mut ModelRequest, with: &mut TextChange<'_>) {
    for message in &mut request.messages {
        match message {
            PromptMessage::System(text) | PromptMessage::User { text, .. } => {
                change_text(text, with);
            }
            PromptMessage::Assistant { text, calls } => {
                change_text(text, with);
                for call in calls {
                    change_value(&mut call.args, with);
                }
            }
            PromptMessage::Result { content, .. } => change_value(content, with),
            // An answer of the user has no text, since its id alone names what is approved.
            PromptMessage::Approval { .. } => {}
        }
    }
    for tool in &mut request.tools {
        change_text(&mut tool.description, with);
        change_value(&mut tool.parameters, with);
    }
    for tool in &mut request.hosted_tools {
        change_value(tool, with);
    }
}

/// Changes a text. One that is borrowed stays as it is.
pub(crate) fn change_text(text: &mut String, with: &mut TextChange<'_>) {
    if let Cow::Owned(changed) = with(text) {
        *text = changed;
    }
}

/// Changes the texts in a value, but not its keys.
pub(crate) fn change_value(value: &mut Value, with: &mut TextChange<'_>) {
    match value {
        Value::String(text) => change_text(text, with),
        Value::Array(items) => {
            for item in items {
                change_value(item, with);
            }
        }
        Value::Object(entries) => {
            for (_, entry) in entries {
                change_value(entry, with);
            }
        }
        _ => {}
    }
}

/// The text without keys, and with one word for all that a pattern of `ignore` matches.
fn without_ignored<'t>(text: &'t str, ignore: &[Regex]) -> Cow<'t, str> {
    // Secrets are masked before they are compared, because a recording has none.
    let (mut cleaned, _) = without_keys(text);
    for pattern in ignore {
        if let Cow::Owned(without) = pattern.replace_all(&cleaned, IGNORED) {
            cleaned = Cow::Owned(without);
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use ananke_trace::trace::{ModelToolCall, OfferedTool};
    use serde_json::json;

    use super::*;

    fn request(id: &str, result: &str, tools: [&str; 2]) -> ModelRequest {
        ModelRequest {
            model: "m".to_owned(),
            messages: vec![
                PromptMessage::System("Today is Monday 7".to_owned()),
                PromptMessage::Assistant {
                    text: String::new(),
                    calls: vec![ModelToolCall {
                        id: id.to_owned(),
                        tool: "pay".to_owned(),
                        args: json!({ "amount": 5 }),
                    }],
                },
                PromptMessage::Result {
                    call: id.to_owned(),
                    content: result.into(),
                    is_error: false,
                },
            ],
            tools: tools
                .map(|name| OfferedTool {
                    name: name.to_owned(),
                    ..OfferedTool::default()
                })
                .into(),
            ..ModelRequest::default()
        }
    }

    #[test]
    fn ids_order_of_tools_and_keys_do_not_count() {
        let one = ComparedRequest::of(&request("call_a", "ok", ["a", "b"]), &[]);
        let other = ComparedRequest::of(&request("toolu_9", "ok", ["b", "a"]), &[]);
        assert_eq!(one.key, other.key);
        assert_eq!(one.place(), (1, 1));
        assert_eq!(one.tool_of("1"), "pay");
        let key = "sk-abcdefgh12345678";
        let masked = ComparedRequest::of(&request("a", "***", ["a", "b"]), &[]);
        let with_key = ComparedRequest::of(&request("a", key, ["a", "b"]), &[]);
        assert_eq!(masked.key, with_key.key);
    }

    #[test]
    fn results_and_names_count_and_ignored_texts_do_not() {
        let one = request("a", "ok", ["a", "b"]);
        for other in [
            request("a", "no", ["a", "b"]),
            request("a", "ok", ["a", "c"]),
        ] {
            assert_ne!(
                ComparedRequest::of(&one, &[]).key,
                ComparedRequest::of(&other, &[]).key
            );
        }
        let mut later = one.clone();
        later.messages[0] = PromptMessage::System("Today is Friday 8".to_owned());
        let ignore = [Regex::new(r"Today is \w+ \d").unwrap()];
        assert_eq!(
            ComparedRequest::of(&one, &ignore).key,
            ComparedRequest::of(&later, &ignore).key
        );
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let mut one = request("a", "ok", ["a", "b"]);
        let mut other = one.clone();
        for (request, number) in [(&mut one, "5"), (&mut other, "5.0")] {
            let number = serde_json::from_str(number).unwrap();
            request.messages[2] = PromptMessage::Result {
                call: "a".to_owned(),
                content: number,
                is_error: false,
            };
        }
        assert_eq!(
            ComparedRequest::of(&one, &[]).key,
            ComparedRequest::of(&other, &[]).key
        );
    }
}
