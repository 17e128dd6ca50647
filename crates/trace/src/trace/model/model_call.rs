//! A call of an agent to its model: the request and the answer, in the form that all APIs of models have in common.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Usage;
use crate::trace::is_same_json;

/// A request to a model, without what its API adds to it: ids, streaming, caching and metadata.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ModelRequest {
    /// The name of the model.
    pub model: String,
    /// The conversation in its order. Instructions that an API has outside of it come first.
    pub messages: Vec<PromptMessage>,
    /// The tools that the agent executes, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<OfferedTool>,
    /// The tools that the provider executes, as the agent declares them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosted_tools: Vec<Value>,
    /// The tool that the model has to call, as the API has it; null if the agent does not say.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tool_choice: Value,
    /// The JSON Schema that the answer has to match, as the API has it; null if there is none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output_schema: Value,
    /// The parameters of sampling: temperature, limits of tokens, effort and the like, by the API's names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl ModelRequest {
    /// Whether another request asks the same: parameters of sampling do not count, nor the order of tools. Calls are known by their
    /// places, because ids are made again for every request.
    pub fn is_same(&self, other: &Self) -> bool {
        // The last message differs first, in almost every conversation.
        self.messages.len() == other.messages.len()
            && self.model == other.model
            && self.has_same_tools(other)
            && is_same_json(&self.tool_choice, &other.tool_choice)
            && is_same_json(&self.output_schema, &other.output_schema)
            && (0..self.messages.len())
                .rev()
                .all(|index| self.has_same_message(other, index))
    }

    fn has_same_tools(&self, other: &Self) -> bool {
        if self.tools.len() != other.tools.len()
            || self.hosted_tools.len() != other.hosted_tools.len()
        {
            return false;
        }
        // Each tool is looked for everywhere, because the order of tools means nothing to a model.
        for tool in &self.tools {
            let mut offered = other.tools.iter();
            let is_offered = offered.any(|offered| {
                tool.name == offered.name
                    && tool.description == offered.description
                    && is_same_json(&tool.parameters, &offered.parameters)
            });
            if !is_offered {
                return false;
            }
        }
        for tool in &self.hosted_tools {
            let mut hosted = other.hosted_tools.iter();
            if !hosted.any(|hosted| is_same_json(tool, hosted)) {
                return false;
            }
        }
        true
    }

    fn has_same_message(&self, other: &Self, index: usize) -> bool {
        let other_message = &other.messages[index];
        match &self.messages[index] {
            PromptMessage::Assistant { text, calls } => {
                let PromptMessage::Assistant {
                    text: other_text,
                    calls: other_calls,
                } = other_message
                else {
                    return false;
                };
                // Ids of calls are not compared, because a provider makes them again each time.
                text == other_text
                    && calls.len() == other_calls.len()
                    && calls.iter().zip(other_calls).all(|(one, other)| {
                        one.tool == other.tool && is_same_json(&one.args, &other.args)
                    })
            }
            PromptMessage::Result {
                call,
                content,
                is_error,
            } => {
                let PromptMessage::Result {
                    call: other_call,
                    content: other_content,
                    is_error: other_is_error,
                } = other_message
                else {
                    return false;
                };
                // A result belongs to the call at a place, since the id of that call differs.
                is_error == other_is_error
                    && is_same_json(content, other_content)
                    && self.place_of(call, index) == other.place_of(other_call, index)
            }
            PromptMessage::Approval { is_approved, .. } => {
                let PromptMessage::Approval {
                    is_approved: other_is_approved,
                    ..
                } = other_message
                else {
                    return false;
                };
                is_approved == other_is_approved
            }
            PromptMessage::System(_) | PromptMessage::User { .. } => {
                self.messages[index] == *other_message
            }
        }
    }

    /// The place of the newest call with an id before a message: its message, and its number there.
    fn place_of(&self, id: &str, before: usize) -> Option<(usize, usize)> {
        for (index, message) in self.messages[..before].iter().enumerate().rev() {
            if let PromptMessage::Assistant { calls, .. } = message
                && let Some(number) = calls.iter().position(|call| call.id == id)
            {
                return Some((index, number));
            }
        }
        None
    }
}

/// A tool that an agent offers to its model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct OfferedTool {
    /// The tool's name.
    pub name: String,
    /// The description for the model; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The JSON Schema of the arguments; null if there is none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
}

/// A message of the conversation that a model reads.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptMessage {
    /// Instructions of the system or the developer.
    System(String),
    /// A message of the user.
    User {
        /// The text; may be empty.
        text: String,
        /// The parts that are no text, each as a hash of its JSON.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// An earlier answer of the model.
    Assistant {
        /// The text; may be empty.
        text: String,
        /// The calls, in their order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ModelToolCall>,
    },
    /// The result of a call, as the agent reports it to the model.
    Result {
        /// The id of the call.
        call: String,
        /// The text, or a JSON value that was not sent as text.
        content: Value,
        /// Whether the agent says that it is an error.
        #[serde(default, skip_serializing_if = "is_false")]
        is_error: bool,
    },
    /// An answer to an approval that the model asked for.
    Approval {
        /// The id of the approval.
        id: String,
        /// Whether the call is approved.
        is_approved: bool,
    },
}

/// A call to a tool that a model asks for.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ModelToolCall {
    /// The id by which the result names it.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments; a text if they are not JSON.
    pub args: Value,
}

/// The reason for the end of a model's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The answer is complete, or ends with calls.
    #[default]
    Complete,
    /// The most tokens were reached.
    Length,
    /// A filter of the provider ended it.
    Filter,
    /// The model refused.
    Refusal,
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct ModelAnswer {
    /// The text; may be empty.
    pub text: String,
    /// The reasoning; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The calls, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelToolCall>,
    /// The reason for its end.
    #[serde(default)]
    pub finish: FinishReason,
    /// The tokens, if they are recorded or scripted.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "token_counts"
    )]
    pub usage: Option<Usage>,
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum AnsweredBy {
    /// The reply of a script with this number, from 1.
    Reply(usize),
    /// The rule of a script with this number, from 1.
    Rule(usize),
    /// The recorded call with this number, from 1.
    Recording(usize),
    /// The provider.
    #[default]
    Live,
}

impl fmt::Display for AnsweredBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply(number) => write!(formatter, "reply {number}"),
            Self::Rule(number) => write!(formatter, "rule {number}"),
            Self::Recording(number) => write!(formatter, "recording {number}"),
            Self::Live => formatter.write_str("live"),
        }
    }
}

impl From<AnsweredBy> for String {
    fn from(answered_by: AnsweredBy) -> Self {
        answered_by.to_string()
    }
}

/// The source that these words name.
impl TryFrom<String> for AnsweredBy {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        if words == "live" {
            return Ok(Self::Live);
        }
        let unknown = format!("`{words}` is not a valid source of an answer");
        let Some((kind, number)) = words.split_once(' ') else {
            return Err(unknown);
        };
        let Ok(number) = number.parse() else {
            return Err(unknown);
        };
        match kind {
            "reply" => Ok(Self::Reply(number)),
            "rule" => Ok(Self::Rule(number)),
            "recording" => Ok(Self::Recording(number)),
            _ => Err(unknown),
        }
    }
}

/// A call of an agent to its model that got an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The key of the model in `models`.
    pub name: String,
    /// The API in words, as in `chat completions`.
    pub api: Cow<'static, str>,
    /// The request.
    pub request: ModelRequest,
    /// The answer.
    pub answer: ModelAnswer,
    /// The source of the answer.
    pub answered_by: AnsweredBy,
}

/// A request that an agent sent again, because it did not like its answer or has not seen it. No call is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedAgain {
    /// The key of the model in `models`.
    pub name: String,
    /// The number of the call among those to this model, counted from 1.
    pub call: usize,
}

/// The happenings with models between two events of an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelUse {
    /// The calls that were answered, in their order.
    pub calls: Vec<ModelCall>,
    /// The requests that were sent again, of these calls or of earlier ones.
    pub asked_again: Vec<AskedAgain>,
    /// The time that passed in the test, although nothing slept.
    pub passed: Duration,
}

impl ModelUse {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.asked_again.is_empty() && self.passed.is_zero()
    }

    /// The approximate size in memory, in bytes.
    pub fn size(&self) -> usize {
        let mut bytes = size_of::<Self>();
        for call in &self.calls {
            bytes += call.size();
        }
        bytes + self.asked_again.len() * size_of::<AskedAgain>()
    }

    /// Adds what happened with another model.
    pub fn extend(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.asked_again.extend(other.asked_again);
        self.passed += other.passed;
    }
}

/// The tokens of an answer as the numbers that its provider has reported.
mod token_counts {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Usage;

    #[derive(Deserialize, Serialize)]
    struct TokenCounts {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cached: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    }

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn serialize<S: Serializer>(
        usage: &Option<Usage>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let counts = usage.map(|usage| TokenCounts {
            input: usage.input.whole(),
            cached: usage.cached.whole(),
            output: usage.output.whole(),
            total: usage.total.whole(),
        });
        counts.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Usage>, D::Error> {
        let counts = Option::<TokenCounts>::deserialize(deserializer)?;
        Ok(counts.map(|counts| {
            Usage::reported(counts.input, counts.output, counts.total).with_cached(counts.cached)
        }))
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}
