//! A call of an agent to its model: the request and the answer, in the form that all APIs of models have in common.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Usage;

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
    #[serde(skip)]
    pub usage: Option<Usage>,
}

/// The source of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The reply of a script with this number, from 1.
    Reply(usize),
    /// The rule of a script with this number, from 1.
    Rule(usize),
    /// The recorded call with this number, from 1.
    Recording(usize),
    /// The provider.
    Live,
}

/// A call of an agent to its model that got an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// The key of the model in `models`.
    pub name: String,
    /// The API in words, as in `chat completions`.
    pub api: &'static str,
    /// The number of times that the agent sent the request: more than 1 if it was repeated.
    pub attempts: u32,
    /// The request.
    pub request: ModelRequest,
    /// The answer.
    pub answer: ModelAnswer,
    /// The source of the answer.
    pub answered_by: AnsweredBy,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}
