//! The events of an agent in a run, as a list.

use std::fmt;

use serde_json::Value;

use super::{MessageKind, Origin, ToolCall, ToolResult, Trace, TraceItem, is_same_json};
use ananke_base::context::At;
use ananke_base::text::truncate;

/// The most characters of a text that a list of events shows.
const SHOWN: usize = 100;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRole {
    /// The agent.
    Assistant,
    /// The user.
    User,
}

/// Something that happened in a run, in its order. Values of two events are compared as rules compare them.
#[derive(Clone, Debug)]
pub enum AgentEvent {
    /// A text.
    Message {
        /// The author of the message.
        role: EventRole,
        /// The text.
        content: String,
    },
    /// A call to a tool.
    FunctionCall {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments; their text if they are not JSON.
        arguments: Value,
    },
    /// The result of a call.
    FunctionCallOutput {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// The result; its text if it is not JSON.
        output: Value,
        /// Whether the agent or the client says that the call failed.
        is_error: bool,
        /// From the end of the arguments to the result, in milliseconds.
        execution_time_ms: u64,
    },
}

impl PartialEq for AgentEvent {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Message { role, content },
                Self::Message {
                    role: other_role,
                    content: other_content,
                },
            ) => role == other_role && content == other_content,
            (
                Self::FunctionCall {
                    tool_call_id,
                    name,
                    arguments,
                },
                Self::FunctionCall {
                    tool_call_id: other_id,
                    name: other_name,
                    arguments: other_arguments,
                },
            ) => {
                tool_call_id == other_id
                    && name == other_name
                    && is_same_json(arguments, other_arguments)
            }
            (
                Self::FunctionCallOutput {
                    tool_call_id,
                    name,
                    output,
                    is_error,
                    execution_time_ms,
                },
                Self::FunctionCallOutput {
                    tool_call_id: other_id,
                    name: other_name,
                    output: other_output,
                    is_error: other_is_error,
                    execution_time_ms: other_time,
                },
            ) => {
                tool_call_id == other_id
                    && name == other_name
                    && is_same_json(output, other_output)
                    && is_error == other_is_error
                    && execution_time_ms == other_time
            }
            _ => false,
        }
    }
}

impl EventRole {
    /// `assistant` or `user`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::User => "user",
        }
    }
}

impl AgentEvent {
    /// The author of the event: calls and their results are the agent's.
    pub fn role(&self) -> EventRole {
        match self {
            Self::Message { role, .. } => *role,
            Self::FunctionCall { .. } | Self::FunctionCallOutput { .. } => EventRole::Assistant,
        }
    }

    /// The kind of event: `a message`, `a function call` or `a function call output`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Message { .. } => "a message",
            Self::FunctionCall { .. } => "a function call",
            Self::FunctionCallOutput { .. } => "a function call output",
        }
    }

    /// The event in short, in a sentence: `a call to get_weather`.
    pub fn short(&self) -> String {
        match self {
            Self::Message { role, content } => {
                format!(
                    "a message of the {} `{}`",
                    role.as_str(),
                    truncate::chars(content, SHOWN)
                )
            }
            Self::FunctionCall { name, .. } => format!("a call to {name}"),
            Self::FunctionCallOutput { name, .. } => format!("an output of {name}"),
        }
    }
}

/// One line of a list of events.
impl fmt::Display for AgentEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::Message { role, content } => format!("message ({}): {content}", role.as_str()),
            Self::FunctionCall {
                name, arguments, ..
            } => format!("function call: {name}({arguments})"),
            Self::FunctionCallOutput {
                name,
                output,
                is_error,
                ..
            } => {
                format!(
                    "function call output: {name} → {}{output}",
                    if *is_error { "error: " } else { "" }
                )
            }
        };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        formatter.write_str(&truncate::chars(&line, 2 * SHOWN))
    }
}

/// The events of the last turn of `trace`, in their order; also results of what was called before, such as a call that
/// waited for an approval.
pub fn events_of_last_turn(trace: &Trace) -> Vec<AgentEvent> {
    let Some(last) = trace.turns.len().checked_sub(1) else {
        return Vec::new();
    };
    let is_shown = |call: &ToolCall| call.origin != Origin::History || call.counted_in != last;
    let event = |item: &TraceItem| match *item {
        TraceItem::Message(index) => {
            let message = &trace.messages[index];
            let is_said = message.role == MessageKind::Assistant && !message.text.is_empty();
            is_said.then(|| AgentEvent::Message {
                role: EventRole::Assistant,
                content: message.text.clone(),
            })
        }
        TraceItem::Call(index) => {
            let call = &trace.calls[index];
            is_shown(call).then(|| AgentEvent::FunctionCall {
                tool_call_id: call.wire_id.to_string(),
                name: call.name.to_string(),
                arguments: call.args_value(),
            })
        }
        TraceItem::Result { call, .. } => {
            let call = &trace.calls[call];
            item.result(trace)
                .filter(|_| is_shown(call))
                .map(|result| output(call, result))
        }
        TraceItem::Answer { .. } | TraceItem::State(_) | TraceItem::ModelCall(_) => None,
    };
    trace.log_of(last).iter().filter_map(event).collect()
}

fn output(call: &ToolCall, result: &ToolResult) -> AgentEvent {
    let begun: At = call.args_done.unwrap_or(call.started);
    AgentEvent::FunctionCallOutput {
        tool_call_id: call.wire_id.to_string(),
        name: call.name.to_string(),
        output: result.value(),
        is_error: result.is_error == Some(true) || result.is_denied,
        execution_time_ms: result.at.0.saturating_sub(begun.0) / 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Change, Input, Interrupt, ResultContent, RunEnd};

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn a_result_is_an_event_of_the_turn_in_which_it_comes() {
        let mut trace = Trace::new(Value::Null);
        let mut deltas = Vec::new();
        let result = |id: &'static str, text: &'static str| {
            let result = ResultContent::Text(text.into());
            Change::CallAnswered {
                id: id.into(),
                result,
                is_error: None,
            }
        };
        let call = |id: &'static str| Change::CallOpened {
            id: id.into(),
            name: "book".into(),
            subagent: None,
        };
        let start = || Change::RunStarted {
            run_id: None,
            thread_id: None,
            is_replay: false,
        };
        let waits = RunEnd::Interrupted(vec![Interrupt::default()]);
        let turns = [
            vec![
                start(),
                call("a"),
                result("a", "1"),
                call("b"),
                Change::RunEnded(waits),
            ],
            vec![
                start(),
                result("b", "2"),
                call("c"),
                result("c", "3"),
                Change::RunEnded(RunEnd::Finished),
            ],
            vec![start(), Change::RunEnded(RunEnd::Finished)],
        ];
        let mut found = Vec::new();
        for changes in turns {
            trace.begin_turn(Input::default());
            trace.begin_exchange(At::default());
            for change in changes {
                trace.apply(At::default(), change, &mut deltas);
            }
            trace.end_turn(&mut deltas);
            found.push(
                events_of_last_turn(&trace)
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
            );
        }
        let output = |text: &str| format!("function call output: book → {text}");
        let call = || "function call: book({})".to_owned();
        assert_eq!(
            found,
            [
                vec![call(), output("1"), call()],
                vec![output("2"), call(), output("3")],
                Vec::new()
            ]
        );
    }
}
