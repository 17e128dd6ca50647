//! Events as the protocol has them.

use ananke::testing::{AgentEvent, EventRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who a message is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EventRoleView {
    /// The agent.
    #[default]
    Assistant,
    /// The user.
    User,
}

/// Something that the agent did, in its order. In events that a client made, `tool_call_id` pairs outputs with calls; without
/// it an output belongs to the first call of its turn to its tool that has none, else to the last one of earlier turns.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum SessionEvent {
    /// A message of the agent or of the user.
    #[schemars(title = "message")]
    Message {
        /// Who it is from.
        #[serde(default)]
        role: EventRoleView,
        /// The text of the message.
        content: String,
    },
    /// A call to a tool.
    #[schemars(title = "function_call")]
    FunctionCall {
        /// The name of the tool.
        name: String,
        /// The arguments; their text if they are not JSON.
        #[serde(default)]
        arguments: Value,
        /// The id of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<String>,
    },
    /// The result of a call.
    #[schemars(title = "function_call_output")]
    FunctionCallOutput {
        /// The name of the tool.
        name: String,
        /// The result; its text if it is not JSON.
        #[serde(default)]
        output: Value,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
        /// The id of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_call_id: Option<String>,
        /// How long the call took, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        execution_time_ms: Option<f64>,
    },
}

impl From<&AgentEvent> for SessionEvent {
    fn from(event: &AgentEvent) -> Self {
        match event.clone() {
            AgentEvent::Message { role, content } => Self::Message {
                role: match role {
                    EventRole::Assistant => EventRoleView::Assistant,
                    EventRole::User => EventRoleView::User,
                },
                content,
            },
            AgentEvent::FunctionCall {
                tool_call_id,
                name,
                arguments,
            } => Self::FunctionCall {
                name,
                arguments,
                tool_call_id: Some(tool_call_id),
            },
            AgentEvent::FunctionCallOutput {
                tool_call_id,
                name,
                output,
                is_error,
                execution_time_ms,
            } => Self::FunctionCallOutput {
                name,
                output,
                is_error,
                tool_call_id: Some(tool_call_id),
                #[expect(clippy::cast_precision_loss, reason = "no call takes a million years")]
                execution_time_ms: Some(execution_time_ms as f64),
            },
        }
    }
}
