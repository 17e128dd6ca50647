//! The marks of the events that findings rest on: ❶ for the first in the transcript, ❷ for the next.

use std::collections::{BTreeMap, BTreeSet};

use ananke_trace::outcome::{Outcome, TranscriptLine};
use ananke_trace::trace::{EventNumber, replace_events};

/// The mark of each event that a finding rests on.
#[derive(Debug, Default)]
pub(super) struct EventMarks(BTreeMap<EventNumber, String>);

impl EventMarks {
    /// The marks of the lines that the findings of `outcome` rest on: a call also if they rest on its result.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let named: BTreeSet<EventNumber> = outcome
            .all_failures()
            .flat_map(|(_, failure)| failure.events.iter().copied())
            .collect();
        let mut marks = Self::default();
        let lines = outcome.transcript.turns.iter().flat_map(|turn| &turn.lines);
        for line in lines {
            let result = match line {
                TranscriptLine::Calls(call) => Some(call.result_event),
                _ => None,
            };
            let events = [Some(line.event()), result];
            if events.iter().flatten().any(|event| named.contains(event)) {
                let mark = sign(marks.0.len() + 1);
                marks.0.entry(line.event()).or_insert(mark);
            }
        }
        marks
    }

    /// The marks of these events, in their order.
    #[cfg(test)]
    pub(super) fn of_events(events: impl IntoIterator<Item = EventNumber>) -> Self {
        Self(
            (1..)
                .zip(events)
                .map(|(number, event)| (event, sign(number)))
                .collect(),
        )
    }

    /// The mark of an event.
    pub(super) fn get(&self, event: EventNumber) -> Option<&str> {
        self.0.get(&event).map(String::as_str)
    }

    /// Whether an event is marked.
    pub(super) fn contains(&self, event: EventNumber) -> bool {
        self.0.contains_key(&event)
    }

    /// `text` with marks instead of the numbers of marked events: `call 2 of 3, ❷: pay({})`. An event whose turn is not named is
    /// one of `turn`.
    pub(super) fn put_into(&self, text: &str, turn: u32) -> String {
        replace_events(text, turn, |event| self.get(event).map(str::to_owned))
    }
}

/// The mark with this number, from 1; of large numbers their digits.
fn sign(number: usize) -> String {
    let sign = match number {
        1..=10 => char::from_u32(0x2775 + u32::try_from(number).unwrap_or_default()),
        11..=20 => char::from_u32(0x24E0 + u32::try_from(number).unwrap_or_default()),
        _ => None,
    };
    sign.map_or_else(|| format!("({number})"), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_one_sign_or_its_digits() {
        let marks = [1, 10, 11, 20, 21].map(sign);
        assert_eq!(marks, ["❶", "❿", "⓫", "⓴", "(21)"]);
    }
}
