//! One part of a message as the client keeps it.

use serde_json::{Map, Value, json};

use ananke_base::message::ToolAnswer;

/// A part of a message of the assistant.
#[derive(Clone, Debug)]
pub(super) enum UiPart {
    /// A step begins: one call of a model.
    StepStart,
    /// Text, or reasoning.
    Text(UiTextPart),
    /// A call.
    Tool(UiToolPart),
    /// Any other part, which the next request has as it came.
    Other(Value),
}

/// A part with text. A stream may bring a million pieces of it.
#[derive(Clone, Debug)]
pub(super) struct UiTextPart {
    /// `text` or `reasoning`.
    pub(super) part_type: &'static str,
    pub(super) text: String,
    /// Data of the provider, such as the signature of reasoning, without which it may refuse the next request.
    pub(super) metadata: Option<Value>,
}

/// A part with a call: the keys that the protocol has for it, without those that every such part has.
#[derive(Clone, Debug)]
pub(super) struct UiToolPart {
    pub(super) tool: String,
    pub(super) call_id: String,
    /// Whether the part names its tool in a key, and not in its type: the backend does not know the tool by its type.
    pub(super) is_dynamic: bool,
    pub(super) state: UiToolState,
    /// The further keys, in the order in which they came.
    pub(super) keys: Map<String, Value>,
}

/// The state of a call, as the protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UiToolState {
    InputStreaming,
    InputAvailable,
    ApprovalRequested,
    ApprovalResponded,
    OutputAvailable,
    OutputError,
    OutputDenied,
}

impl UiToolState {
    fn name(self) -> &'static str {
        match self {
            Self::InputStreaming => "input-streaming",
            Self::InputAvailable => "input-available",
            Self::ApprovalRequested => "approval-requested",
            Self::ApprovalResponded => "approval-responded",
            Self::OutputAvailable => "output-available",
            Self::OutputError => "output-error",
            Self::OutputDenied => "output-denied",
        }
    }
}

impl UiPart {
    /// The part as a request has it.
    pub(super) fn as_sent(&self) -> Value {
        match self {
            Self::StepStart => json!({ "type": "step-start" }),
            Self::Text(part) => {
                let mut sent =
                    json!({ "type": part.part_type, "text": part.text, "state": "done" });
                if let Some(metadata) = &part.metadata {
                    sent["providerMetadata"] = metadata.clone();
                }
                sent
            }
            Self::Tool(part) => part.as_sent(),
            Self::Other(value) => value.clone(),
        }
    }
}

impl UiToolPart {
    /// A call of which only the beginning is known.
    pub(super) fn new(tool: &str, call_id: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            call_id: call_id.to_owned(),
            is_dynamic: false,
            state: UiToolState::InputStreaming,
            keys: Map::new(),
        }
    }

    pub(super) fn set(&mut self, key: &str, value: Value) {
        self.keys.insert(key.to_owned(), value);
    }

    /// Takes the answer of the client to the call.
    pub(super) fn answer(&mut self, answer: &ToolAnswer) {
        if answer.is_error {
            self.state = UiToolState::OutputError;
            self.set("errorText", answer.text().into());
        } else {
            self.state = UiToolState::OutputAvailable;
            self.set("output", answer.content.clone());
        }
    }

    fn as_sent(&self) -> Value {
        let mut sent = Map::new();
        if self.is_dynamic {
            sent.insert("type".to_owned(), "dynamic-tool".into());
            sent.insert("toolName".to_owned(), self.tool.as_str().into());
        } else {
            sent.insert("type".to_owned(), format!("tool-{}", self.tool).into());
        }
        sent.insert("toolCallId".to_owned(), self.call_id.as_str().into());
        sent.insert("state".to_owned(), self.state.name().into());
        for (key, value) in &self.keys {
            sent.insert(key.clone(), value.clone());
        }
        Value::Object(sent)
    }
}
