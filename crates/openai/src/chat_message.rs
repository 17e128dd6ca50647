//! A message as a chat-completions request has it.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use ananke_base::message::{
    ContentPart, FileContent, HistoryMessage, Role, ToolAnswer, UserContent,
};

/// A message of the conversation.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ChatMessage {
    role: &'static str,
    content: ChatContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ChatCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

/// A call that the model made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ChatCall {
    pub(super) id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    pub(super) function: ChatFunction,
}

/// The tool of a call, and its arguments as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ChatFunction {
    pub(super) name: String,
    arguments: String,
}

/// The content of a message. Files are shared with the turn that sends them.
#[derive(Clone, Debug)]
enum ChatContent {
    /// Nothing: a message of calls alone.
    Nothing,
    /// Text.
    Text(Arc<str>),
    /// Text and images, in their order.
    Parts(Arc<[ContentPart]>),
}

impl ChatMessage {
    pub(super) fn text(role: Role, text: impl Into<Arc<str>>) -> Self {
        Self::new(role, ChatContent::Text(text.into()))
    }

    pub(super) fn user(content: UserContent, name: Option<String>) -> Self {
        Self {
            name,
            ..Self::new(Role::User, ChatContent::from(content))
        }
    }

    /// The message of the model, and the calls it made.
    pub(super) fn assistant(text: String, tool_calls: Vec<ChatCall>) -> Self {
        // An answer of calls alone has null as its content, as servers write it.
        let content = if text.is_empty() && !tool_calls.is_empty() {
            ChatContent::Nothing
        } else {
            ChatContent::Text(text.into())
        };
        Self {
            tool_calls,
            ..Self::new(Role::Assistant, content)
        }
    }

    /// The answer to the call with this id.
    pub(super) fn answer(id: &str, answer: &ToolAnswer) -> Self {
        let message = Self::text(Role::Tool, answer.text());
        Self {
            tool_call_id: Some(id.to_owned()),
            ..message
        }
    }

    fn new(role: Role, content: ChatContent) -> Self {
        Self {
            role: role.as_str(),
            content,
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }
}

impl From<HistoryMessage> for ChatMessage {
    /// A message of the history of a test, in the form that the API expects.
    fn from(message: HistoryMessage) -> Self {
        let content = match message.content {
            Some(content) => content.into(),
            // A message of calls alone has null as its content, as servers write it.
            None => ChatContent::Nothing,
        };
        let calls = message.calls.into_iter();
        Self {
            name: message.name,
            tool_calls: calls
                .map(|call| ChatCall::new(call.id, call.name, call.arguments))
                .collect(),
            // Only the result of a tool has this: the id of the call that it answers.
            tool_call_id: message.answers,
            ..Self::new(message.role, content)
        }
    }
}

impl ChatCall {
    pub(super) fn new(id: String, name: String, arguments: String) -> Self {
        // A server that parses empty arguments as JSON needs an object.
        let arguments = if arguments.is_empty() {
            "{}".to_owned()
        } else {
            arguments
        };
        Self {
            id,
            kind: "function",
            function: ChatFunction { name, arguments },
        }
    }
}

impl From<UserContent> for ChatContent {
    fn from(content: UserContent) -> Self {
        match content {
            UserContent::Text(text) => Self::Text(text),
            UserContent::Parts(parts) => Self::Parts(parts),
        }
    }
}

impl Serialize for ChatContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Parts(parts) => serializer.collect_seq(parts.iter().map(ChatPart::of)),
        }
    }
}

/// One part of a message.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ChatPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

impl<'a> ChatPart<'a> {
    /// The part of a message as the API has it. Every file is an image here: a test with another file does not load.
    fn of(part: &'a ContentPart) -> Self {
        match part {
            ContentPart::Text(text) => Self::Text { text },
            ContentPart::File(file) => {
                let url = match &file.content {
                    FileContent::Url(url) => url.clone(),
                    FileContent::Data { base64, .. } => {
                        // A data URL needs a media type. The loader requires one for each file with data, so that the
                        // default is for safety alone.
                        let media_type = file.media_type.as_deref().unwrap_or("image/png");
                        format!("data:{media_type};base64,{base64}")
                    }
                };
                Self::ImageUrl {
                    image_url: ImageUrl { url },
                }
            }
        }
    }
}
