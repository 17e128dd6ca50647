//! The answer of a provider in the form that all APIs have in common, read by the reader that clients of the API have.

use std::ops::ControlFlow;

use super::connection::{ModelReader, ModelReply};
use super::prompt::call_arguments;
use super::tool_loop::ToolLoop;
use crate::common::ToolExecution;
use crate::http::END_MARK;
use crate::served::ServedResponse;
use crate::session::UndeclaredCalls;
use crate::sink::{Sink, Stop, Wire};
use crate::sse::SseDecoder;
use ananke_base::context::At;
use ananke_trace::trace::{Change, FinishReason, ModelAnswer, ModelToolCall, RunEnd};

/// The most bytes of one event of an answer: 64 MiB.
const MOST_BYTES: usize = 64 << 20;

/// The word in the reason for an end that a filter caused.
const FILTER: &str = "content_filter";

/// The word in the reason for an end by a model that refused.
const REFUSAL: &str = "refusal";

/// The loop of a client that executes every tool, so that each call of an answer that the provider did not execute is one of it.
pub fn executing_client() -> ToolLoop {
    let execution = ToolExecution::Run;
    ToolLoop::new([].into(), execution, UndeclaredCalls::Answered, &[])
}

/// Reads the answer in `response`, a stream of events, with the `reader` of its API.
///
/// # Errors
/// The reason why the response is no complete answer.
pub fn read_model_answer<R: ModelReader>(
    response: &ServedResponse,
    mut reader: R,
) -> Result<ModelAnswer, String> {
    if response.status != 200 {
        return Err(format!("it has the status {}", response.status));
    }
    if !response.is_event_stream() {
        let content_type = response.content_type();
        return Err(format!("`{content_type}` is no answer of the API"));
    }
    let mut collected = CollectedAnswer::default();
    let body = response.body();
    let mut rest = body.as_slice();
    let mut events = SseDecoder::new(MOST_BYTES);
    loop {
        let event = events.next_event(&mut rest);
        let Some(data) = event.map_err(|error| error.to_string())? else {
            break;
        };
        read_event(data, &mut reader, &mut collected)?;
    }
    // Some servers end the last event with the stream and not with a blank line.
    if let Some(data) = events.finish() {
        read_event(data, &mut reader, &mut collected)?;
    }
    if !reader.is_ended() {
        return Err("it ended before it was complete".to_owned());
    }
    match reader.finish(&mut collected) {
        Ok(ModelReply::Complete(_)) => Ok(collected.into_answer()),
        Ok(ModelReply::Failed | ModelReply::Stopped) => match collected.error {
            Some(message) => Err(format!("it is an error: {message}")),
            None => Err("it is an error".to_owned()),
        },
        Err(error) => Err(error.to_string()),
    }
}

fn read_event<R: ModelReader>(
    data: &[u8],
    reader: &mut R,
    collected: &mut CollectedAnswer,
) -> Result<(), String> {
    if data.trim_ascii() == END_MARK {
        reader.end_mark(At(0));
    } else if !reader.is_nothing(data) {
        // The sink wants everything.
        let _flow = reader.event(At(0), data, collected)?;
    }
    Ok(())
}

/// The parts of an answer so far.
#[derive(Default)]
struct CollectedAnswer {
    answer: ModelAnswer,
    /// The arguments of each call as their text, in the order of the calls.
    arguments: Vec<String>,
    /// The ids of the calls that the provider has executed itself.
    executed: Vec<String>,
    error: Option<String>,
}

impl CollectedAnswer {
    fn into_answer(mut self) -> ModelAnswer {
        for (call, arguments) in self.answer.calls.iter_mut().zip(self.arguments) {
            call.args = call_arguments(&arguments.into());
        }
        // Calls that the provider has executed are removed, because no client answers them.
        let calls = std::mem::take(&mut self.answer.calls);
        for call in calls {
            if !self.executed.contains(&call.id) {
                self.answer.calls.push(call);
            }
        }
        self.answer
    }

    fn end(&mut self, end: RunEnd) {
        match end {
            RunEnd::Error { message, .. } => self.error = Some(message),
            RunEnd::Unknown(reason) if reason.contains(FILTER) => {
                self.answer.finish = FinishReason::Filter;
            }
            RunEnd::Unknown(reason) if reason.starts_with(REFUSAL) => {
                self.answer.finish = FinishReason::Refusal;
            }
            _ => {}
        }
    }
}

impl Sink for CollectedAnswer {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        // Times and runs are not read, since an answer is compared and sent as a whole.
        match change {
            Change::MessageText { delta, .. } => self.answer.text.push_str(&delta),
            Change::Reasoning { delta, .. } => self.answer.reasoning.push_str(&delta),
            Change::CallOpened { id, name, .. } => {
                self.answer.calls.push(ModelToolCall {
                    id: id.into_owned(),
                    tool: name.into_owned(),
                    args: serde_json::Value::Null,
                });
                self.arguments.push(String::new());
            }
            Change::CallArgs { id, delta } => {
                for (call, arguments) in self.answer.calls.iter().zip(&mut self.arguments) {
                    if call.id == id {
                        arguments.push_str(&delta);
                    }
                }
            }
            Change::CallAnswered { id, .. }
            | Change::CallExecuted { id }
            | Change::CallFailed { id, .. } => self.executed.push(id.into_owned()),
            Change::Truncated => self.answer.finish = FinishReason::Length,
            Change::Usage { usage, .. } => self.answer.usage = Some(usage),
            Change::RunEnded(end) => self.end(end),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
