//! A rule that failed, and what was seen instead.

use serde::{Deserialize, Serialize};

use super::level::Level;
use super::measured::Measured;
use super::rule_counts::RuleCounts;
use super::ruling::Ruling;
use ananke_base::diagnostic::{Difference, Excerpt, Place};

/// A rule that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: String,
    /// The scope it is defined on.
    pub level: Level,
    /// Whether it is a prohibition: what it forbids must never happen.
    pub is_prohibition: bool,
    /// Where it was written.
    pub place: Place,
    /// The rule as it is written at that place, as YAML.
    pub written: String,
    /// The lines at that place as they are written, with variables not filled.
    pub excerpt: Excerpt,
    /// The whole finding on one line: `` `charge_card` was called 2 times, expected exactly 1 ``.
    pub message: String,
    /// What was expected.
    pub expected: String,
    /// The number that exceeds its limit, of a rule that has one.
    pub measured: Option<Measured>,
    /// What a judge decided, of a rule that asks one.
    pub ruling: Option<Ruling>,
    /// How often it was triggered so far, of a rule that has triggers.
    #[serde(default)]
    pub counts: Option<RuleCounts>,
    /// What was seen instead, one line per entry: the nearest candidates with arguments and results.
    pub seen: Vec<String>,
    /// The difference from what was expected, if both are texts of several lines.
    pub difference: Option<Difference>,
    /// What to do about it, if that does not follow from the rule.
    pub help: Option<String>,
    /// The numbers of the events that show it, ascending.
    pub events: Vec<u32>,
}

impl Failure {
    /// What was expected, unless the message or the difference says it already.
    pub fn expectation(&self) -> Option<&str> {
        let is_told = self.difference.is_some() || is_told(&self.expected, &self.message);
        (!is_told && !self.expected.is_empty()).then_some(self.expected.as_str())
    }

    /// What was seen instead, without what the message says already.
    pub fn evidence(&self) -> impl Iterator<Item = &str> {
        self.seen
            .iter()
            .map(String::as_str)
            .filter(|seen| !self.message.contains(seen))
    }
}

/// Whether `message` says what `expected` does: everything that `expected` quotes or counts is in it. If it quotes and
/// counts nothing, the message has to name an expectation itself.
fn is_told(expected: &str, message: &str) -> bool {
    let parts: Vec<(bool, &str)> = expected
        .split('`')
        .enumerate()
        .map(|(at, part)| (at % 2 == 1, part))
        .collect();
    let quoted = parts
        .iter()
        .filter(|(is_quoted, _)| *is_quoted)
        .map(|(_, part)| *part);
    let words = parts
        .iter()
        .filter(|(is_quoted, _)| !is_quoted)
        .flat_map(|(_, part)| part.split_whitespace());
    let counted = words.filter(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let facts: Vec<&str> = quoted.chain(counted).collect();
    let is_there = |fact: &&str| message.contains(fact.trim_end_matches([',', ';']));
    message.contains(expected)
        || if facts.is_empty() {
            message.contains("expected")
        } else {
            facts.iter().all(is_there)
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_that_the_message_repeats_is_not_shown_again() {
        for (expected, message, is_repeated) in [
            ("a call to `pay`", "`pay` was not called in this turn", true),
            (
                "a call to `pay`, at least 5 times",
                "`pay` was called 2 times, expected at least 5 times",
                true,
            ),
            (
                "a call to `pay`, at least 5 times",
                "`pay` was called 2 times",
                false,
            ),
            (
                "no calls but these: a call to `a`; a call to `b`",
                "`a` was called, which no step allows",
                false,
            ),
            ("no last message", "the answer must be silence", false),
            (
                "no last message",
                "the last message is not as it must be, expected nothing",
                true,
            ),
            (
                "a turn of at most 1000 ms",
                "the turn took 1200 ms, the limit is 1000 ms",
                true,
            ),
        ] {
            assert_eq!(
                is_told(expected, message),
                is_repeated,
                "{expected} / {message}"
            );
        }
    }
}
