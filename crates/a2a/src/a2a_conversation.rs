//! The state of a conversation that is kept from one turn to the next.

use std::collections::HashSet;

use serde_json::Value;

use super::artifacts::Artifacts;
use super::call_log::CallLog;
use ananke_trace::trace::is_same_json;

/// The state of a conversation between its turns.
#[derive(Debug, Default)]
pub(super) struct A2aConversation {
    /// The context, as the agent named it, or the target.
    pub(super) context_id: Option<String>,
    /// The task that waits for the next message.
    pub(super) task_id: Option<String>,
    /// The status with which the task began to wait.
    waiting: Option<WaitingStatus>,
    /// The artifacts of the task.
    pub(super) artifacts: Artifacts,
    /// The ids of its messages so far.
    pub(super) seen: HashSet<String>,
    /// The texts of its statuses and of its history.
    pub(super) asides: HashSet<String>,
    /// The calls.
    pub(super) calls: CallLog,
}

/// A status with which a task began to wait.
#[derive(Debug)]
struct WaitingStatus {
    message: String,
    time: String,
    written: Value,
}

impl A2aConversation {
    /// A conversation in this context, if one is given.
    pub(super) fn new(context_id: Option<String>) -> Self {
        Self {
            context_id,
            ..Self::default()
        }
    }

    /// The task waits for the next message, with this status.
    pub(super) fn wait(&mut self, task_id: Option<String>, status: &Value) {
        self.task_id = task_id;
        let (message, time) = identity(status);
        let (message, time) = (message.to_owned(), time.to_owned());
        self.waiting = Some(WaitingStatus {
            message,
            time,
            written: status.clone(),
        });
    }

    /// The task is over: the next message begins another.
    pub(super) fn end_task(&mut self) {
        (self.task_id, self.waiting) = (None, None);
        self.artifacts = Artifacts::default();
        self.seen.clear();
    }

    /// Whether this is the status with which the task began to wait, and nothing has happened since.
    pub(super) fn is_stale(&self, status: &Value) -> bool {
        self.waiting
            .as_ref()
            .is_some_and(|waiting| waiting.is(status))
    }
}

impl WaitingStatus {
    /// Whether `status` is this one: it was reached at the same time with the same message, which may have moved to the history
    /// since; without both, all of it is the same.
    fn is(&self, status: &Value) -> bool {
        match identity(status) {
            ("", "") => is_same_json(status, &self.written),
            (message, time) => time == self.time && (message.is_empty() || message == self.message),
        }
    }
}

/// The message of a status and when it was reached, empty where there is none.
fn identity(status: &Value) -> (&str, &str) {
    let text = |path: &str| {
        status
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    (text("/message/messageId"), text("/timestamp"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_known_again() {
        let status = |id: &str, time: &str| {
            let message = (!id.is_empty()).then(|| json!({ "messageId": id }));
            let mut status = json!({ "state": "input-required" });
            if let Some(message) = message {
                status["message"] = message;
            }
            if !time.is_empty() {
                status["timestamp"] = json!(time);
            }
            status
        };
        let is_stale = |before: (&str, &str), now: (&str, &str)| {
            let mut conversation = A2aConversation::default();
            conversation.wait(Some("t".to_owned()), &status(before.0, before.1));
            conversation.is_stale(&status(now.0, now.1))
        };
        for (before, now) in [
            (("m", "1"), ("m", "1")),
            (("m", "1"), ("", "1")),
            (("m", ""), ("m", "")),
            (("", ""), ("", "")),
        ] {
            assert!(is_stale(before, now), "{before:?} {now:?}");
        }
        for (before, now) in [
            (("m", "1"), ("n", "2")),
            (("m", "1"), ("m", "2")),
            (("m", "1"), ("n", "1")),
            (("m", "1"), ("", "2")),
            (("m", ""), ("", "")),
        ] {
            assert!(!is_stale(before, now), "{before:?} {now:?}");
        }
    }
}
