//! The chunks of an agent's actions: one form for each change, which the reader reads as the same change.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::{Value, json};

use ananke_agents::{ServedFrame, TimedChange, result_text};
use ananke_base::source::received_json::read_event;
use ananke_trace::trace::{Change, Interrupt, MessageKind, ResultContent, RunEnd};

/// The end mark of a stream.
pub(super) const DONE: &str = "[DONE]";

/// The header by which the protocol is known.
pub(super) const HEADER: (&str, &str) = ("x-vercel-ai-ui-message-stream", "v1");

/// Makes the chunks of one response.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a state of a response of its own"
)]
pub(super) struct ChunkEncoder {
    frames: Vec<ServedFrame>,
    /// The time between the request and the change that is being encoded.
    after: Duration,
    /// Whether a step is open.
    is_in_step: bool,
    /// Whether the step has a result: what follows is said by the next call of the model.
    has_results: bool,
    /// The reasoning that is open.
    reasoning: Option<String>,
    /// The messages of the agent that are open.
    messages: HashSet<String>,
    /// The tool of each call, and its arguments so far.
    calls: HashMap<String, (String, String)>,
    /// The calls whose input is complete.
    complete: HashSet<String>,
    /// The calls without a result.
    waits: HashSet<String>,
    /// The result of each call, and the number of its frame: a change after it may say that the call failed.
    results: HashMap<String, (usize, String)>,
    is_truncated: bool,
    has_end: bool,
}

impl ChunkEncoder {
    /// The chunks of a response that is the message with this id.
    pub(super) fn new(message_id: &str) -> Self {
        let start = json!({ "type": "start", "messageId": message_id });
        Self {
            frames: vec![ServedFrame::event(Duration::ZERO, start)],
            after: Duration::ZERO,
            is_in_step: false,
            has_results: false,
            reasoning: None,
            messages: HashSet::new(),
            calls: HashMap::new(),
            complete: HashSet::new(),
            waits: HashSet::new(),
            results: HashMap::new(),
            is_truncated: false,
            has_end: false,
        }
    }

    pub(super) fn into_frames(mut self) -> Vec<ServedFrame> {
        if !self.has_end {
            self.end_run(&RunEnd::Finished);
        }
        self.frames.push(ServedFrame::event(self.after, DONE));
        self.frames
    }

    fn send(&mut self, chunk: &Value) {
        self.frames.push(ServedFrame::event(self.after, chunk));
    }

    /// Adds the chunks that say the change. Those that no agent makes itself, such as warnings, have none.
    pub(super) fn encode(&mut self, TimedChange { after, change }: &TimedChange) {
        let goes_on = match change {
            Change::Reasoning { id, .. } => self.reasoning.as_deref() == Some(id),
            _ => false,
        };
        if !goes_on && let Some(id) = self.reasoning.take() {
            self.send(&json!({ "type": "reasoning-end", "id": id }));
        }
        self.after = *after;
        match change {
            Change::MessageOpened { id, role, .. } if *role == MessageKind::Assistant => {
                self.begin_step();
                self.messages.insert(id.to_string());
                self.send(&json!({ "type": "text-start", "id": id }));
            }
            Change::MessageText { id, delta } if self.messages.contains(&**id) => {
                self.send(&json!({ "type": "text-delta", "id": id, "delta": delta }));
            }
            Change::MessageClosed { id } if self.messages.remove(&**id) => {
                self.send(&json!({ "type": "text-end", "id": id }));
            }
            Change::Reasoning { id, delta, .. } if !delta.is_empty() => self.reason(id, delta),
            Change::CallOpened { id, name, .. } => {
                self.begin_step();
                self.calls
                    .insert(id.to_string(), (name.to_string(), String::new()));
                self.waits.insert(id.to_string());
                self.send(
                    &json!({ "type": "tool-input-start", "toolCallId": id, "toolName": name }),
                );
            }
            Change::CallArgs { id, delta } => {
                if let Some((_, arguments)) = self.calls.get_mut(&**id) {
                    arguments.push_str(delta);
                }
                self.send(
                    &json!({ "type": "tool-input-delta", "toolCallId": id, "inputTextDelta": delta }),
                );
            }
            Change::CallArgsDone { id } => self.complete_input(id),
            Change::CallAnswered {
                id,
                result,
                is_error: Some(true),
            } => self.fail(id, result),
            Change::CallAnswered { id, result, .. } => self.answer(id, result),
            Change::CallFailed { id, is_denied } => {
                if *is_denied {
                    self.deny(id);
                } else {
                    self.fail_answered(id);
                }
            }
            Change::Custom { name, value } => {
                let name = name.strip_prefix("data-").unwrap_or(name);
                self.send(&json!({ "type": format!("data-{name}"), "data": value }));
            }
            Change::Truncated => self.is_truncated = true,
            Change::RunEnded(end) => self.end_run(end),
            _ => {}
        }
    }

    /// Begins a step, unless the running one goes on: results end a step.
    fn begin_step(&mut self) {
        if self.has_results {
            self.end_step();
        }
        if !self.is_in_step {
            self.is_in_step = true;
            self.send(&json!({ "type": "start-step" }));
        }
    }

    fn end_step(&mut self) {
        self.has_results = false;
        if std::mem::replace(&mut self.is_in_step, false) {
            self.send(&json!({ "type": "finish-step" }));
        }
    }

    /// More reasoning; it is open until something else comes.
    fn reason(&mut self, id: &str, delta: &str) {
        if self.reasoning.is_none() {
            self.begin_step();
            self.send(&json!({ "type": "reasoning-start", "id": id }));
            self.reasoning = Some(id.to_owned());
        }
        self.send(&json!({ "type": "reasoning-delta", "id": id, "delta": delta }));
    }

    /// Sends the whole input of a call. A text that cannot be parsed goes as it is.
    fn complete_input(&mut self, id: &str) {
        let Some((tool, arguments)) = self.calls.get(id) else {
            return;
        };
        if !self.complete.insert(id.to_owned()) {
            return;
        }
        let input = match read_event(arguments) {
            Ok((input, _)) => input,
            Err(_) if arguments.trim().is_empty() => json!({}),
            Err(_) => arguments.as_str().into(),
        };
        let chunk = json!({ "type": "tool-input-available", "toolCallId": id, "toolName": tool, "input": input });
        self.send(&chunk);
    }

    /// Ends a call with its result.
    fn answer(&mut self, id: &str, result: &ResultContent<'_>) {
        self.end_call(id, result);
        let output = value_of(result);
        self.send(&json!({ "type": "tool-output-available", "toolCallId": id, "output": output }));
    }

    /// Ends a call with an error, which is a text.
    fn fail(&mut self, id: &str, result: &ResultContent<'_>) {
        self.end_call(id, result);
        self.send(&error_of(id, &result_text(result)));
    }

    /// Makes the result of a call its error. The protocol says both in one chunk.
    fn fail_answered(&mut self, id: &str) {
        if let Some((frame, text)) = self.results.get(id) {
            let after = self.frames[*frame].after;
            self.frames[*frame] = ServedFrame::event(after, error_of(id, text));
        }
    }

    /// Makes the result of a call its denial, of which the protocol has no text.
    fn deny(&mut self, id: &str) {
        if let Some((frame, _)) = self.results.get(id) {
            let after = self.frames[*frame].after;
            let denied = json!({ "type": "tool-output-denied", "toolCallId": id });
            self.frames[*frame] = ServedFrame::event(after, denied);
        }
    }

    /// Notes that a call has its outcome, whose frame is the next one: its input is complete.
    fn end_call(&mut self, id: &str, result: &ResultContent<'_>) {
        self.complete_input(id);
        let kept = (self.frames.len(), result_text(result).into_owned());
        self.results.insert(id.to_owned(), kept);
        self.waits.remove(id);
        self.has_results = true;
    }

    fn end_run(&mut self, end: &RunEnd) {
        self.has_end = true;
        let reason = match end {
            RunEnd::Finished if self.is_truncated => "length",
            RunEnd::Finished if self.waits.is_empty() => "stop",
            RunEnd::Finished | RunEnd::Interrupted(_) => "tool-calls",
            RunEnd::Unknown(reason) if reason == "content-filter" => "content-filter",
            RunEnd::Unknown(_) => "other",
            RunEnd::Cancelled => "",
            RunEnd::Error { .. } => "error",
        };
        match end {
            RunEnd::Error { message, .. } => {
                self.send(&json!({ "type": "error", "errorText": message }));
            }
            RunEnd::Interrupted(interrupts) => {
                for interrupt in interrupts {
                    self.ask(interrupt);
                }
            }
            RunEnd::Cancelled => self.send(&json!({ "type": "abort" })),
            RunEnd::Finished | RunEnd::Unknown(_) => {}
        }
        self.end_step();
        if reason.is_empty() {
            return;
        }
        self.send(&json!({ "type": "finish", "finishReason": reason }));
    }

    /// Asks for the approval of a call. The protocol has no other questions: one without a call has a call of its own.
    fn ask(&mut self, interrupt: &Interrupt) {
        let call = interrupt.call.as_ref().unwrap_or(&interrupt.id);
        if interrupt.call.is_none() {
            self.begin_step();
            let question = interrupt.message.as_deref().unwrap_or_default();
            self.send(&json!({
                "type": "tool-input-available", "toolCallId": call, "toolName": "ask", "input": { "question": question },
            }));
        }
        // The question itself is not sent, since clients of version 6 refuse a chunk with a key that they do not know.
        let chunk = json!({ "type": "tool-approval-request", "approvalId": interrupt.id, "toolCallId": call });
        self.send(&chunk);
    }
}

/// The value of a result.
fn value_of(result: &ResultContent<'_>) -> Value {
    match result {
        ResultContent::Text(text) => Value::from(text.as_ref()),
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => value.clone(),
    }
}

/// The chunk of a call that failed with this text.
fn error_of(id: &str, text: &str) -> Value {
    json!({ "type": "tool-output-error", "toolCallId": id, "errorText": text })
}
