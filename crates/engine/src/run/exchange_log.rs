//! Follows a conversation for `--debug`: what is sent and received goes to the reports as it comes.
//!
//! Flows in: what a session reports. Flows out: [`RunEvent::Exchange`]. **Invariant:** a secret that an agent sends in pieces
//! is shown in none of them: events wait until the text that they add to is complete.

use std::collections::HashMap;

use super::case::Case;
use super::event::RunEvent;
use super::exchange_part::ExchangePart;
use crate::engine::Observer;
use ananke_agents::Wire;
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_trace::redact::truncated;
use ananke_trace::trace::Change;

/// The most characters of a body or an event that are shown.
const MOST_SHOWN: usize = 4000;

/// The most events that wait.
const MOST_WAITING: usize = 1000;

/// What is shown instead of an event that is part of a secret.
const PART_OF_SECRET: &str = "(part of a secret)";

/// Follows a conversation of one attempt: the one with the agent, or one with a helper.
pub(super) struct ExchangeLog<'a> {
    case: &'a Case,
    started: At,
    lane: Lane,
    /// What is not shown yet.
    waiting: Vec<(At, ExchangePart)>,
    /// How many events came when too many waited, and when the last one did.
    left_out: Option<(At, usize)>,
    /// The texts that are not complete, by what they are and their ids.
    texts: HashMap<(&'static str, String), OpenText>,
}

/// A text that comes in pieces.
#[derive(Default)]
struct OpenText {
    text: String,
    /// Where its pieces end.
    cuts: Vec<usize>,
    /// Which of what waits contain its pieces.
    parts: Vec<usize>,
}

impl<'a> ExchangeLog<'a> {
    pub(super) fn new(case: &'a Case, started: At, lane: Lane) -> Self {
        Self {
            case,
            started,
            lane,
            waiting: Vec::new(),
            left_out: None,
            texts: HashMap::new(),
        }
    }

    fn add(&mut self, at: At, part: ExchangePart) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push((at, part));
        } else {
            self.left_out = Some((at, self.left_out.map_or(0, |(_, count)| count) + 1));
        }
    }

    /// A piece of a text, which the last event brings.
    fn piece(&mut self, kind: &'static str, id: &str, delta: &str) {
        let last = self
            .waiting
            .len()
            .checked_sub(1)
            .filter(|_| self.left_out.is_none());
        let open = self.texts.entry((kind, id.to_owned())).or_default();
        open.text.push_str(delta);
        open.cuts.push(open.text.len());
        open.parts.extend(last);
    }

    fn close(&mut self, kind: &'static str, id: &str) {
        if let Some(open) = self.texts.remove(&(kind, id.to_owned())) {
            self.hide(&open);
        }
        self.show();
    }

    fn close_all(&mut self) {
        for open in std::mem::take(&mut self.texts).into_values() {
            self.hide(&open);
        }
        self.show();
    }

    /// Hides the events that bring a text in which a secret is spread over several pieces.
    fn hide(&mut self, open: &OpenText) {
        if self.case.redactor.is_in_pieces(&open.text, &open.cuts) {
            for part in &open.parts {
                if let Some((_, ExchangePart::Event(text))) = self.waiting.get_mut(*part) {
                    PART_OF_SECRET.clone_into(text);
                }
            }
        }
    }

    /// Shows what waits, unless a text is still open in which a secret may be completed.
    fn show(&mut self) {
        if !self.texts.is_empty() && !self.case.redactor.is_empty() {
            return;
        }
        self.texts.clear();
        let left_out = self
            .left_out
            .take()
            .map(|(at, count)| (at, ExchangePart::LeftOut(count)));
        for (at, part) in self.waiting.drain(..).chain(left_out) {
            let id = self.case.entry.id().into_owned();
            let after_us = u64::try_from(at.since(self.started).as_micros()).unwrap_or(u64::MAX);
            self.case.tell(RunEvent::Exchange {
                id,
                lane: self.lane.clone(),
                after_us,
                part,
            });
        }
    }
}

impl Observer for ExchangeLog<'_> {
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        let text = |bytes: &[u8]| truncated(&String::from_utf8_lossy(bytes), MOST_SHOWN);
        let part = match wire {
            Wire::Request {
                method,
                url,
                headers,
            } => ExchangePart::Request {
                line: format!("{method} {url}"),
                headers: headers.to_vec(),
            },
            Wire::Sent { body } => ExchangePart::Sent(text(body)),
            Wire::Head {
                status,
                content_type: _,
            } => ExchangePart::Response(status),
            Wire::Headers(headers) => ExchangePart::Headers(headers.to_vec()),
            Wire::Late { missing } => ExchangePart::Late(missing.to_owned()),
            Wire::Frame(frame) => {
                // What it means comes next, and only then it is known whether it has to wait.
                self.show();
                self.add(at, ExchangePart::Event(text(frame)));
                if self.case.redactor.is_empty() {
                    self.show();
                }
                return;
            }
            Wire::Closed => ExchangePart::Closed,
        };
        self.close_all();
        self.add(at, part);
        self.show();
    }

    fn change(&mut self, _: &Lane, _: At, change: &Change<'_>) {
        match change {
            Change::MessageText { id, delta } => self.piece("message", id, delta),
            Change::CallArgs { id, delta } => self.piece("arguments", id, delta),
            Change::Reasoning { id, delta, .. } => self.piece("reasoning", id, delta),
            Change::MessageClosed { id } => {
                self.close("message", id);
                self.close("reasoning", id);
            }
            Change::CallArgsDone { id } => self.close("arguments", id),
            _ => {}
        }
    }
}

impl Drop for ExchangeLog<'_> {
    fn drop(&mut self) {
        self.close_all();
    }
}
