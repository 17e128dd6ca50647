//! A rule and its result: it passed, failed, or a trace does not show enough to say.
//!
//! **Why:** Rules that passed are kept too: a green test is worth what it has checked, and a reader asks for that. A result names
//! its rule by path, level and place, because the same rule can be inherited into a hundred tests and be wrong at one line.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sentence::{without_data, without_values};
use super::{
    ComparedValue, EvidenceLine, Measured, RuleCounts, Ruling, ValueDifference, words::words,
};
use crate::trace::EventNumber;
use ananke_base::diagnostic::{Difference, Excerpt, Place};
use ananke_derive::Mask;

/// The result of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleStatus {
    /// It passed.
    #[default]
    Passed,
    /// It failed.
    Failed,
    /// It neither passed nor failed: something was not read, or a trace does not contain its facts.
    NotShown,
}

/// A rule and its result (SPEC 11). What belongs to a failure is empty in any other result.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct RuleResult {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    #[mask(skip)]
    pub rule: Cow<'static, str>,
    /// The tool that it names, if it names one.
    #[serde(default)]
    pub tool: Option<String>,
    /// The scope it is defined on.
    #[mask(skip)]
    pub level: Level,
    /// Whether it is a prohibition: what it forbids must never happen.
    #[serde(default)]
    pub is_prohibition: bool,
    /// The place where it is defined.
    pub place: Place,
    /// The rule as it is written at that place, as YAML.
    pub written: String,
    /// The expectation, in words.
    pub expected: String,
    /// The result.
    #[mask(skip)]
    pub status: RuleStatus,
    /// The whole finding on one line: `` `charge_card` was called 2 times, expected exactly 1 ``; of a rule that is not shown
    /// what is missing; empty if it passed.
    pub message: String,
    /// The number that it limits, of a rule that has one.
    #[mask(skip)]
    pub measured: Option<Measured>,
    /// The value that it passed by, if that is not the one that it is about first: the state, of an assertion of a case.
    #[serde(default)]
    #[mask(skip)]
    pub looked_in: Option<ComparedValue>,
    /// The decision of a judge, of a rule that asks one.
    pub ruling: Option<Ruling>,
    /// The number of times that it was triggered, of a rule that has triggers; so far if it failed.
    #[serde(default)]
    #[mask(skip)]
    pub counts: Option<RuleCounts>,
    /// The lines at its place as they are written, with variables not filled.
    #[serde(default)]
    pub excerpt: Excerpt,
    /// The evidence found instead, one line per entry: the nearest candidates with arguments and results.
    #[serde(default)]
    pub seen: Vec<EvidenceLine>,
    /// The words in the agent's text that a text rule found.
    #[serde(default)]
    pub found: Option<String>,
    /// The values that differ from what was expected, those of the closest candidate first.
    #[serde(default)]
    pub differences: Vec<ValueDifference>,
    /// The difference from what was expected, if both are texts of several lines.
    #[serde(default)]
    pub difference: Option<Difference>,
    /// The remedy, if it does not follow from the rule.
    #[serde(default)]
    pub help: Option<String>,
    /// The numbers of the events that show it, ascending.
    #[serde(default)]
    pub events: Vec<EventNumber>,
}

impl RuleResult {
    /// The result of a rule that passed. The pair is the rule as it is written, as YAML, and its expectation in words. The caller
    /// sets the other fields if the rule has them; those of a failure stay empty.
    pub fn passed(
        rule: impl Into<Cow<'static, str>>,
        level: Level,
        place: Place,
        (written, expected): (String, String),
    ) -> Self {
        Self {
            rule: rule.into(),
            tool: None,
            level,
            is_prohibition: false,
            place,
            written,
            expected,
            status: RuleStatus::Passed,
            message: String::new(),
            measured: None,
            looked_in: None,
            ruling: None,
            counts: None,
            excerpt: Excerpt::default(),
            seen: Vec::new(),
            found: None,
            differences: Vec::new(),
            difference: None,
            help: None,
            events: Vec::new(),
        }
    }

    /// Whether it was evaluated on the state instead of the message: a pass says where it looked, a failure what differs there.
    pub fn is_about_state_instead(&self) -> bool {
        let first = self.differences.first().map(|difference| difference.of);
        self.rule == "output" && self.looked_in.or(first) == Some(ComparedValue::State)
    }

    /// Whether it passed.
    pub fn has_passed(&self) -> bool {
        self.status == RuleStatus::Passed
    }

    /// Whether it failed.
    pub fn has_failed(&self) -> bool {
        self.status == RuleStatus::Failed
    }

    /// The key by which equal failures of several tests are grouped. It is made from the rule, its tool, and the path of the
    /// first value that differs.
    pub fn reason(&self) -> FailureReason {
        // A difference of a whole value has an empty path, which distinguishes nothing.
        let path = match self.differences.first() {
            Some(first) if !first.path.is_empty() => Some(first.path()),
            Some(_) | None => None,
        };
        // With a path, the key is specific enough. With a tool alone, the message without its values is added, since one rule has
        // several kinds of findings about a tool. With neither, the expectation is added.
        let about = if path.is_some() {
            None
        } else if self.tool.is_some() {
            Some(without_values(&self.message))
        } else {
            Some(without_data(&self.expected))
        };
        FailureReason {
            kind: self.rule.clone(),
            tool: self.tool.clone(),
            path,
            about,
        }
    }

    /// Whether both are results of one rule: the same rule at the same place.
    pub fn is_of_same_rule(&self, other: &Self) -> bool {
        self.rule == other.rule && self.level == other.level && self.place == other.place
    }

    /// The rule and why it is not evaluated, on one line, of a rule that is not shown.
    pub fn not_shown_line(&self) -> String {
        let level = self.level.as_str();
        let why = &self.message;
        format!(
            "not shown: {} ({level} rule {}, {}): {why}",
            self.expected, self.rule, self.place
        )
    }

    /// The expectation, unless the message or the difference says it already.
    pub fn expectation(&self) -> Option<&str> {
        if self.difference.is_some() || repeats(&self.expected, &self.message) {
            return None;
        }
        Some(&self.expected)
    }

    /// The evidence found instead, without what the message says already.
    pub fn evidence(&self) -> impl Iterator<Item = &EvidenceLine> {
        self.seen
            .iter()
            .filter(|line| !self.message.contains(line.text()))
    }

    /// The finding as tests in another language print it: its sentence, and what was seen in addition to it. What is expected is
    /// said of a rule that could not be evaluated; the sentence of any other says it.
    pub fn in_words(&self) -> String {
        let mut text = self.message.clone();
        if self.status == RuleStatus::NotShown
            && let Some(expected) = self.expectation()
        {
            text.extend([", expected ", expected]);
        }
        for seen in self.evidence() {
            text.extend(["\n  seen ", &without_number(seen.text())]);
        }
        text
    }
}

/// `call 2 of 3: pay()` of `call 2 of 3, #5: pay()`, for a place without a list that has such numbers.
fn without_number(seen: &str) -> Cow<'_, str> {
    let Some((place, rest)) = seen.split_once(':') else {
        return Cow::Borrowed(seen);
    };
    let Some((before, after)) = place.split_once('#') else {
        return Cow::Borrowed(seen);
    };
    let after = after.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let before = before.trim_end_matches([' ', ',']);
    Cow::Owned(format!("{before}{after}:{rest}"))
}

/// Whether `message` already contains the content of `expected`, so that a report need not show both. The facts of `expected` are
/// its parts between backticks and its numbers, and all of them must be in `message`.
fn repeats(expected: &str, message: &str) -> bool {
    // An empty expectation is in every message, too.
    if message.contains(expected) {
        return true;
    }
    let mut facts = Vec::new();
    for (at, part) in expected.split('`').enumerate() {
        // Every second part is between two backticks.
        let is_quoted = at % 2 == 1;
        if is_quoted {
            facts.push(part);
        } else {
            let words = part.split_whitespace();
            facts.extend(words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())));
        }
    }
    // Without facts to compare, the message repeats the expectation if it names one itself: `…, expected …`.
    if facts.is_empty() {
        return message.contains("expected");
    }
    // A number may end with the comma of its sentence, which another sentence does not have.
    facts
        .iter()
        .all(|fact| message.contains(fact.trim_end_matches([',', ';'])))
}

words! {
    /// The level that a rule is defined on.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
    )]
    pub enum Level {
        /// The target of the config.
        Target = "target",
        /// The test.
        #[default]
        Test = "test",
        /// A turn.
        Turn = "turn",
        /// A checkpoint.
        Checkpoint = "checkpoint",
    }
}

// SPEC 11: if no path is its place, it contains the kind of the finding about a tool, the expectation of any other rule, or the
// message of a problem.
/// The key that equal failures share: not the sentence, whose values differ from test to test.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "Reason")]
pub struct FailureReason {
    /// The rule's path in an assert block, or the `kind` of an error.
    pub kind: Cow<'static, str>,
    /// The tool that it is about; omitted if it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The place of the first value that differs; omitted if no value does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it is about where neither a tool nor a path says it; omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_an_event_is_not_repeated_where_no_list_has_it() {
        for (seen, expected) in [
            (
                "call 2 of 3, #5 (closest): pay(\"#1: a\")",
                "call 2 of 3 (closest): pay(\"#1: a\")",
            ),
            ("call #1: look() → ok", "call: look() → ok"),
            ("called: look #3", "called: look #3"),
            ("no tool was called", "no tool was called"),
        ] {
            assert_eq!(without_number(seen), expected);
        }
    }

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
                repeats(expected, message),
                is_repeated,
                "{expected} / {message}"
            );
        }
    }
}
