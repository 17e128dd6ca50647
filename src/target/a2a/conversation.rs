//! What is kept of a conversation from one turn to the next.

use std::collections::HashSet;

use serde_json::Value;

use super::artifacts::Artifacts;
use super::call_log::CallLog;

/// What is kept of a conversation.
#[derive(Debug, Default)]
pub(super) struct A2aConversation {
    /// The context, as the agent named it, or the target.
    pub(super) context_id: Option<String>,
    /// The task that waits for the next message.
    pub(super) task_id: Option<String>,
    /// By what the status is known with which the task began to wait.
    pub(super) waiting: Option<String>,
    /// The artifacts of the task.
    pub(super) artifacts: Artifacts,
    /// The ids of its messages so far.
    pub(super) seen: HashSet<String>,
    /// The calls.
    pub(super) calls: CallLog,
}

impl A2aConversation {
    /// A conversation in this context, if one is given.
    pub(super) fn new(context_id: Option<String>) -> Self {
        Self { context_id, ..Self::default() }
    }

    /// The task waits for the next message, with this status.
    pub(super) fn wait(&mut self, task_id: Option<String>, status: &Value) {
        self.task_id = task_id;
        self.waiting = Some(identity(status));
    }

    /// The task is over: the next message begins another.
    pub(super) fn end_task(&mut self) {
        (self.task_id, self.waiting) = (None, None);
        self.artifacts = Artifacts::default();
        self.seen.clear();
    }

    /// Whether this is the status with which the task began to wait, and nothing has happened since.
    pub(super) fn is_stale(&self, status: &Value) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| *waiting == identity(status))
    }
}

/// By what a status is known again: when it was reached and what was said, else all of it.
fn identity(status: &Value) -> String {
    let text = |path: &str| status.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (message, time) = (text("/message/messageId"), text("/timestamp"));
    if message.is_empty() && time.is_empty() { status.to_string() } else { format!("{message} {time}") }
}
