//! Whether an argument of a call is the same in the next conversation: what it is compared with.
//!
//! Flows in: a value, and what the user said. Flows out: the value itself, or a pattern for values that vary.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// The longest text that is compared as it is, in characters.
const LONGEST: usize = 120;

/// From so many words on, a text that the user did not say is the agent's own wording.
const WORDS: usize = 5;

/// The shortest text that can be a generated id, in characters.
const SHORTEST_ID: usize = 8;

/// The smallest number that can be a moment or a generated id.
const SMALLEST_MOMENT: u64 = 1_000_000_000;

/// The regular expression that every text matches that is not empty.
const ANY_TEXT: &str = "\\S";

/// The shapes of texts that vary: what finds them, and the pattern that is proposed.
static SHAPES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let uuid = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
    let date = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
    let moment = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}";
    let time = "^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$";
    let number = "^[0-9]{8,}$";
    // A pattern that cannot be compiled is none; the tests compile all of them.
    let compiled = [uuid, date, moment, time, number]
        .into_iter()
        .filter_map(|shape| {
            let regex = Regex::new(shape).ok()?;
            Some((regex, shape))
        });
    compiled.collect()
});

/// The rule for a scalar argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentRule {
    /// The value.
    Same,
    /// A pattern, since the value varies.
    Matches(&'static str),
}

impl ArgumentRule {
    /// The rule for `value`, which is neither a list nor a mapping, after the user has sent `said`.
    pub(super) fn of(value: &Value, said: &[String]) -> Self {
        match value {
            Value::String(text) => Self::of_text(text, said),
            Value::Number(number) => {
                let is_large = number
                    .as_u64()
                    .is_some_and(|number| number >= SMALLEST_MOMENT);
                let is_said = said.iter().any(|said| said.contains(&number.to_string()));
                if is_large && !is_said {
                    Self::Matches("^[0-9]+$")
                } else {
                    Self::Same
                }
            }
            _ => Self::Same,
        }
    }

    fn of_text(text: &str, said: &[String]) -> Self {
        let folded = text.to_lowercase();
        let is_said = || {
            said.iter()
                .any(|said| said.to_lowercase().contains(&folded))
        };
        let length = text.chars().count();
        if text.trim().is_empty() || (length <= LONGEST && is_said()) {
            return Self::Same;
        }
        if let Some((_, pattern)) = SHAPES.iter().find(|(shape, _)| shape.is_match(text)) {
            return Self::Matches(pattern);
        }
        let is_wording = length > LONGEST || text.split_whitespace().count() >= WORDS;
        if is_wording || is_generated(text) {
            Self::Matches(ANY_TEXT)
        } else {
            Self::Same
        }
    }
}

/// Whether a text is one long word of letters and digits, as generated ids are.
fn is_generated(text: &str) -> bool {
    text.chars().count() >= SHORTEST_ID
        && text
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
        && text.chars().any(|character| character.is_ascii_digit())
        && text
            .chars()
            .any(|character| character.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_shape_can_be_compiled() {
        assert_eq!(SHAPES.len(), 5);
    }

    #[test]
    fn values_that_vary_are_compared_by_their_shape() {
        let said = ["Cancel order ORDER-20261 on 2026-12-24, then call 4915123456789".to_owned()];
        for (value, expected) in [
            (json!("Berlin"), None),
            (json!("O-7"), None),
            (json!(12.5), None),
            (json!(true), None),
            (json!(""), None),
            (json!("order-20261"), None),
            (json!("2026-12-24"), None),
            (json!(4_915_123_456_789_u64), None),
            (json!("2026-12-25"), Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
            (
                json!("2026-12-25T10:00:00Z"),
                Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}"),
            ),
            (json!("10:30"), Some("^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$")),
            (json!("1764000000"), Some("^[0-9]{8,}$")),
            (json!(1_764_000_000_u64), Some("^[0-9]+$")),
            (
                json!("8f14e45f-ceea-4e7d-9b3c-1a2b3c4d5e6f"),
                Some("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"),
            ),
            (json!("ord_8f14e45f"), Some("\\S")),
            (json!("the customer wants it cancelled today"), Some("\\S")),
            (json!("cancelled by the customer"), None),
        ] {
            let expected = expected.map_or(ArgumentRule::Same, ArgumentRule::Matches);
            assert_eq!(ArgumentRule::of(&value, &said), expected, "{value}");
        }
    }

    #[test]
    fn a_pattern_matches_the_value_that_it_is_proposed_for() {
        for text in [
            "2026-12-25",
            "2026-12-25 10:00",
            "9:30:01",
            "12345678",
            "ord_8f14e45f",
            "a b c d e f",
        ] {
            let ArgumentRule::Matches(pattern) = ArgumentRule::of(&json!(text), &[]) else {
                panic!("{text}")
            };
            assert!(Regex::new(pattern).unwrap().is_match(text), "{text}");
        }
    }
}
