//! The messages of a request: what the user says, results of tools, and what the model said before.
//!
//! **Invariant:** all results of one round are in one message of the user, before any text; no message and no text is empty.

use serde_json::{Value, json};

use ananke_base::message::{
    ContentPart, FileContent, HistoryMessage, Role, ToolAnswer, UserContent,
};

/// The messages of a conversation so far.
#[derive(Debug, Default)]
pub(super) struct RequestMessages {
    messages: Vec<Value>,
    /// The instructions in the history, for which the API has no messages.
    pub(super) system: Vec<String>,
}

impl RequestMessages {
    /// The messages of the history of a test.
    pub(super) fn of_history(history: &[HistoryMessage]) -> Self {
        let mut messages = Self::default();
        for message in history {
            messages.add_history(message);
        }
        messages
    }

    pub(super) fn all(&self) -> &[Value] {
        &self.messages
    }

    /// Adds a message of the user.
    pub(super) fn add_user(&mut self, content: &UserContent) {
        // Text may follow results in the same message, and the server takes two messages of a user for one.
        if let Some(results) = self.results() {
            results.extend(blocks(content));
            return;
        }
        let content = match content {
            UserContent::Text(text) => Value::from(&**text),
            UserContent::Parts(_) => blocks(content).into(),
        };
        self.messages
            .push(json!({ "role": "user", "content": content }));
    }

    /// Adds the result of a call with this id.
    pub(super) fn add_result(&mut self, id: &str, answer: &ToolAnswer) {
        let mut block =
            json!({ "type": "tool_result", "tool_use_id": id, "content": answer.text() });
        if answer.is_error {
            block["is_error"] = true.into();
        }
        match self.results() {
            Some(results) => results.push(block),
            None => self
                .messages
                .push(json!({ "role": "user", "content": [block] })),
        }
    }

    /// Adds the content of a message of the model. What a paused model said goes on in the next message.
    pub(super) fn add_assistant(&mut self, content: Vec<Value>) {
        if content.is_empty() {
            return;
        }
        if let Some(last) = self.messages.last_mut()
            && last["role"] == "assistant"
            && let Some(earlier) = last["content"].as_array_mut()
        {
            earlier.extend(content);
            return;
        }
        self.messages
            .push(json!({ "role": "assistant", "content": content }));
    }

    /// The blocks of the last message, if it has the results of a round.
    fn results(&mut self) -> Option<&mut Vec<Value>> {
        let blocks = self.messages.last_mut()?["content"].as_array_mut()?;
        let first = blocks.first()?;
        if first["type"] == "tool_result" {
            Some(blocks)
        } else {
            None
        }
    }

    fn add_history(&mut self, message: &HistoryMessage) {
        if let Some(id) = &message.answers {
            let text = text_of(message);
            let answer = ToolAnswer {
                call: id.clone(),
                content: text.into(),
                is_error: false,
            };
            self.add_result(id, &answer);
            return;
        }
        match message.role {
            Role::System | Role::Developer => self.system.push(text_of(message)),
            Role::Assistant => {
                let mut content = Vec::new();
                if let Some(said) = &message.content {
                    content.extend(blocks(said));
                }
                for call in &message.calls {
                    let input = input_of(&call.arguments);
                    content.push(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input }));
                }
                self.add_assistant(content);
            }
            Role::User | Role::Tool => {
                if let Some(content) = &message.content {
                    self.add_user(content);
                }
            }
        }
    }
}

fn text_of(message: &HistoryMessage) -> String {
    match &message.content {
        Some(content) => content.text().into_owned(),
        None => String::new(),
    }
}

/// The blocks of a content. A text that is empty is no block.
fn blocks(content: &UserContent) -> Vec<Value> {
    let parts = match content {
        UserContent::Text(text) => return text_block(text).into_iter().collect(),
        UserContent::Parts(parts) => parts,
    };
    let mut blocks = Vec::new();
    for part in parts.iter() {
        match part {
            ContentPart::Text(text) => blocks.extend(text_block(text)),
            // Every file is an image here: a test with another file does not load.
            ContentPart::File(file) => {
                let source = match &file.content {
                    FileContent::Url(url) => json!({ "type": "url", "url": url }),
                    // The loader requires a media type for each file with data, so that the default is for safety alone.
                    FileContent::Data { base64, .. } => {
                        let media_type = file.media_type.as_deref().unwrap_or("image/png");
                        json!({ "type": "base64", "media_type": media_type, "data": base64 })
                    }
                };
                blocks.push(json!({ "type": "image", "source": source }));
            }
        }
    }
    blocks
}

fn text_block(text: &str) -> Option<Value> {
    if text.is_empty() {
        return None;
    }
    Some(json!({ "type": "text", "text": text }))
}

/// The input of a call with these arguments. The API takes objects alone: any other text is wrapped in one, under the key that the
/// vendor documents for it.
pub(super) fn input_of(arguments: &str) -> Value {
    if arguments.is_empty() {
        return json!({});
    }
    match serde_json::from_str(arguments) {
        Ok(input @ Value::Object(_)) => input,
        _ => json!({ "INVALID_JSON": arguments }),
    }
}

#[cfg(test)]
mod tests {
    use ananke_base::message::HistoryCall;

    use super::*;

    fn message(role: Role, text: Option<&str>) -> HistoryMessage {
        HistoryMessage {
            role,
            id: None,
            name: None,
            content: text.map(|text| UserContent::Text(text.into())),
            calls: Vec::new(),
            answers: None,
        }
    }

    #[test]
    fn the_results_of_a_round_are_one_message_before_any_text() {
        let call = |id: &str| HistoryCall {
            id: id.to_owned(),
            name: "f".to_owned(),
            arguments: "{\"a\":1}".to_owned(),
        };
        let result = |id: &str| HistoryMessage {
            answers: Some(id.to_owned()),
            ..message(Role::Tool, Some("ok"))
        };
        let calling = HistoryMessage {
            calls: vec![call("a"), call("b")],
            ..message(Role::Assistant, Some(""))
        };
        let history = [
            message(Role::System, Some("Be kind")),
            message(Role::User, Some("hi")),
            calling,
            result("a"),
            result("b"),
        ];
        let mut messages = RequestMessages::of_history(&history);
        messages.add_user(&UserContent::Text("and?".into()));
        let used =
            |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": { "a": 1 } });
        let result =
            |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "ok" });
        let expected = json!([
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": [used("a"), used("b")] },
            { "role": "user", "content": [result("a"), result("b"), { "type": "text", "text": "and?" }] },
        ]);
        assert_eq!(Value::from(messages.all()), expected);
        assert_eq!(messages.system, ["Be kind"]);
    }

    #[test]
    fn an_error_is_marked_and_a_paused_message_goes_on() {
        let mut messages = RequestMessages::default();
        messages.add_assistant(Vec::new());
        messages.add_assistant(vec![json!(1)]);
        messages.add_assistant(vec![json!(2)]);
        let answer = ToolAnswer {
            call: "a".to_owned(),
            content: json!({ "code": 7 }),
            is_error: true,
        };
        messages.add_result("a", &answer);
        let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "{\"code\":7}", "is_error": true });
        let expected = json!([{ "role": "assistant", "content": [1, 2] }, { "role": "user", "content": [result] }]);
        assert_eq!(Value::from(messages.all()), expected);
    }

    #[test]
    fn an_input_is_an_object() {
        let spelled = serde_json::from_str("{\"a\":1.50}").unwrap();
        for (arguments, input) in [
            ("", json!({})),
            ("{\"a\":1.50}", spelled),
            ("{\"a\":", json!({ "INVALID_JSON": "{\"a\":" })),
            ("[1]", json!({ "INVALID_JSON": "[1]" })),
        ] {
            assert_eq!(input_of(arguments), input);
        }
    }
}
