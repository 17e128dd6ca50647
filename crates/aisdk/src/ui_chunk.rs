//! One chunk of a stream, as servers write it: every key may be missing, null, or of another form.

use std::borrow::Cow;

use serde_json::Value;

use ananke_base::source::received_json::{Halves, Oddities, SentText, read_event};

/// A chunk.
pub(super) struct UiChunk {
    value: Value,
    pub(super) oddities: Oddities,
    /// A key that is duplicated with another value.
    pub(super) duplicate_key: Option<String>,
}

/// The meaning of a chunk, by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UiChunkKind {
    /// The message begins.
    Start,
    /// The call of a model begins.
    StartStep,
    FinishStep,
    /// All parts of the step are taken back.
    ResetStep,
    Text(PartPhase),
    Reasoning(PartPhase),
    /// A call begins: its tool is known.
    InputStart,
    /// Text of the input of a call.
    InputDelta,
    /// The whole input of a call.
    Input,
    /// A call that the backend did not execute: its input or its tool is wrong.
    InputError,
    ApprovalRequest,
    ApprovalResponse,
    Output,
    OutputError,
    OutputDenied,
    /// An event of the application's own.
    Data,
    /// A part of the message that no rule is about.
    Part,
    /// A message of the user that joins the run.
    Steering,
    Metadata,
    Finish,
    Abort,
    Error,
    Unknown,
}

/// The phase of a text or of reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartPhase {
    Start,
    Delta,
    End,
}

impl UiChunk {
    /// # Errors
    /// The reason that the data is not a chunk; the text follows `event 3 `.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        match read_event(data) {
            Ok((value, _)) if value.is_object() && !value["type"].is_string() => {
                Err("is not a chunk of a UI message stream: it has no `type`".to_owned())
            }
            Ok((value @ Value::Object(_), mut oddities)) => Ok(Self {
                value,
                duplicate_key: oddities.duplicate_key.take(),
                oddities,
            }),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The chunk as JSON.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// The type; empty if there is none.
    pub(super) fn type_name(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    pub(super) fn kind(&self) -> UiChunkKind {
        match self.type_name() {
            "start" => UiChunkKind::Start,
            "start-step" => UiChunkKind::StartStep,
            "finish-step" => UiChunkKind::FinishStep,
            "reset-step" => UiChunkKind::ResetStep,
            "text-start" => UiChunkKind::Text(PartPhase::Start),
            "text-delta" => UiChunkKind::Text(PartPhase::Delta),
            "text-end" => UiChunkKind::Text(PartPhase::End),
            "reasoning-start" => UiChunkKind::Reasoning(PartPhase::Start),
            "reasoning-delta" => UiChunkKind::Reasoning(PartPhase::Delta),
            "reasoning-end" => UiChunkKind::Reasoning(PartPhase::End),
            "tool-input-start" => UiChunkKind::InputStart,
            "tool-input-delta" => UiChunkKind::InputDelta,
            "tool-input-available" => UiChunkKind::Input,
            "tool-input-error" => UiChunkKind::InputError,
            "tool-approval-request" => UiChunkKind::ApprovalRequest,
            "tool-approval-response" => UiChunkKind::ApprovalResponse,
            "tool-output-available" => UiChunkKind::Output,
            "tool-output-error" => UiChunkKind::OutputError,
            "tool-output-denied" => UiChunkKind::OutputDenied,
            "source-url" | "source-document" | "file" | "reasoning-file" | "custom" => {
                UiChunkKind::Part
            }
            "steering-message" => UiChunkKind::Steering,
            "message-metadata" => UiChunkKind::Metadata,
            "finish" => UiChunkKind::Finish,
            "abort" => UiChunkKind::Abort,
            "error" => UiChunkKind::Error,
            name if name.starts_with("data-") => UiChunkKind::Data,
            _ => UiChunkKind::Unknown,
        }
    }

    /// A value that is there and not null.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.value.get(key).filter(|value| !value.is_null())
    }

    /// The id under a key, which some servers write as a number; `None` if there is none, or if it is empty.
    pub(super) fn id(&self, key: &str) -> Option<Cow<'_, str>> {
        match self.value.get(key)? {
            Value::String(id) if !id.is_empty() => Some(Cow::Borrowed(id)),
            Value::Number(id) => Some(Cow::Owned(id.to_string())),
            _ => None,
        }
    }

    /// A word, such as the name of a tool, that is not empty.
    pub(super) fn word(&self, key: &str) -> Option<&str> {
        self.value
            .get(key)?
            .as_str()
            .filter(|word| !word.is_empty())
    }

    /// A text of which pieces may end within a surrogate pair.
    pub(super) fn text(&self, key: &str) -> Option<SentText<'_>> {
        let text = self.value.get(key)?.as_str()?;
        Some(SentText::new(text, self.halves()))
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.value[key] == true
    }

    /// The form in which texts have halves of surrogate pairs, which servers cut apart.
    pub(super) fn halves(&self) -> Halves {
        self.oddities.halves()
    }
}
