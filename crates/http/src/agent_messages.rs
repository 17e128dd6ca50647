//! The messages of the agent in one turn, as far as they have arrived.

use std::borrow::Cow;

use super::sink_report::SinkReport;
use ananke_base::context::Ids;
use ananke_base::source::received_json::{HalfJoiner, Halves, Oddities, SentText};
use ananke_trace::trace::{Change, MessageKind};

/// The messages of a turn: one may be open.
#[derive(Default)]
pub(crate) struct AgentMessages {
    open: Option<OpenMessage>,
    /// The texts of the messages that are complete.
    texts: Vec<String>,
    /// The first of them that texts which have all of the text so far begin with. They may begin with the open message alone.
    repeated_from: usize,
    /// The id of the reasoning of the turn, and what its last piece left of a character.
    reasoning: Option<(String, HalfJoiner)>,
}

/// A message whose text may go on.
struct OpenMessage {
    id: String,
    text: String,
    joiner: HalfJoiner,
}

impl AgentMessages {
    /// Adds text to the message that is open, or begins one.
    pub(crate) fn add(
        &mut self,
        text: &str,
        halves: Halves,
        ids: &dyn Ids,
        report: &mut SinkReport<'_>,
    ) {
        if text.is_empty() {
            return;
        }
        let message = match &mut self.open {
            Some(message) => message,
            none => {
                let id = ids.next("message");
                report.change(Change::MessageOpened {
                    id: Cow::Borrowed(&id),
                    role: MessageKind::Assistant,
                    subagent: None,
                });
                none.insert(OpenMessage {
                    id,
                    text: String::new(),
                    joiner: HalfJoiner::default(),
                })
            }
        };
        let (delta, is_lone) = message.joiner.join(SentText::new(text, halves));
        if is_lone {
            report.change(Change::Warning(Oddities::HALF.into()));
        }
        message.text.push_str(&delta);
        report.change(Change::MessageText {
            id: Cow::Borrowed(&message.id),
            delta,
        });
    }

    /// Takes all of the text so far: that of the turn, or that of the message after the last call, as some servers have it.
    pub(crate) fn replace(&mut self, text: &str, ids: &dyn Ids, report: &mut SinkReport<'_>) {
        if let Some(rest) = self.rest_of(text) {
            return self.add(rest, Halves::Replaced, ids, report);
        }
        if self.open.is_some() {
            // What was said cannot be taken back, so that rules look at both texts.
            let words = "text-replaced: the agent replaced the text that it had sent";
            report.change(Change::Warning(words.into()));
            self.close(report);
        }
        // Texts like this one do not have what was said before.
        self.repeated_from = self.texts.len();
        self.add(text, Halves::Replaced, ids, report);
    }

    /// The part of a text that was not said yet, if it begins with what was said.
    fn rest_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        if self.open.is_none() && text.is_empty() {
            return Some(text);
        }
        let mut rest = text;
        for earlier in &self.texts[self.repeated_from..] {
            rest = rest.strip_prefix(earlier.as_str())?;
        }
        match &self.open {
            Some(message) => rest.strip_prefix(message.text.as_str()),
            None => Some(rest),
        }
    }

    /// Ends the open message, if there is one.
    pub(crate) fn close(&mut self, report: &mut SinkReport<'_>) {
        let Some(mut message) = self.open.take() else {
            return;
        };
        if let Some(lone) = message.joiner.finish() {
            message.text.push(lone);
            report.change(Change::MessageText {
                id: Cow::Borrowed(&message.id),
                delta: lone.to_string().into(),
            });
        }
        report.change(Change::MessageClosed {
            id: Cow::Borrowed(&message.id),
        });
        self.texts.push(message.text);
    }

    /// Adds reasoning, which is no part of the text.
    pub(crate) fn add_reasoning(
        &mut self,
        text: &str,
        halves: Halves,
        ids: &dyn Ids,
        report: &mut SinkReport<'_>,
    ) {
        let (id, joiner) = self
            .reasoning
            .get_or_insert_with(|| (ids.next("reasoning"), HalfJoiner::default()));
        let (delta, _) = joiner.join(SentText::new(text, halves));
        report.change(Change::Reasoning {
            id: Cow::Borrowed(id),
            delta,
            subagent: None,
        });
    }

    /// The texts of the messages that were closed, in the order of the response.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}
