//! The numbers of events: each turn counts its own, from 1.

use serde::{Deserialize, Serialize};

/// An event as people name it: its turn, and its number in the turn, both counted from 1 (SPEC 11).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct EventNumber {
    /// The turn.
    pub turn: u32,
    /// The number of the event in the turn.
    pub number: u32,
}

impl EventNumber {
    /// The event in a text about `turn`: `#5`. In a text about another turn, or about a whole test, the turn is named:
    /// `#5 of turn 2`.
    pub fn shown_in(self, turn: Option<u32>) -> String {
        let Self { turn: own, number } = self;
        if turn == Some(own) {
            format!("#{number}")
        } else {
            format!("#{number} of turn {own}")
        }
    }
}

/// `text`, which is about `turn`, with what `shown` says instead of the `#5` of an event; `None` leaves it. What is quoted, and
/// what follows a colon, is text of the agent.
pub fn replace_events(
    text: &str,
    turn: u32,
    shown: impl Fn(EventNumber) -> Option<String>,
) -> String {
    let own = text.find(": ").unwrap_or(text.len());
    let mut replaced = String::with_capacity(text.len());
    for (index, part) in text[..own].split('`').enumerate() {
        if index > 0 {
            replaced.push('`');
        }
        if index % 2 == 0 {
            replace_in(part, turn, &shown, &mut replaced);
        } else {
            replaced.push_str(part);
        }
    }
    replaced.push_str(&text[own..]);
    replaced
}

/// The same of a text in which nothing is quoted.
fn replace_in(
    text: &str,
    turn: u32,
    shown: &impl Fn(EventNumber) -> Option<String>,
    replaced: &mut String,
) {
    let mut parts = text.split('#');
    replaced.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|sign: char| !sign.is_ascii_digit());
        let (digits, rest) = part.split_at(end.unwrap_or(part.len()));
        let before = replaced.as_str();
        let is_apart = !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '#');
        let number = digits.parse().ok().filter(|_| is_apart);
        let turn = named_turn(before, rest).unwrap_or(turn);
        let event = number.map(|number| EventNumber { turn, number });
        match event.and_then(shown) {
            Some(shown) => replaced.extend([shown.as_str(), rest]),
            None => replaced.extend(["#", part]),
        }
    }
}

/// The turn of an event that is named as `turn 2, event #5` or `#5 of turn 2`.
fn named_turn(before: &str, after: &str) -> Option<u32> {
    if let Some(after) = after.strip_prefix(" of turn ") {
        let end = after.find(|sign: char| !sign.is_ascii_digit());
        return after[..end.unwrap_or(after.len())].parse().ok();
    }
    let (_, number) = before.strip_suffix(", event ")?.rsplit_once("turn ")?;
    number.parse().ok()
}

impl From<(u32, u32)> for EventNumber {
    fn from((turn, number): (u32, u32)) -> Self {
        Self { turn, number }
    }
}

impl From<EventNumber> for (u32, u32) {
    fn from(EventNumber { turn, number }: EventNumber) -> Self {
        (turn, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_about_a_turn_does_not_name_it() {
        let event = EventNumber { turn: 2, number: 5 };
        let shown = [Some(2), Some(1), None].map(|turn| event.shown_in(turn));
        assert_eq!(shown, ["#5", "#5 of turn 2", "#5 of turn 2"]);
    }

    #[test]
    fn only_what_we_wrote_names_an_event() {
        let mark = |event: EventNumber| {
            let known = [(2, 5), (1, 12)].map(EventNumber::from);
            known
                .contains(&event)
                .then(|| format!("<{}>", event.number))
        };
        for (text, expected) in [
            ("call 2 of 3, #5: pay()", "call 2 of 3, <5>: pay()"),
            ("call #12 of turn 1: pay()", "call <12> of turn 1: pay()"),
            (
                "(turn 1, event #12) and #13",
                "(turn 1, event <12>) and #13",
            ),
            ("order#5 ##5 # #, `#5`", "order#5 ##5 # #, `#5`"),
            (
                "call #5: pay({\"to\":\"#5\"})",
                "call <5>: pay({\"to\":\"#5\"})",
            ),
            ("", ""),
        ] {
            assert_eq!(replace_events(text, 2, mark), expected);
        }
    }
}
