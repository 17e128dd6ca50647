//! The input that a turn sends to the agent.

use serde_json::Value;

use super::{ContentPart, OwnTurn, UserContent};

/// The input that a turn sends.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnInput {
    /// A message of the user.
    User(UserContent),
    /// A request to replay the thread.
    Connect,
    /// Answers to what is pending.
    Resume(Vec<PendingAnswer>),
    /// A request of the protocol's own.
    Own(OwnTurn),
    /// Nothing new: the agent goes on from the history.
    Continue,
}

/// The id and the sender's name that a test gives a message of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageId {
    /// Its id; without one it gets a new one.
    pub id: Option<String>,
    /// The name of the sender.
    pub name: Option<String>,
}

/// The answer to one thing that is pending.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingAnswer {
    /// The pending thing that is answered.
    pub to: AnswerTo,
    /// Whether it is answered, and not cancelled.
    pub is_resolved: bool,
    /// The answer.
    pub payload: Option<Value>,
}

/// The pending thing that an answer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerTo {
    /// The only one.
    TheOnlyOne,
    /// The interrupt with this id, or the call with this id.
    Id(String),
    /// The one about a call to this tool.
    Tool(String),
}

impl PendingAnswer {
    /// The only thing that is pending is answered with `payload`.
    pub fn resolved(payload: impl Into<Value>) -> Self {
        Self {
            to: AnswerTo::TheOnlyOne,
            is_resolved: true,
            payload: Some(payload.into()),
        }
    }

    /// The only thing that is pending is cancelled.
    pub fn cancelled() -> Self {
        Self {
            to: AnswerTo::TheOnlyOne,
            is_resolved: false,
            payload: None,
        }
    }

    /// The same answer to the interrupt, or the call, with this id.
    #[must_use]
    pub fn for_id(self, id: impl Into<String>) -> Self {
        Self {
            to: AnswerTo::Id(id.into()),
            ..self
        }
    }

    /// The same answer to what is pending about a call to `tool`.
    #[must_use]
    pub fn for_tool(self, tool: impl Into<String>) -> Self {
        Self {
            to: AnswerTo::Tool(tool.into()),
            ..self
        }
    }
}

impl TurnInput {
    /// A request to replay the thread, in words.
    pub const CONNECT: &str = "(connects to the thread)";
    /// The text that is shown if there is nothing new.
    pub const CONTINUE: &str = "(continues the conversation)";
    /// The beginning of answers, in words.
    pub const RESUME: &str = "(resumes)";

    /// The input in words, for reports: what the user says, or what is done instead.
    pub fn describe(&self) -> String {
        match self {
            Self::User(content) => content.describe(),
            Self::Connect => Self::CONNECT.to_owned(),
            Self::Continue => Self::CONTINUE.to_owned(),
            Self::Own(turn) => turn.describe(),
            Self::Resume(answers) => {
                let answers: Vec<String> = answers.iter().map(PendingAnswer::describe).collect();
                format!("{} {}", Self::RESUME, answers.join(", "))
            }
        }
    }

    /// Replaces every text of the user with what `map` makes of it.
    pub fn map_texts(&mut self, map: &impl Fn(&str) -> String) {
        match self {
            Self::User(UserContent::Text(text)) => *text = map(text).into(),
            Self::User(UserContent::Parts(parts)) => {
                let mapped = parts.iter().map(|part| match part {
                    ContentPart::Text(text) => ContentPart::Text(map(text)),
                    file @ ContentPart::File(_) => file.clone(),
                });
                *parts = mapped.collect();
            }
            Self::Resume(answers) => {
                for payload in answers
                    .iter_mut()
                    .filter_map(|answer| answer.payload.as_mut())
                {
                    map_strings(payload, map);
                }
            }
            Self::Own(turn) => {
                let keys = turn.keys.values_mut();
                keys.for_each(|value| map_strings(value, map));
            }
            Self::Connect | Self::Continue => {}
        }
    }
}

/// Replaces every string in `value`, at any depth, by what `map` makes of it.
pub fn map_strings(value: &mut Value, map: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = map(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_strings(item, map)),
        Value::Object(keys) => keys.values_mut().for_each(|value| map_strings(value, map)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl PendingAnswer {
    fn describe(&self) -> String {
        let to = match &self.to {
            AnswerTo::TheOnlyOne => String::new(),
            AnswerTo::Id(id) => format!("`{id}` "),
            AnswerTo::Tool(tool) => format!("the call to `{tool}` "),
        };
        let status = if self.is_resolved {
            "resolved"
        } else {
            "cancelled"
        };
        let payload = self
            .payload
            .as_ref()
            .map(|payload| format!(" {payload}"))
            .unwrap_or_default();
        format!("{to}{status}{payload}")
    }
}
