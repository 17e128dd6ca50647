//! The body of a request: the chat, and the keys that the target and the turn add.

use serde::Serialize;
use serde_json::{Map, Value};

use ananke_base::message::RequestContext;

/// The keys that every request sets itself.
pub(super) const OWN_KEYS: [&str; 4] = ["id", "messages", "trigger", "messageId"];

/// A request, with its keys in the order in which the official client writes them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UiChatRequest<'a> {
    id: &'a str,
    messages: Vec<Value>,
    trigger: &'static str,
    /// The message of the assistant that goes on; absent if the user says something new.
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(flatten)]
    further: Map<String, Value>,
}

impl<'a> UiChatRequest<'a> {
    /// A request of the chat `id`. `body` are the keys of the target, which those of the turn replace, mappings key by key.
    pub(super) fn new(
        id: &'a str,
        messages: Vec<Value>,
        message_id: Option<String>,
        body: &Map<String, Value>,
        context: &RequestContext,
    ) -> Self {
        let mut further = body.clone();
        for (key, value) in context.props.iter().chain(&context.request.body) {
            // A turn must not replace the conversation, since its rules are about this one.
            if !OWN_KEYS.contains(&key.as_str()) {
                put_over(further.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        Self {
            id,
            messages,
            trigger: "submit-message",
            message_id,
            further,
        }
    }
}

fn put_over(known: &mut Value, more: &Value) {
    match (known, more) {
        (Value::Object(known), Value::Object(more)) => {
            for (key, value) in more {
                put_over(known.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (known, more) => *known = more.clone(),
    }
}
