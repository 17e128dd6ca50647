//! The contents of messages and artifacts: texts, data, files, and the calls that conventions read from them.

use std::collections::HashMap;

use serde_json::Value;

use super::A2aReader;
use crate::artifacts::{Added, ArtifactUpdate};
use crate::call_log::CallParts;
use crate::conventions::{self, ConventionChange};
use crate::history::{earlier, is_of_agent};
use crate::part::{PartContent, content, list, parts, text_of};
use crate::teller::Teller;
use crate::unread::CALL;
use ananke_base::source::received_json::{HalfJoiner, Oddities, SentText};
use ananke_trace::trace::{Change, Unread};

impl<'a> A2aReader<'a> {
    /// Reports text next to the answer, once.
    pub(super) fn aside(&mut self, text: &str, teller: &mut Teller<'_>) {
        if self.conversation.asides.insert(text.to_owned()) {
            teller.aside(text);
        }
    }

    /// No more pieces of artifacts come.
    pub(super) fn end_pieces(&mut self, teller: &mut Teller<'_>) {
        for (id, joiner) in &mut self.joiners {
            if let (Some(lone), Some(message)) = (joiner.finish(), self.open.get(id)) {
                teller.tell(Change::Warning(Oddities::HALF.into()));
                teller.add(message, lone.encode_utf8(&mut [0; 4]));
            }
        }
    }

    /// Reads a message of the agent: its texts are one message, which begins with the first of them. Calls and data have the
    /// places of their parts.
    pub(super) fn message(&mut self, message: &Value, calls: CallParts, teller: &mut Teller<'_>) {
        let id = message
            .get("messageId")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty());
        let id = id.map_or_else(|| self.ids.next("message"), str::to_owned);
        let own = self.own_parts(message);
        let texts = own.filter_map(|part| match content(part) {
            PartContent::Text(text) => Some(text),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        let mut text = Some(texts.join("\n")).filter(|text| !text.is_empty());
        let mut others = 0;
        for part in parts(message) {
            if let Some(change) = conventions::of_part(self.conventions, part) {
                if calls == CallParts::Taken {
                    self.call(change, teller);
                }
                continue;
            }
            let PartContent::Text(own) = content(part) else {
                others += 1;
                self.other_part(&id, others, part, teller);
                continue;
            };
            if !own.is_empty()
                && let Some(text) = text.take()
            {
                self.has_spoken = true;
                teller.say(&id, &text);
            }
        }
    }

    /// Takes an artifact, or more of one, and returns its id. What is new of its text begins with the first part that has some of
    /// it; calls and data have the places of their parts.
    pub(super) fn artifact(
        &mut self,
        artifact: &Value,
        update: ArtifactUpdate,
        teller: &mut Teller<'_>,
    ) -> String {
        for change in conventions::of_metadata(self.conventions, artifact) {
            self.call(change, teller);
        }
        let id = self.conversation.artifacts.id(artifact);
        let mut text = String::new();
        let mut others = Vec::new();
        for part in self.own_parts(artifact) {
            match content(part) {
                PartContent::Text(more) => text.push_str(more),
                _ => others.push(part.clone()),
            }
        }
        let sent = text.len();
        let joiner = self.joiners.entry(id.clone()).or_default();
        if update == ArtifactUpdate::Replace {
            *joiner = HalfJoiner::default();
        }
        let (text, is_lone) = joiner.join(SentText::new(text, self.halves));
        if is_lone {
            teller.tell(Change::Warning(Oddities::HALF.into()));
        }
        let known_others = others.len();
        let added = self
            .conversation
            .artifacts
            .update(&id, update, &text, others);
        // The first bytes of the text, and the first other parts, may be known already.
        let known_text = sent.saturating_sub(added.text.len());
        let known_others = known_others - added.others.len();
        let mut passed = 0;
        let mut passed_others = 0;
        let mut rest = Some(&added);
        for part in parts(artifact) {
            if let Some(change) = conventions::of_part(self.conventions, part) {
                self.call(change, teller);
                continue;
            }
            if let PartContent::Text(own) = content(part) {
                passed += own.len();
                if passed > known_text
                    && let Some(added) = rest.take()
                {
                    self.artifact_text(&id, added, teller);
                }
                continue;
            }
            passed_others += 1;
            let new = usize::checked_sub(passed_others, known_others + 1);
            if let Some((number, part)) = new.and_then(|index| added.others.get(index)) {
                self.other_part(&id, *number, part, teller);
            }
        }
        if let Some(added) = rest {
            self.artifact_text(&id, added, teller);
        }
        id
    }

    fn artifact_text(&mut self, id: &str, added: &Added, teller: &mut Teller<'_>) {
        let Added {
            text, is_replaced, ..
        } = added;
        if text.is_empty() {
            return;
        }
        if *is_replaced && let Some(message) = self.open.remove(id) {
            teller.close(&message);
        }
        let Self {
            open, conversation, ..
        } = self;
        let message = open.entry(id.to_owned()).or_insert_with(|| {
            let message = conversation.artifacts.next_message(id);
            teller.open(&message);
            message
        });
        teller.add(message, text);
        self.has_spoken = true;
    }

    /// A part that is not text: data is a message of its own, whose text is its JSON; a file is an event.
    fn other_part(&mut self, holder: &str, number: usize, part: &Value, teller: &mut Teller<'_>) {
        match content(part) {
            PartContent::Data(data) => {
                self.has_spoken = true;
                teller.say(&format!("{holder}/data-{number}"), &data.to_string());
            }
            PartContent::File(value) => teller.tell(Change::Custom {
                name: "file".into(),
                value,
            }),
            PartContent::Text(_) | PartContent::Unknown => {}
        }
    }

    /// The parts of a message or an artifact that say nothing about calls.
    fn own_parts<'v>(&self, holder: &'v Value) -> impl Iterator<Item = &'v Value> + use<'v, 'a> {
        let conventions = self.conventions;
        parts(holder)
            .iter()
            .filter(move |part| conventions::of_part(conventions, part).is_none())
    }

    /// Takes a message that has not been seen; `false` if it has. Its metadata may be about calls.
    pub(super) fn is_new(&mut self, message: &Value, teller: &mut Teller<'_>) -> bool {
        let id = message
            .get("messageId")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty());
        if id.is_some_and(|id| !self.conversation.seen.insert(id.to_owned())) {
            return false;
        }
        for change in conventions::of_metadata(self.conventions, message) {
            self.call(change, teller);
        }
        true
    }

    /// Takes what is new in the history of a task: calls, and texts next to the answer. What was there before the turn is known
    /// from now on.
    pub(super) fn history(&mut self, task: &Value, teller: &mut Teller<'_>) {
        let history = list(task, "history");
        let earlier = earlier(history, &self.said);
        // The message of the status may be in the history, too: it is taken with its status.
        let of_status = task.pointer("/status/message").unwrap_or(&Value::Null);
        let mut nameless: HashMap<String, usize> = HashMap::new();
        for (position, message) in history.iter().enumerate() {
            let key = match message.get("messageId") {
                Some(Value::String(id)) if !id.is_empty() => id.clone(),
                // Without an id, the second of two equal messages is another one.
                _ => {
                    let text = message.to_string();
                    let count = nameless.entry(text.clone()).or_default();
                    *count += 1;
                    format!("{text} {count}")
                }
            };
            let is_of_status = match (message.get("messageId"), of_status.get("messageId")) {
                (Some(id), Some(of_status)) => id == of_status,
                _ => message == of_status,
            };
            if !is_of_agent(message) || is_of_status {
                continue;
            }
            if !self.conversation.seen.insert(key) || position < earlier {
                continue;
            }
            for change in conventions::of_metadata(self.conventions, message) {
                self.call(change, teller);
            }
            self.calls_of(message, teller);
            self.aside(&text_of(message), teller);
        }
    }

    /// Takes the calls in the parts of a message whose text is no message of the conversation.
    pub(super) fn calls_of(&mut self, message: &Value, teller: &mut Teller<'_>) {
        for part in parts(message) {
            if let Some(change) = conventions::of_part(self.conventions, part) {
                self.call(change, teller);
            }
        }
    }

    pub(super) fn call(&mut self, change: ConventionChange, teller: &mut Teller<'_>) {
        let calls = &mut self.conversation.calls;
        match change {
            ConventionChange::Call { id, name, args } => {
                calls.call(id, name, &args, teller);
            }
            ConventionChange::Result {
                id,
                name,
                result,
                is_error,
            } => {
                calls.result(id, &name, result, is_error, teller);
            }
            ConventionChange::Denied { id } => calls.deny(&id, teller),
            ConventionChange::Unreadable(value) => {
                let unread = Unread::other_kind("convention:toolCalls", CALL, &value);
                teller.tell(Change::Unread(unread));
            }
            ConventionChange::Reasoning(delta) => {
                teller.tell(Change::Reasoning {
                    id: "reasoning".into(),
                    delta: delta.into(),
                    subagent: None,
                });
            }
            ConventionChange::Text(text) if text.is_empty() => {}
            ConventionChange::Text(text) => {
                let id = self.streamed.get_or_insert_with(|| {
                    let id = self.ids.next("message");
                    teller.open(&id);
                    id
                });
                teller.add(id, &text);
                self.has_spoken = true;
            }
        }
    }
}
