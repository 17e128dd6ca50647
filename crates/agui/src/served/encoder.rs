//! The events of an agent's actions: one form for each change, which the decoder reads as the same change.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::conversation_settings::ProtocolVersion;
use ananke_agents::{ServedFrame, TimedChange, result_text};
use ananke_trace::trace::{Change, Interrupt, MessageKind, ModelUsage, RunEnd, Usage};

/// Makes the events of one response.
pub(super) struct Encoder<'r> {
    thread_id: &'r str,
    run_id: &'r str,
    /// The version that the client speaks: subagents and tokens came with 1.0.
    version: ProtocolVersion,
    frames: Vec<ServedFrame>,
    /// The time between the request and the change that is being encoded.
    after: Duration,
    /// The reasoning that is open.
    reasoning: Option<String>,
    /// The subagents of the open run.
    subagents: BTreeSet<String>,
    /// The tokens of the open run.
    /// The tokens of the run, an entry for each model.
    usage: Vec<ModelUsage>,
}

/// The event of an agent that has failed.
pub(super) fn error_event(message: &str, code: Option<&str>) -> Value {
    let mut event = json!({ "type": "RUN_ERROR", "message": message });
    if let Some(code) = code {
        event["code"] = code.into();
    }
    event
}

impl<'r> Encoder<'r> {
    pub(super) fn new(thread_id: &'r str, run_id: &'r str, version: ProtocolVersion) -> Self {
        Self {
            thread_id,
            run_id,
            version,
            frames: Vec::new(),
            after: Duration::ZERO,
            reasoning: None,
            subagents: BTreeSet::new(),
            usage: Vec::new(),
        }
    }

    pub(super) fn into_frames(mut self) -> Vec<ServedFrame> {
        self.end_reasoning();
        self.frames
    }

    /// The id of a message: no message of the client has it.
    fn message_id(&self, id: &str) -> String {
        format!("{}:{id}", self.thread_id)
    }

    /// The id of the message that holds the result of a call.
    fn result_id(&self, call: &str) -> String {
        self.message_id(&format!("result-{call}"))
    }

    fn send(&mut self, event: &Value) {
        self.frames.push(ServedFrame::event(self.after, event));
    }

    /// An event about something that the subagent does, if there is one.
    fn send_of(&mut self, subagent: Option<&str>, mut event: Value) {
        if let Some(subagent) = subagent.filter(|_| self.version == ProtocolVersion::V1) {
            if self.subagents.insert(subagent.to_owned()) {
                let started = json!({ "type": "SUBAGENT_STARTED", "subagentRunId": subagent, "name": subagent });
                self.send(&started);
            }
            event["subagentRunId"] = subagent.into();
        }
        self.send(&event);
    }

    /// Adds the events that say the change. Those that no agent makes itself, such as warnings, have none.
    pub(super) fn encode(&mut self, TimedChange { after, change }: &TimedChange) {
        let is_more = |open: &String| matches!(change, Change::Reasoning { id, .. } if id == open);
        if !self.reasoning.as_ref().is_some_and(is_more) {
            self.end_reasoning();
        }
        self.after = *after;
        if let Some(event) = self.event(change) {
            self.send_of(subagent_of(change), event);
        }
        match change {
            Change::RunEnded(end) => self.end_run(end),
            Change::CallAnswered {
                id,
                is_error: Some(true),
                ..
            } => self.fail_call(id, "failed"),
            Change::CallFailed { id, is_denied } => {
                self.fail_call(id, if *is_denied { "denied" } else { "failed" });
            }
            Change::Reasoning { id, delta, .. } if !delta.is_empty() => self.reasoning(id, delta),
            Change::Usage { usage, model } => self.add_usage(*usage, model.as_deref()),
            _ => {}
        }
    }

    /// The event that says a change, if it is one event, and the same whatever was before.
    fn event(&self, change: &Change<'_>) -> Option<Value> {
        Some(match change {
            Change::RunStarted {
                run_id, is_replay, ..
            } => {
                let replayed = run_id.as_deref().filter(|_| *is_replay);
                let run_id = replayed.unwrap_or(self.run_id);
                json!({ "type": "RUN_STARTED", "threadId": self.thread_id, "runId": run_id })
            }
            Change::MessageOpened { id, role, .. } => {
                let (id, role) = (self.message_id(id), role_name(*role));
                json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": role })
            }
            Change::MessageText { id, delta } => {
                let id = self.message_id(id);
                json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta })
            }
            Change::MessageClosed { id } => {
                json!({ "type": "TEXT_MESSAGE_END", "messageId": self.message_id(id) })
            }
            Change::CallOpened { id, name, .. } => {
                json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name })
            }
            Change::CallArgs { id, delta } => {
                json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta })
            }
            Change::CallArgsDone { id } => json!({ "type": "TOOL_CALL_END", "toolCallId": id }),
            Change::CallAnswered { id, result, .. } => json!({
                "type": "TOOL_CALL_RESULT",
                "messageId": self.result_id(id),
                "toolCallId": id,
                "content": result_text(result),
                "role": "tool",
            }),
            Change::Custom { name, value } => {
                json!({ "type": "CUSTOM", "name": name, "value": value })
            }
            Change::StateReplaced(state) => json!({ "type": "STATE_SNAPSHOT", "snapshot": state }),
            Change::StatePatched(patch) => json!({ "type": "STATE_DELTA", "delta": patch }),
            Change::RunEnded(_)
            | Change::CallFailed { .. }
            | Change::ResultArrived { .. }
            | Change::ResultFollows { .. }
            | Change::Reasoning { .. }
            | Change::Usage { .. }
            | Change::Stamped(_)
            | Change::ToolsDeclared { .. }
            | Change::MessageRetracted { .. }
            | Change::Snapshot(_)
            | Change::Truncated
            | Change::Violation { .. }
            | Change::Unread(_)
            | Change::ModelCalled(_)
            | Change::ModelAskedAgain(_)
            | Change::Aside { .. }
            | Change::CallExecuted { .. }
            | Change::Warning(_) => return None,
        })
    }

    /// More reasoning; it is open until something else comes.
    fn reasoning(&mut self, own_id: &str, delta: &str) {
        let id = self.message_id(own_id);
        if self.reasoning.is_none() {
            self.send(&json!({ "type": "REASONING_START", "messageId": id }));
            self.send(
                &json!({ "type": "REASONING_MESSAGE_START", "messageId": id, "role": "reasoning" }),
            );
            self.reasoning = Some(own_id.to_owned());
        }
        self.send(&json!({ "type": "REASONING_MESSAGE_CONTENT", "messageId": id, "delta": delta }));
    }

    fn end_reasoning(&mut self) {
        if let Some(id) = self.reasoning.take().map(|id| self.message_id(&id)) {
            self.send(&json!({ "type": "REASONING_MESSAGE_END", "messageId": id }));
            self.send(&json!({ "type": "REASONING_END", "messageId": id }));
        }
    }

    /// Says of the last result of a call that the call failed, as pydantic-ai does: the protocol has no field for it.
    fn fail_call(&mut self, id: &str, outcome: &str) {
        let value = json!({ "pydantic_ai": { "outcome": outcome } }).to_string();
        let event = json!({
            "type": "REASONING_ENCRYPTED_VALUE",
            "subtype": "message",
            "entityId": self.result_id(id),
            "encryptedValue": value,
        });
        self.send(&event);
    }

    /// Adds tokens of a model to its entry.
    fn add_usage(&mut self, usage: Usage, model: Option<&str>) {
        for entry in &mut self.usage {
            if entry.model.as_deref() == model {
                entry.usage = entry.usage + usage;
                return;
            }
        }
        self.usage.push(ModelUsage {
            usage,
            model: model.map(str::to_owned),
        });
    }

    fn end_run(&mut self, end: &RunEnd) {
        let usage = std::mem::take(&mut self.usage);
        let usage: Vec<Value> = usage.iter().map(usage_entry).collect();
        let subagents = std::mem::take(&mut self.subagents);
        let mut event = if let RunEnd::Error { message, code } = end {
            error_event(message, code.as_deref())
        } else {
            for subagent in subagents {
                self.send(&json!({ "type": "SUBAGENT_FINISHED", "subagentRunId": subagent }));
            }
            json!({ "type": "RUN_FINISHED", "threadId": self.thread_id, "runId": self.run_id })
        };
        match end {
            RunEnd::Interrupted(interrupts) => {
                let interrupts: Vec<Value> = interrupts.iter().map(interrupt).collect();
                event["outcome"] = json!({ "type": "interrupt", "interrupts": interrupts });
            }
            RunEnd::Cancelled => event["outcome"] = json!({ "type": "cancelled" }),
            RunEnd::Unknown(outcome) => event["outcome"] = json!({ "type": outcome }),
            RunEnd::Finished | RunEnd::Error { .. } => {}
        }
        // Versions before 1.0 have no place for tokens.
        if !usage.is_empty() && self.version == ProtocolVersion::V1 {
            event["usage"] = json!(usage);
        }
        self.send(&event);
    }
}

/// The subagent that begins the message or call of a change.
fn subagent_of<'c>(change: &'c Change<'_>) -> Option<&'c str> {
    match change {
        Change::MessageOpened { subagent, .. } | Change::CallOpened { subagent, .. } => {
            subagent.as_deref()
        }
        _ => None,
    }
}

fn role_name(role: MessageKind) -> &'static str {
    match role {
        MessageKind::Assistant | MessageKind::Reasoning => "assistant",
        MessageKind::User => "user",
        MessageKind::System => "system",
    }
}

fn usage_entry(ModelUsage { usage, model }: &ModelUsage) -> Value {
    let mut entry = Map::new();
    if let Some(model) = model {
        entry.insert("model".to_owned(), model.as_str().into());
    }
    let counts = [
        ("inputTokens", usage.input),
        ("cachedInputTokens", usage.cached),
        ("outputTokens", usage.output),
        ("totalTokens", usage.total),
    ];
    for (key, tokens) in counts {
        if let Some(count) = tokens.whole() {
            entry.insert(key.to_owned(), count.into());
        }
    }
    Value::Object(entry)
}

/// An interrupt. Clients require a reason.
fn interrupt(interrupt: &Interrupt) -> Value {
    let usual = if interrupt.call.is_some() {
        "tool_call"
    } else {
        "input_required"
    };
    let keys = [
        ("id", Some(interrupt.id.as_str())),
        ("reason", Some(interrupt.reason.as_deref().unwrap_or(usual))),
        ("message", interrupt.message.as_deref()),
        ("toolCallId", interrupt.call.as_deref()),
    ];
    let keys = keys
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
    Value::Object(keys.collect::<Map<_, _>>())
}
