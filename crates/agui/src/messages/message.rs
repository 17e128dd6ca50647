//! Messages and calls as the protocol has them.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::Content;
use ananke_base::text::ShortText;
use ananke_trace::trace::{is_same_json, read_json};

/// The role of reasoning.
pub(crate) const REASONING: &str = "reasoning";

/// The role of the result of a call.
pub(crate) const TOOL: &str = "tool";

/// The further fields of a message or call, of which most have none: an agent may send a million of them.
pub(crate) type FurtherFields = Option<Box<Map<String, Value>>>;

/// A message as it is sent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SentMessage {
    pub(crate) id: ShortText,
    pub(crate) role: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Content>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_calls: Vec<SentCall>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<ShortText>,
    /// The key of the call that it answers, unless that is the id.
    #[serde(skip)]
    pub(crate) call_key: Option<Box<str>>,
    /// Its further fields, which go back unchanged.
    #[serde(flatten)]
    pub(crate) rest: FurtherFields,
    /// Whether its text is not complete.
    #[serde(skip)]
    pub(crate) open: bool,
    /// Whether the agent streamed it.
    #[serde(skip)]
    pub(crate) is_streamed: bool,
    /// The results of its calls, which follow it.
    #[serde(skip)]
    pub(crate) answers: Vec<SentMessage>,
}

/// A tool call of an assistant's message.
#[derive(Debug, Serialize)]
pub(crate) struct SentCall {
    pub(crate) id: ShortText,
    #[serde(rename = "type")]
    pub(crate) kind: SentCallKind,
    pub(crate) function: Function,
    #[serde(flatten)]
    pub(crate) rest: FurtherFields,
    /// Its key, unless that is the id.
    #[serde(skip)]
    pub(crate) key: Option<Box<str>>,
    /// Whether its arguments are not complete.
    #[serde(skip)]
    pub(crate) open: bool,
    /// Whether the agent streamed it.
    #[serde(skip)]
    pub(crate) is_streamed: bool,
}

/// The kind of every call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SentCallKind {
    Function,
}

/// The tool of a call, and its arguments as text.
#[derive(Debug, Serialize)]
pub(crate) struct Function {
    pub(crate) name: ShortText,
    pub(crate) arguments: ShortText,
}

impl SentMessage {
    pub(crate) fn new(id: &str, role: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            role: role.into(),
            content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            call_key: None,
            rest: None,
            open: false,
            is_streamed: false,
            answers: Vec::new(),
        }
    }

    /// The same message with a name.
    pub(crate) fn named(mut self, name: Option<String>) -> Self {
        if let Some(name) = name {
            self.rest
                .get_or_insert_default()
                .insert("name".to_owned(), Value::String(name));
        }
        self
    }

    pub(crate) fn append(&mut self, text: &str) {
        match &mut self.content {
            Some(Content::Text(content)) => content.push_str(text),
            // An agent that streams the user's message back does not change it.
            Some(Content::Parts(_)) => {}
            content => *content = Some(Content::text(text)),
        }
    }

    /// Its text; of files there is none.
    pub(crate) fn text(&self) -> String {
        self.content
            .as_ref()
            .map(Content::to_text)
            .unwrap_or_default()
    }

    pub(crate) fn has_files(&self) -> bool {
        matches!(self.content, Some(Content::Parts(_)))
    }

    /// Whether a snapshot that lists it as `listed` has the same content.
    pub(crate) fn has_content_of(&self, listed: &Self) -> bool {
        let (own, listed) = (self.text(), listed.text());
        own.trim() == listed.trim()
            || arguments(&own)
                .zip(arguments(&listed))
                .is_some_and(|(own, listed)| is_same_json(&own, &listed))
    }

    /// The key of the call that it answers.
    pub(crate) fn answers(&self) -> Option<&str> {
        self.call_key.as_deref().or(self.tool_call_id.as_deref())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_none() && self.tool_calls.is_empty()
    }
}

impl SentCall {
    pub(crate) fn new(id: &str, name: &str, arguments: ShortText) -> Self {
        // An empty text means no arguments; a server that parses it as JSON needs an object.
        let arguments = if arguments.is_empty() {
            "{}".into()
        } else {
            arguments
        };
        let function = Function {
            name: name.into(),
            arguments,
        };
        Self {
            id: id.into(),
            kind: SentCallKind::Function,
            function,
            rest: None,
            key: None,
            open: false,
            is_streamed: false,
        }
    }

    /// The same call under a key of its own. It is sent with its id, or with the key if the id is empty.
    pub(crate) fn with_key(mut self, key: &str) -> Self {
        if self.id.is_empty() {
            self.id = key.into();
        }
        self.key = (self.id != key).then(|| key.into());
        self
    }

    /// The key by which it is found.
    pub(crate) fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.id)
    }

    /// Whether a snapshot that contains `listed` means this call: the same name, and the same arguments as far as they
    /// can be compared.
    pub(crate) fn is_listed_as(&self, listed: &Self) -> bool {
        let (own, other) = (&self.function, &listed.function);
        own.name == other.name
            && (self.open
                || own.arguments == other.arguments
                || match arguments(&own.arguments) {
                    Some(own) => {
                        arguments(&other.arguments).is_some_and(|other| is_same_json(&own, &other))
                    }
                    None => true,
                })
    }
}

/// Arguments as JSON; some agents write them as a JSON string of JSON.
fn arguments(text: &str) -> Option<Value> {
    match read_json(text).ok()?.value {
        Value::String(inner) => {
            Some(read_json(&inner).map_or(Value::String(inner), |read| read.value))
        }
        value => Some(value),
    }
}
