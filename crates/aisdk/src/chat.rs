//! The chat as the client keeps it: its messages, the message of the assistant that goes on, and its calls.

use std::sync::Arc;

use serde_json::{Value, json};

use super::assistant_message::AssistantMessage;
use super::chat_calls::{ChatCalls, UiCallProgress};
use super::ui_part::{UiPart, UiTextPart, UiToolPart, UiToolState};
use ananke_agents::{Action, SessionOptions, TargetError};
use ananke_base::context::Ids;
use ananke_base::message::{
    ContentPart, FileContent, HistoryMessage, InterruptAnswer, Role, ToolAnswer, UserContent,
};

/// The type of a file that nothing says: the loader asks for one wherever it is needed.
const ANY_MEDIA_TYPE: &str = "application/octet-stream";

/// A chat.
pub(super) struct Chat {
    pub(super) id: String,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) calls: ChatCalls,
    /// The messages before the one that goes on.
    messages: Vec<Value>,
    /// The message of the assistant that goes on until the user says something.
    assistant: Option<AssistantMessage>,
}

impl Chat {
    /// A chat that begins with the history of the test.
    pub(super) fn new(options: &SessionOptions) -> Self {
        let mut chat = Self::empty(&options.thread_id, Arc::clone(&options.ids));
        for message in &options.history {
            chat.add_earlier(message);
        }
        chat
    }

    /// A chat with this id in which nothing was said.
    pub(super) fn empty(id: &str, ids: Arc<dyn Ids>) -> Self {
        Self {
            id: id.to_owned(),
            ids,
            calls: ChatCalls::default(),
            messages: Vec::new(),
            assistant: None,
        }
    }

    /// Takes the action of the next request. Returns the id of the message that goes on, if it is not a new one of the user.
    ///
    /// # Errors
    /// If the protocol has no such action.
    pub(super) fn take(&mut self, action: Action) -> Result<Option<String>, TargetError> {
        match action {
            Action::User {
                message_id,
                content,
                ..
            } => {
                // Parts of calls that are still open stay as they are, because the official client sends them too.
                self.end_message();
                let parts = parts_of(&content);
                self.messages
                    .push(json!({ "id": message_id, "role": "user", "parts": parts }));
                return Ok(None);
            }
            Action::ToolResults(answers) => {
                for answer in &answers {
                    self.answer(answer);
                }
            }
            Action::Resume(answers) => {
                for answer in &answers {
                    self.approve(answer);
                }
            }
            Action::Continue => {}
            Action::Connect | Action::Own { .. } => {
                return Err(TargetError::new(
                    "a chat cannot be replayed, and has no requests of its own",
                ));
            }
        }
        Ok(self.assistant.as_ref().map(|message| message.id.clone()))
    }

    /// The messages of a request.
    pub(super) fn messages(&self) -> Vec<Value> {
        let mut messages = self.messages.clone();
        messages.extend(self.assistant.as_ref().and_then(AssistantMessage::as_sent));
        messages
    }

    /// The message of the assistant that goes on, or a new one.
    pub(super) fn assistant(&mut self) -> &mut AssistantMessage {
        let ids = &self.ids;
        self.assistant
            .get_or_insert_with(|| AssistantMessage::new(ids.next("message")))
    }

    /// Gives the message of the assistant the id that the server has for it.
    pub(super) fn identify(&mut self, id: &str) {
        match &mut self.assistant {
            Some(message) => id.clone_into(&mut message.id),
            None => self.assistant = Some(AssistantMessage::new(id.to_owned())),
        }
    }

    /// The part of a call, unless it was dropped or is of an earlier turn.
    pub(super) fn part_of(&mut self, call: usize) -> Option<&mut UiToolPart> {
        let place = self.calls.call(call).place?;
        self.assistant.as_mut()?.tool(place)
    }

    /// Ends the message of the assistant, since the user says something.
    fn end_message(&mut self) {
        let message = self.assistant.take();
        self.messages
            .extend(message.as_ref().and_then(AssistantMessage::as_sent));
        self.calls.leave_message();
    }

    /// Takes the client's answer to a call. A call whose part was dropped has none in the next request.
    fn answer(&mut self, answer: &ToolAnswer) {
        let Some(number) = self.calls.of_key(&answer.call) else {
            return;
        };
        self.calls.call(number).progress = UiCallProgress::Ended;
        if let Some(part) = self.part_of(number) {
            part.answer(answer);
        }
    }

    /// Takes the answer to a request for an approval: it approves the call unless it is cancelled or says the reverse.
    fn approve(&mut self, answer: &InterruptAnswer) {
        let Some(number) = self.calls.of_approval(&answer.id) else {
            return;
        };
        self.calls.call(number).approval = None;
        let Some(part) = self.part_of(number) else {
            return;
        };
        let payload = answer.payload.as_ref();
        let said = match payload {
            Some(Value::Bool(approves)) => Some(*approves),
            Some(Value::Object(keys)) => {
                let mut names = ["approved", "approve"].iter();
                names.find_map(|name| keys.get(*name)?.as_bool())
            }
            _ => None,
        };
        part.state = UiToolState::ApprovalResponded;
        let mut approval = part.keys.get("approval").cloned().unwrap_or_default();
        approval["id"] = answer.id.as_str().into();
        approval["approved"] = (answer.is_resolved && said.unwrap_or(true)).into();
        if let Some(Value::Object(keys)) = payload
            && let Some(Value::String(reason)) = keys.get("reason")
        {
            approval["reason"] = reason.as_str().into();
        }
        part.set("approval", approval);
    }

    /// Adds a message of the history of the test. Messages of the assistant and of tools between two of the user are one message.
    fn add_earlier(&mut self, message: &HistoryMessage) {
        // An id is never empty, since backends refuse such a message.
        let id = match &message.id {
            Some(id) => id.clone(),
            None => self.ids.next("message"),
        };
        match message.role {
            Role::Tool => self.add_result(message),
            Role::Assistant => {
                if self.assistant.is_none() {
                    self.assistant = Some(AssistantMessage::new(id));
                }
                self.add_step(message);
            }
            Role::User | Role::System | Role::Developer => {
                let role = if message.role == Role::User {
                    "user"
                } else {
                    "system"
                };
                let parts = match &message.content {
                    Some(content) => parts_of(content),
                    None => Vec::new(),
                };
                let sent = json!({ "id": id, "role": role, "parts": parts });
                self.end_message();
                self.messages.push(sent);
            }
        }
    }

    /// Adds what the assistant said and called in one step of the history.
    fn add_step(&mut self, message: &HistoryMessage) {
        let assistant = self.assistant();
        assistant.push(UiPart::StepStart);
        if let Some(content) = &message.content {
            for part in parts_of(content) {
                let part = match part["text"].as_str() {
                    Some(text) => UiPart::Text(UiTextPart {
                        part_type: "text",
                        text: text.to_owned(),
                        metadata: None,
                    }),
                    None => UiPart::Other(part),
                };
                assistant.push(part);
            }
        }
        for call in &message.calls {
            let mut part = UiToolPart::new(&call.name, &call.id);
            part.state = UiToolState::InputAvailable;
            // A loaded test has valid JSON here.
            let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
            part.set("input", input);
            let place = self.assistant().push(UiPart::Tool(part));
            let number = self.calls.add(Some(&call.id), &call.name, place);
            self.calls.call(number).is_input_reported = true;
        }
    }

    /// Adds a result of the history to its call.
    fn add_result(&mut self, message: &HistoryMessage) {
        let text = match &message.content {
            Some(content) => content.text().into_owned(),
            None => String::new(),
        };
        // A test has results as texts, and most tools return mappings or lists.
        let content = match serde_json::from_str(&text) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
            _ => text.into(),
        };
        self.answer(&ToolAnswer {
            call: message.answers.clone().unwrap_or_default(),
            content,
            is_error: false,
        });
    }
}

/// The parts of a content.
fn parts_of(content: &UserContent) -> Vec<Value> {
    let parts = match content {
        UserContent::Text(text) => return vec![json!({ "type": "text", "text": &**text })],
        UserContent::Parts(parts) => parts,
    };
    let mut sent = Vec::new();
    for part in parts.iter() {
        sent.push(match part {
            ContentPart::Text(text) => json!({ "type": "text", "text": text }),
            ContentPart::File(file) => {
                let media_type = file.media_type.as_deref().unwrap_or(ANY_MEDIA_TYPE);
                let url = match &file.content {
                    FileContent::Url(url) => url.clone(),
                    FileContent::Data { base64, .. } => {
                        format!("data:{media_type};base64,{base64}")
                    }
                };
                let mut sent = json!({ "type": "file", "mediaType": media_type, "url": url });
                if let Some(name) = &file.name {
                    sent["filename"] = name.as_str().into();
                }
                sent
            }
        });
    }
    sent
}
