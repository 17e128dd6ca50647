//! Follows a conversation for `--debug`: what is sent and received goes to the reports as it comes.
//!
//! Flows in: what a session reports. Flows out: [`RunEvent::Exchange`]. **Invariant:** a secret that an agent sends in pieces
//! is shown in none of them: events wait until the text that they add to is complete.

use crate::context::Case;
use ananke_agents::Wire;
use ananke_base::context::At;
use ananke_base::message::Lane;
use ananke_conversation::Observer;
use ananke_trace::outcome::{ExchangePart, RunEvent};
use ananke_trace::redact::truncated;
use ananke_trace::trace::{Change, PiecedTexts};

/// The most characters of a body or an event that are shown.
const MOST_SHOWN: usize = 4000;

/// The most events that wait.
const MOST_WAITING: usize = 1000;

/// The text that is shown instead of an event that is part of a secret.
pub(super) const PART_OF_SECRET: &str = "(part of a secret)";

/// Follows a conversation of one attempt: the one with the agent, or one with a helper.
pub(crate) struct ExchangeLog<'a> {
    case: &'a Case,
    started: At,
    lane: Lane,
    /// The parts that are not shown yet.
    waiting: Vec<(At, ExchangePart)>,
    /// The number of events that came when too many waited, and the moment of the last one.
    omitted: Option<(At, usize)>,
    /// The texts that what waits brings.
    texts: PiecedTexts,
}

impl<'a> ExchangeLog<'a> {
    pub(crate) fn new(case: &'a Case, started: At, lane: Lane) -> Self {
        Self {
            case,
            started,
            lane,
            waiting: Vec::new(),
            omitted: None,
            texts: PiecedTexts::default(),
        }
    }

    fn add(&mut self, at: At, part: ExchangePart) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push((at, part));
            return;
        }
        let count = match self.omitted {
            Some((_, count)) => count + 1,
            None => 1,
        };
        self.omitted = Some((at, count));
    }

    /// Hides the events that bring a text in which a secret is spread over several pieces, and shows everything that waits.
    fn show_all(&mut self) {
        for text in self.texts.take() {
            if !self.case.redactor.is_in_pieces(&text.text, &text.cuts) {
                continue;
            }
            // The place of a piece is the index of its event in `waiting`. The piece of an omitted event has no place there.
            for place in text.places {
                let mut parts = self.waiting.iter_mut().skip(place);
                if let Some((_, ExchangePart::Event(shown))) = parts.next() {
                    PART_OF_SECRET.clone_into(shown);
                }
                // What the paths of a target take of the event has the same text, and follows it.
                for (_, part) in parts {
                    let ExchangePart::Taken(shown) = part else {
                        break;
                    };
                    PART_OF_SECRET.clone_into(shown);
                }
            }
        }
        // The last events are omitted if too many waited before them, and their number is shown instead.
        if let Some((at, count)) = self.omitted.take() {
            self.waiting.push((at, ExchangePart::LeftOut(count)));
        }
        // Times are shown relative to the start of the attempt.
        for (at, part) in self.waiting.drain(..) {
            let after_us = u64::try_from(at.since(self.started).as_micros()).unwrap_or(u64::MAX);
            self.case.tell(RunEvent::Exchange {
                id: self.case.entry.id().into_owned(),
                lane: self.lane.clone(),
                after_us,
                part,
            });
        }
    }

    /// Shows what waits, unless a text is still open in which a secret may be completed.
    fn show(&mut self) {
        if !self.texts.has_open() || self.case.redactor.is_empty() {
            self.show_all();
        }
    }
}

impl Observer for ExchangeLog<'_> {
    /// Shows data that is sent or received. An event that may be part of a secret waits until its texts are complete.
    fn wire(&mut self, _: &Lane, at: At, wire: Wire<'_>) {
        let part = match wire {
            Wire::Request {
                method,
                url,
                headers,
            } => ExchangePart::Request {
                line: format!("{method} {url}"),
                headers: headers.to_vec(),
            },
            Wire::Sent { body } => ExchangePart::Sent(text_of(body)),
            Wire::Head { status, .. } => ExchangePart::Response(status),
            Wire::Headers(headers) => ExchangePart::Headers(headers.to_vec()),
            Wire::Late { missing } => ExchangePart::Late(missing.to_owned()),
            Wire::Frame(frame) => {
                // The changes of the event before this one have come by now, so that event is shown if it left no text open.
                self.show();
                self.add(at, ExchangePart::Event(text_of(frame)));
                // The changes of this event come next, and show if it is a piece of a text. So with secrets to hide it waits.
                if self.case.redactor.is_empty() {
                    self.show();
                }
                return;
            }
            Wire::Closed => ExchangePart::Closed,
            Wire::Taken(words) => {
                // An event that is omitted has no place for them, and only events are counted.
                for line in words.lines() {
                    if self.waiting.len() < MOST_WAITING {
                        self.waiting.push((at, ExchangePart::Taken(line)));
                    }
                }
                // Without secrets to hide, nothing waits.
                if self.case.redactor.is_empty() {
                    self.show();
                }
                return;
            }
            // A sign of life has no data.
            Wire::Alive => return,
        };
        // Every other part is of the beginning or the end of an exchange, and no text goes on beyond its exchange. So all texts
        // are complete: the events that waited are shown, and this part after them.
        self.show_all();
        self.add(at, part);
        self.show();
    }

    fn change(&mut self, _: &Lane, _: At, change: &Change<'_>) {
        // The last event brings it; of one that does not wait, nothing is shown.
        let mut place = usize::MAX;
        if self.omitted.is_none() {
            for (index, (_, part)) in self.waiting.iter().enumerate().rev() {
                if let ExchangePart::Event(_) = part {
                    place = index;
                    break;
                }
            }
        }
        self.texts.add(change, place);
        if let Change::MessageClosed { .. }
        | Change::MessageRetracted { .. }
        | Change::CallArgsDone { .. } = change
        {
            self.show();
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    truncated(&String::from_utf8_lossy(bytes), MOST_SHOWN)
}

impl Drop for ExchangeLog<'_> {
    fn drop(&mut self) {
        self.show_all();
    }
}
