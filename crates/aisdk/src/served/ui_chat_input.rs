//! A request of a chat as a server receives it.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::chunk_encoder::{ChunkEncoder, DONE, HEADER};
use ananke_agents::{
    Action, ServedFrame, ServedRequest, ServedResponse, TimedChange, described_action,
};
use ananke_base::message::{InterruptAnswer, ToolAnswer, ToolDeclaration, UserContent};
use ananke_base::source::received_json::read_as;

/// The body of a request.
#[derive(Deserialize)]
struct UiChatBody {
    id: String,
    messages: Vec<UiMessageBody>,
}

#[derive(Deserialize)]
struct UiMessageBody {
    #[serde(default)]
    id: String,
    role: String,
    parts: Vec<Value>,
}

/// A request of a chat.
pub(super) struct UiChatInput {
    chat: String,
    /// The id of the message that the response is of.
    ids: [(&'static str, String); 1],
    begins: bool,
    actions: [Action; 1],
    /// The tools that the client has answered: a request declares none.
    tools: Vec<ToolDeclaration>,
}

impl UiChatInput {
    /// # Errors
    /// The reason that the body is not a request of a chat.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let body: UiChatBody = read_as(body).map_err(|error| error.to_string())?;
        let Some(last) = body.messages.last() else {
            return Err("there are no messages".to_owned());
        };
        let message = if last.role == "assistant" {
            last.id.clone()
        } else {
            // The client adopts this id, and no other message of the chat has it.
            format!("{}:{}", body.id, body.messages.len())
        };
        let action = action(&body.messages)?;
        let begins = body
            .messages
            .iter()
            .all(|message| message.role != "assistant")
            && body
                .messages
                .iter()
                .filter(|message| message.role == "user")
                .count()
                == 1;
        Ok(Self {
            chat: body.id,
            ids: [("messageId", message)],
            begins,
            actions: [action],
            tools: answered_tools(&body.messages),
        })
    }

    fn message_id(&self) -> &str {
        &self.ids[0].1
    }

    fn stream(frames: Vec<ServedFrame>) -> ServedResponse {
        let mut response = ServedResponse::events(frames);
        let (name, value) = HEADER;
        response.headers.push((name.to_owned(), value.to_owned()));
        response
    }
}

/// The parts of the last step. What the client answered is in there, since it answers all calls of a step together.
fn last_step(message: &UiMessageBody) -> &[Value] {
    let mut steps = message.parts.rsplit(|part| part["type"] == "step-start");
    steps.next().unwrap_or_default()
}

/// The tools of the calls that have an outcome in the last message. The backend may have executed some of them, which a request does
/// not say.
fn answered_tools(messages: &[UiMessageBody]) -> Vec<ToolDeclaration> {
    let mut tools = Vec::new();
    let Some(last) = messages.last() else {
        return tools;
    };
    for part in last_step(last) {
        let in_type = part["type"]
            .as_str()
            .and_then(|of_type| of_type.strip_prefix("tool-"));
        let name = in_type.or_else(|| part["toolName"].as_str());
        if let Some(name) = name
            && answer(part).is_some()
        {
            tools.push(ToolDeclaration {
                name: name.to_owned(),
                description: String::new(),
                parameters: json!({ "type": "object" }),
            });
        }
    }
    tools
}

/// The action that the request newly asks for.
///
/// # Errors
/// If no message is from the user.
fn action(messages: &[UiMessageBody]) -> Result<Action, String> {
    if let Some(last) = messages.last()
        && last.role == "assistant"
    {
        let step = last_step(last);
        let approvals: Vec<_> = step.iter().filter_map(approval).collect();
        if !approvals.is_empty() {
            return Ok(Action::Resume(approvals));
        }
        let answers: Vec<_> = step.iter().filter_map(answer).collect();
        if !answers.is_empty() {
            return Ok(Action::ToolResults(answers));
        }
    }
    match messages.iter().rfind(|message| message.role == "user") {
        Some(message) => {
            let texts = message
                .parts
                .iter()
                .filter_map(|part| part["text"].as_str());
            let text = texts.collect::<Vec<_>>().join("\n");
            Ok(Action::User {
                message_id: message.id.clone(),
                name: None,
                content: UserContent::Text(text.into()),
            })
        }
        None => Err("no message is from the user".to_owned()),
    }
}

/// The client's answer to a request for an approval, if a part has one.
fn approval(part: &Value) -> Option<InterruptAnswer> {
    if part["state"] != "approval-responded" {
        return None;
    }
    let approval = &part["approval"];
    let mut payload = json!({ "approved": approval["approved"] });
    if let Some(reason) = approval["reason"].as_str() {
        payload["reason"] = reason.into();
    }
    Some(InterruptAnswer {
        id: approval["id"].as_str().unwrap_or_default().to_owned(),
        is_resolved: true,
        payload: Some(payload),
    })
}

/// The outcome of a call that a part has, unless the provider of the model executed it.
fn answer(part: &Value) -> Option<ToolAnswer> {
    let is_error = match part["state"].as_str()? {
        "output-available" => false,
        "output-error" => true,
        _ => return None,
    };
    if part["providerExecuted"] == true {
        return None;
    }
    let key = if is_error { "errorText" } else { "output" };
    Some(ToolAnswer {
        call: part["toolCallId"].as_str().unwrap_or_default().to_owned(),
        content: part[key].clone(),
        is_error,
    })
}

impl ServedRequest for UiChatInput {
    fn thread(&self) -> Option<&str> {
        Some(&self.chat)
    }

    fn begins(&self) -> bool {
        self.begins
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn tools(&self) -> &[ToolDeclaration] {
        &self.tools
    }

    fn describe(&self) -> String {
        described_action(&self.actions[0])
    }

    fn response(&self, runs: &[Vec<TimedChange>]) -> ServedResponse {
        let mut encoder = ChunkEncoder::new(self.message_id());
        for timed in runs.iter().flatten() {
            encoder.encode(timed);
        }
        Self::stream(encoder.into_frames())
    }

    fn failure(&self, message: &str) -> ServedResponse {
        let after = Duration::ZERO;
        let bytes = self.failure_frame(message);
        Self::stream(vec![
            ServedFrame { after, bytes },
            ServedFrame::event(after, DONE),
        ])
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        let error = json!({ "type": "error", "errorText": message });
        ServedFrame::event(Duration::ZERO, error).bytes
    }

    fn adopted(&self, recorded: &dyn ServedRequest, piece: &Bytes) -> Bytes {
        let Ok(text) = std::str::from_utf8(piece) else {
            return piece.clone();
        };
        let mut adopted = text.to_owned();
        for ((key, from), (_, to)) in recorded.ids().iter().zip(&self.ids) {
            // Servers write a blank after the colon, or none.
            for colon in [":", ": "] {
                let now = format!("\"{key}\"{colon}{}", json!(to));
                adopted = adopted.replace(&format!("\"{key}\"{colon}{}", json!(from)), &now);
            }
        }
        Bytes::from(adopted)
    }

    fn ids(&self) -> &[(&'static str, String)] {
        &self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(messages: &Value) -> Result<UiChatInput, String> {
        let body = json!({ "id": "c", "messages": messages, "trigger": "submit-message" });
        UiChatInput::read(body.to_string().as_bytes())
    }

    #[test]
    fn the_last_message_says_what_is_asked() {
        let user =
            json!({ "id": "u", "role": "user", "parts": [{ "type": "text", "text": "Hi" }] });
        let first = read(&json!([user])).expect("a request");
        assert!(first.begins());
        assert_eq!(first.describe(), "\"Hi\"");
        assert_eq!(first.ids(), [("messageId", "c:1".to_owned())]);

        let part = json!({ "type": "tool-a", "toolCallId": "1", "state": "output-error", "input": {}, "errorText": "no" });
        let assistant =
            json!({ "id": "m", "role": "assistant", "parts": [{ "type": "step-start" }, part] });
        let second = read(&json!([user, assistant])).expect("a request");
        let answer = ToolAnswer {
            call: "1".to_owned(),
            content: json!("no"),
            is_error: true,
        };
        assert_eq!(second.actions(), [Action::ToolResults(vec![answer])]);
        assert_eq!(second.ids(), [("messageId", "m".to_owned())]);
        assert!(!second.begins());
        let piece = Bytes::from("data: {\"type\":\"start\",\"messageId\": \"m\"}\n\n");
        let adopted = first.adopted(&second, &piece);
        assert_eq!(
            adopted,
            "data: {\"type\":\"start\",\"messageId\": \"c:1\"}\n\n"
        );

        let chat_completion = json!([{ "role": "user", "content": "Hi" }]);
        assert!(read(&chat_completion).is_err());
    }
}
