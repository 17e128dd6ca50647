//! The parts of an agent's events that are not understood: keys without a meaning, unknown parts, and calls in a
//! convention that the target does not name (SPEC 13).
//!
//! The silent list: `metadata` and `extensions` of everything, which are for applications and extensions (A2A 1.0,
//! "Extensions").

use serde_json::Value;

use super::config::ToolCallConvention;
use super::conventions::{self, ConventionChange};
use super::history::{SaidMessage, is_of_agent, is_of_user, live_history};
use super::incoming::{MEMBERS, Payload};
use super::part::{PartContent, content, list, parts};
use ananke_base::{source::printable, text::truncate};
use ananke_trace::trace::{
    Fact, Facts, JsonKinds as Kinds, KnownKey, Unread, unread_items, unread_keys,
};

/// What may carry anything that an agent says.
const SAID: Facts = Facts::of(&[
    Fact::Text,
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
]);

/// What may be a call or its result.
pub(super) const CALL: Facts =
    Facts::of(&[Fact::Calls, Fact::Arguments, Fact::Results, Fact::CallEnds]);

/// What carries text.
const TEXT: Facts = Facts::of(&[Fact::Text]);

/// The keys of an object, and those that are silent everywhere.
macro_rules! table {
    ($($key:expr,)*) => {
        &[$($key,)* KnownKey::any("metadata"), KnownKey::any("extensions")]
    };
}

const TASK: &[KnownKey] = table![
    KnownKey::any("id"),
    KnownKey::any("contextId"),
    // One that is no object is an error.
    KnownKey::any("status"),
    KnownKey::new("artifacts", Kinds::LIST, SAID),
    KnownKey::new("history", Kinds::LIST, SAID),
    KnownKey::any("kind"),
];
const MESSAGE: &[KnownKey] = table![
    KnownKey::any("messageId"),
    KnownKey::new("role", Kinds::TEXT, SAID),
    KnownKey::new("parts", Kinds::LIST, SAID),
    KnownKey::new("content", Kinds::LIST, SAID),
    KnownKey::any("contextId"),
    KnownKey::any("taskId"),
    KnownKey::any("referenceTaskIds"),
    KnownKey::any("kind"),
];
const STATUS: &[KnownKey] = table![
    KnownKey::any("state"),
    KnownKey::new("message", Kinds::OBJECT, SAID),
    KnownKey::any("timestamp"),
];
const STATUS_UPDATE: &[KnownKey] = table![
    KnownKey::any("taskId"),
    KnownKey::any("contextId"),
    KnownKey::any("status"),
    KnownKey::any("final"),
    KnownKey::any("kind"),
];
const ARTIFACT: &[KnownKey] = table![
    KnownKey::any("artifactId"),
    KnownKey::any("name"),
    KnownKey::any("description"),
    KnownKey::new("parts", Kinds::LIST, SAID),
    KnownKey::new("content", Kinds::LIST, SAID),
    KnownKey::any("index"),
    KnownKey::any("append"),
    KnownKey::any("lastChunk"),
];
const ARTIFACT_UPDATE: &[KnownKey] = table![
    KnownKey::any("taskId"),
    KnownKey::any("contextId"),
    KnownKey::new("artifact", Kinds::OBJECT, SAID),
    KnownKey::any("append"),
    KnownKey::any("lastChunk"),
    KnownKey::any("kind"),
];
const PART: &[KnownKey] = table![
    KnownKey::new("text", Kinds::TEXT, TEXT),
    // Data are read as text, as a call, or looked at by themselves.
    KnownKey::any("data"),
    KnownKey::any("file"),
    KnownKey::any("url"),
    KnownKey::any("raw"),
    KnownKey::any("mediaType"),
    KnownKey::any("filename"),
    KnownKey::any("kind"),
    KnownKey::any("type"),
];
const ENVELOPE: &[KnownKey] = table![
    KnownKey::any("jsonrpc"),
    KnownKey::any("id"),
    KnownKey::any("result"),
    KnownKey::any("error"),
];
const RESULT: &[KnownKey] = table![
    KnownKey::any("task"),
    KnownKey::new("message", Kinds::OBJECT, SAID),
    KnownKey::new("msg", Kinds::OBJECT, SAID),
    KnownKey::any("statusUpdate"),
    KnownKey::any("artifactUpdate"),
    KnownKey::new("artifact", Kinds::OBJECT, SAID),
];

/// Collects what is not understood.
pub(super) struct UnreadCollector<'c> {
    conventions: &'c [ToolCallConvention],
    /// Whether a convention reads all data of the payload.
    reads_data: bool,
    found: Vec<Unread<'static>>,
}

impl<'c> UnreadCollector<'c> {
    /// The members of a payload that are not understood, if these conventions are named, in a turn that began with `said`.
    pub(super) fn of_payload(
        payload: &Payload,
        conventions: &'c [ToolCallConvention],
        said: &SaidMessage,
    ) -> Vec<Unread<'static>> {
        let mut collector = Self {
            conventions,
            reads_data: false,
            found: Vec::new(),
        };
        match payload {
            Payload::Task(task) => collector.task(task, said),
            Payload::Message(message) => collector.message(message),
            Payload::Status(update) => {
                collector.keys("statusUpdate.", update, STATUS_UPDATE);
                let of_others = conventions::of_status(&collector.others(), update);
                collector.convention(&of_others);
                let own = conventions::of_status(conventions, update);
                collector.reads_data = !(own.is_empty() && of_others.is_empty());
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
            Payload::Unknown(event) => {
                let kind = ["kind", "type"]
                    .iter()
                    .find_map(|key| event.get(*key)?.as_str());
                let first = || event.as_object()?.keys().next().map(String::as_str);
                let name = kind.or_else(first).unwrap_or_default();
                collector.item("event", name, event);
            }
        }
        collector.found
    }

    /// The members of the envelope of JSON-RPC that are not understood.
    pub(super) fn of_envelope(event: &Value) -> Vec<Unread<'static>> {
        let mut found = Vec::new();
        unread_keys("", event, ENVELOPE, &mut found);
        found
    }

    /// The members of a result that are not understood, each of which is a payload.
    pub(super) fn of_result(result: &Value) -> Vec<Unread<'static>> {
        let mut found = Vec::new();
        if has_members(result) {
            unread_keys("", result, RESULT, &mut found);
        }
        found
    }

    fn task(&mut self, task: &Value, said: &SaidMessage) {
        self.keys("task.", task, TASK);
        if let Some(status) = task.get("status") {
            self.status(status);
        }
        for artifact in self.items("task.artifacts", list(task, "artifacts")) {
            self.artifact(artifact);
        }
        for message in self.items("task.history", live_history(task, said)) {
            if is_of_agent(message) {
                self.message(message);
            } else if !is_of_user(message) {
                self.keys("message.", message, MESSAGE);
                let role = message.get("role").and_then(Value::as_str);
                self.item("role", role.unwrap_or_default(), message);
            }
        }
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
        for part in self.items("parts", parts(holder)) {
            unread_keys("part.", part, PART, &mut self.found);
            if let Some(change) = conventions::of_part(&self.others(), part) {
                self.convention(&[change]);
                continue;
            }
            if conventions::of_part(self.conventions, part).is_some() {
                continue;
            }
            match content(part) {
                PartContent::Data(data) if !self.reads_data && conventions::is_like_call(data) => {
                    let unread = Unread::item("part:data", data);
                    let facts = unread.facts | CALL;
                    self.found.push(Unread { facts, ..unread });
                }
                PartContent::Unknown => {
                    let kind = ["kind", "type"]
                        .iter()
                        .find_map(|key| part.get(*key)?.as_str());
                    self.item("part", kind.unwrap_or_default(), part);
                }
                _ => {}
            }
        }
    }

    /// The items of a list; one that is no object may say anything.
    fn items<'v>(&mut self, name: &str, items: &'v [Value]) -> &'v [Value] {
        unread_items(name, items, Kinds::OBJECT, SAID, &mut self.found);
        items
    }

    /// An item of an unknown kind.
    fn item(&mut self, what: &str, kind: &str, item: &Value) {
        let kind = printable(truncate::bytes(kind, Unread::QUOTED_BYTES).as_ref());
        self.found
            .push(Unread::item(format!("{what}:{kind}"), item));
    }

    /// The keys of an object that are not understood.
    fn keys(&mut self, holder: &str, value: &Value, known: &[KnownKey]) {
        if value.get("metadata").is_some() {
            self.convention(&conventions::of_metadata(&self.others(), value));
        }
        unread_keys(holder, value, known, &mut self.found);
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
            let name = "convention:toolCalls";
            match change {
                ConventionChange::Call {
                    name: tool, args, ..
                } => {
                    let call = serde_json::json!({ "name": tool, "args": args });
                    self.found.push(Unread::item(name, &call));
                }
                ConventionChange::Unreadable(value) => {
                    self.found.push(Unread::other_kind(name, CALL, value));
                }
                _ => {}
            }
        }
    }
}

/// Whether a result is an object of payloads, and no payload itself.
fn has_members(result: &Value) -> bool {
    MEMBERS.iter().any(|(name, _)| result.get(*name).is_some())
}
