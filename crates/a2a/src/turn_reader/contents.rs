//! The contents of messages and artifacts: texts, data, files, and the calls that conventions read from them.

use serde_json::Value;

use super::A2aReader;
use crate::artifacts::{Added, ArtifactUpdate};
use crate::conventions::{self, ConventionChange};
use crate::part::{PartContent, content, parts};
use crate::teller::Teller;
use ananke_base::source::received_json::{HalfJoiner, Oddities, SentText};
use ananke_trace::trace::Change;

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

    /// Reads a message of the agent, part by part.
    pub(super) fn message(&mut self, message: &Value, teller: &mut Teller<'_>) {
        let id = message
            .get("messageId")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty());
        let id = id.map_or_else(|| self.ids.next("message"), str::to_owned);
        let own: Vec<&Value> = self.own_parts(message).collect();
        let texts = own.iter().filter_map(|part| match content(part) {
            PartContent::Text(text) => Some(text),
            _ => None,
        });
        let text = texts.collect::<Vec<_>>().join("\n");
        if !text.is_empty() {
            self.has_spoken = true;
            teller.say(&id, &text);
        }
        let others = own
            .into_iter()
            .filter(|part| !matches!(content(part), PartContent::Text(_)));
        let others: Vec<Value> = others.cloned().collect();
        for (number, part) in (1..).zip(others) {
            self.other_part(&id, number, &part, teller);
        }
    }

    /// Takes an artifact, or more of one, and returns its id.
    pub(super) fn artifact(
        &mut self,
        artifact: &Value,
        update: ArtifactUpdate,
        teller: &mut Teller<'_>,
    ) -> String {
        for change in conventions::of_metadata(self.conventions, artifact) {
            self.call(change, teller);
        }
        for part in parts(artifact) {
            if let Some(change) = conventions::of_part(self.conventions, part) {
                self.call(change, teller);
            }
        }
        let id = self.conversation.artifacts.id(artifact);
        let (mut text, mut others, mut begins_with_text) = (String::new(), Vec::new(), false);
        for part in self.own_parts(artifact) {
            match content(part) {
                PartContent::Text(more) => {
                    begins_with_text |= others.is_empty();
                    text.push_str(more);
                }
                _ => others.push(part.clone()),
            }
        }
        let joiner = self.joiners.entry(id.clone()).or_default();
        if update == ArtifactUpdate::Replace {
            *joiner = HalfJoiner::default();
        }
        let (text, is_lone) = joiner.join(SentText::new(text, self.halves));
        if is_lone {
            teller.tell(Change::Warning(Oddities::HALF.into()));
        }
        let added = self
            .conversation
            .artifacts
            .update(&id, update, &text, others);
        if begins_with_text {
            self.artifact_text(&id, &added, teller);
        }
        for (number, part) in &added.others {
            self.other_part(&id, *number, part, teller);
        }
        if !begins_with_text {
            self.artifact_text(&id, &added, teller);
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

    /// Takes the calls that a message is about; `false` if the message is known.
    pub(super) fn calls_of(&mut self, message: &Value, teller: &mut Teller<'_>) -> bool {
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
        for part in parts(message) {
            if let Some(change) = conventions::of_part(self.conventions, part) {
                self.call(change, teller);
            }
        }
        true
    }

    pub(super) fn call(&mut self, change: ConventionChange, teller: &mut Teller<'_>) {
        let calls = &mut self.conversation.calls;
        match change {
            ConventionChange::Call { id, name, args } => calls.call(id, name, &args, teller),
            ConventionChange::Result {
                id,
                name,
                result,
                is_error,
            } => {
                calls.result(id, &name, result, is_error, teller);
            }
            ConventionChange::Denied { id } => calls.deny(&id, teller),
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
