//! The parts of an agent's events that are not understood: keys without a meaning, unknown parts, and calls in a
//! convention that the target does not name (SPEC 13).
//!
//! The silent list: `metadata` and `extensions` of everything, which are for applications and extensions (A2A 1.0,
//! "Extensions").

use serde_json::Value;

use super::config::ToolCallConvention;
use super::conventions::{self, ConventionChange};
use super::incoming::Payload;
use super::part::{PartContent, content, parts};
use ananke_trace::trace::Unread;

const TASK: &[&str] = &["id", "contextId", "status", "artifacts", "history", "kind"];
const MESSAGE: &[&str] = &[
    "messageId",
    "role",
    "parts",
    "content",
    "contextId",
    "taskId",
    "referenceTaskIds",
    "kind",
];
const STATUS: &[&str] = &["state", "message", "timestamp"];
const STATUS_UPDATE: &[&str] = &["taskId", "contextId", "status", "final", "kind"];
const ARTIFACT: &[&str] = &[
    "artifactId",
    "name",
    "description",
    "parts",
    "content",
    "index",
    "append",
    "lastChunk",
];
const ARTIFACT_UPDATE: &[&str] = &[
    "taskId",
    "contextId",
    "artifact",
    "append",
    "lastChunk",
    "kind",
];
const PART: &[&str] = &[
    "text",
    "data",
    "file",
    "url",
    "raw",
    "mediaType",
    "filename",
    "kind",
    "type",
];
const ENVELOPE: &[&str] = &["jsonrpc", "id", "result", "error"];
const RESULT: &[&str] = &[
    "task",
    "message",
    "msg",
    "statusUpdate",
    "artifactUpdate",
    "artifact",
];
const SILENT: &[&str] = &["metadata", "extensions"];

/// Collects what is not understood.
pub(super) struct UnreadCollector<'c> {
    conventions: &'c [ToolCallConvention],
    found: Vec<Unread<'static>>,
}

impl<'c> UnreadCollector<'c> {
    /// The members of a payload that are not understood, if these conventions are named.
    pub(super) fn of_payload(
        payload: &Payload,
        conventions: &'c [ToolCallConvention],
    ) -> Vec<Unread<'static>> {
        let mut collector = Self {
            conventions,
            found: Vec::new(),
        };
        match payload {
            Payload::Task(task) => collector.task(task),
            Payload::Message(message) => collector.message(message),
            Payload::Status(update) => {
                collector.keys("statusUpdate.", update, STATUS_UPDATE);
                collector.convention(&conventions::of_status(&collector.others(), update));
                if let Some(status) = update.get("status") {
                    collector.status(status);
                }
            }
            Payload::Artifact(update) => {
                collector.keys("artifactUpdate.", update, ARTIFACT_UPDATE);
                if let Some(artifact) = update.get("artifact") {
                    collector.artifact(artifact);
                }
            }
            Payload::ArtifactAlone(artifact) => collector.artifact(artifact),
        }
        collector.found
    }

    /// The members of the envelope of JSON-RPC that are not understood.
    pub(super) fn of_envelope(event: &Value) -> Vec<Unread<'static>> {
        keys("", event, ENVELOPE).collect()
    }

    /// The members of a result that are not understood, each of which is a payload.
    pub(super) fn of_result(result: &Value) -> Vec<Unread<'static>> {
        let has_members = RESULT.iter().any(|member| result.get(*member).is_some());
        let found = keys("", result, RESULT).filter(|_| has_members);
        found.collect()
    }

    fn task(&mut self, task: &Value) {
        self.keys("task.", task, TASK);
        if let Some(status) = task.get("status") {
            self.status(status);
        }
        let list = |key: &str| {
            task.get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        list("artifacts").for_each(|artifact| self.artifact(artifact));
        list("history")
            .filter(|message| is_of_agent(message))
            .for_each(|message| self.message(message));
    }

    fn status(&mut self, status: &Value) {
        self.keys("status.", status, STATUS);
        if let Some(message) = status.get("message").filter(|message| message.is_object()) {
            self.message(message);
        }
    }

    fn message(&mut self, message: &Value) {
        self.keys("message.", message, MESSAGE);
        self.parts(message);
    }

    fn artifact(&mut self, artifact: &Value) {
        self.keys("artifact.", artifact, ARTIFACT);
        self.parts(artifact);
    }

    fn parts(&mut self, holder: &Value) {
        for part in parts(holder) {
            self.found.extend(keys("part.", part, PART));
            if let Some(change) = conventions::of_part(&self.others(), part) {
                self.convention(&[change]);
            } else if conventions::of_part(self.conventions, part).is_none()
                && content(part) == PartContent::Unknown
            {
                let kind = ["kind", "type"]
                    .iter()
                    .find_map(|key| part.get(*key)?.as_str());
                let name = format!("part:{}", kind.unwrap_or_default());
                self.found.push(Unread::item(name, part));
            }
        }
    }

    /// The keys of an object that have no meaning.
    fn keys(&mut self, holder: &str, value: &Value, known: &[&str]) {
        if value.get("metadata").is_some() {
            self.convention(&conventions::of_metadata(&self.others(), value));
        }
        self.found.extend(keys(holder, value, known));
    }

    /// The conventions that are not named.
    fn others(&self) -> Vec<ToolCallConvention> {
        let is_other = |convention: &ToolCallConvention| !self.conventions.contains(convention);
        ToolCallConvention::ALL
            .into_iter()
            .filter(is_other)
            .collect()
    }

    /// Calls that are shown in a convention that is not named.
    fn convention(&mut self, changes: &[ConventionChange]) {
        for change in changes {
            if let ConventionChange::Call { name, args, .. } = change {
                let call = serde_json::json!({ "name": name, "args": args });
                self.found.push(Unread::item("convention:toolCalls", &call));
            }
        }
    }
}

/// The keys of an object that have no meaning and may hold a call.
fn keys<'v>(
    holder: &'v str,
    value: &'v Value,
    known: &'v [&str],
) -> impl Iterator<Item = Unread<'static>> + 'v {
    let unknown = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !known.contains(&key.as_str()) && !SILENT.contains(&key.as_str()));
    unknown.filter_map(move |(key, value)| Unread::key(format!("key:{holder}{key}"), value))
}

/// Whether a message is one of the agent.
pub(super) fn is_of_agent(message: &Value) -> bool {
    role(message).ends_with("agent")
}

/// Whether a message is one of the user.
pub(super) fn is_of_user(message: &Value) -> bool {
    role(message).ends_with("user")
}

/// The role of a message, in lowercase: 1.0 writes `ROLE_AGENT`, 0.3 `agent`.
fn role(message: &Value) -> String {
    let role = message.get("role").and_then(Value::as_str);
    role.unwrap_or_default().to_ascii_lowercase()
}
