//! The marks of the events that findings rest on: ❶ for the first in the transcript, ❷ for the next.

use std::collections::{BTreeMap, BTreeSet};

use ananke_trace::outcome::{Outcome, TranscriptLine};

/// The mark of each event that a finding rests on, by its number.
#[derive(Debug, Default)]
pub(super) struct EventMarks(BTreeMap<u32, String>);

impl EventMarks {
    /// The marks of the lines that the findings of `outcome` rest on: a call also if they rest on its result.
    pub(super) fn of(outcome: &Outcome) -> Self {
        let named: BTreeSet<u32> = outcome
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
    pub(super) fn of_events(events: &[u32]) -> Self {
        Self(
            (1..)
                .zip(events)
                .map(|(number, event)| (*event, sign(number)))
                .collect(),
        )
    }

    /// The mark of an event.
    pub(super) fn get(&self, event: u32) -> Option<&str> {
        self.0.get(&event).map(String::as_str)
    }

    /// Whether an event is marked.
    pub(super) fn contains(&self, event: u32) -> bool {
        self.0.contains_key(&event)
    }

    /// `text` with marks instead of the numbers of marked events: `call 2 of 3, ❷: pay({})`.
    pub(super) fn put_into(&self, text: &str) -> String {
        let mut parts = text.split('#');
        let mut marked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part
                .find(|character: char| !character.is_ascii_digit())
                .unwrap_or(part.len());
            let (number, rest) = part.split_at(end);
            let mark = number.parse().ok().and_then(|event| self.get(event));
            match mark.filter(|_| is_apart(&marked)) {
                Some(mark) => marked.extend([mark, rest]),
                None => marked.extend(["#", part]),
            }
        }
        marked
    }
}

/// Whether what follows `text` is a word of its own.
fn is_apart(text: &str) -> bool {
    !text.ends_with(|character: char| character.is_alphanumeric() || character == '#')
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
    fn marks_replace_the_numbers_of_marked_events_alone() {
        let marks = EventMarks(BTreeMap::from([(5, sign(1)), (12, sign(11))]));
        for (text, expected) in [
            ("call 2 of 3, #5: pay()", "call 2 of 3, ❶: pay()"),
            ("(turn 1, event #12) and #13", "(turn 1, event ⓫) and #13"),
            ("order#5 ##5 # #", "order#5 ##5 # #"),
            ("", ""),
        ] {
            assert_eq!(marks.put_into(text), expected);
        }
        assert_eq!(
            (sign(10), sign(20), sign(21)),
            ("❿".into(), "⓴".into(), "(21)".into())
        );
    }
}
