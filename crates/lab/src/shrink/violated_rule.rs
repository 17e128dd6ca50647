//! The rule that a conversation violates, and whether another conversation violates the same.
//!
//! The same rule has the same path, the same level, and is written the same. It is violated in the same way: the findings
//! differ only in numbers and in what they quote. A limit of time or tokens can be exceeded in any way.

use crate::lab_error::LabError;
use ananke_rules::{RuleDecider, RuleProperties, RuleSubject};
use ananke_trace::outcome::{Level, Outcome, RuleResult, without_values};

/// The rule that a conversation violates first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolatedRule {
    /// Its path, such as `tools.forbid`.
    pub path: String,
    /// The scope that it is defined on.
    pub level: Level,
    /// As it is written.
    written: Option<String>,
    /// The message of the violation.
    message: String,
    /// The expectation of the rule.
    expected: String,
}

impl ViolatedRule {
    /// The first rule that failed.
    ///
    /// # Errors
    /// If none did, or if it cannot be checked without asking.
    pub(super) fn of(outcome: &Outcome) -> Result<Self, LabError> {
        let Some((_, failure)) = outcome.all_failures().next() else {
            let message = match outcome.first_problem() {
                Some((_, problem)) => {
                    let first = problem.message.lines().next().unwrap_or_default();
                    format!("no rule failed in the recording, which ended with an error: {first}")
                }
                None => format!(
                    "no rule failed in the recording, whose test {}",
                    outcome.status().as_str()
                ),
            };
            return Err(LabError::refused(
                message,
                "name the recording of a test in which a rule fails",
            ));
        };
        let path = failure.rule.to_string();
        let properties = RuleProperties::of(&path);
        if properties.is_some_and(|rule| rule.decider != RuleDecider::Conversation) {
            let message = format!(
                "the rule `{path}` failed, which cannot be checked without asking: {}",
                failure.message
            );
            return Err(LabError::refused(
                message,
                "only rules about what the agent did are shrunk",
            ));
        }
        Ok(Self {
            path,
            level: failure.level,
            written: None,
            message: failure.message.clone(),
            expected: failure.expected.clone(),
        })
    }

    /// The failure of this rule in `outcome`, if it fails there.
    pub(super) fn found_in<'o>(&self, outcome: &'o Outcome) -> Option<&'o RuleResult> {
        outcome
            .all_failures()
            .map(|(_, failure)| failure)
            .find(|failure| self.is_of(failure))
    }

    /// Whether it is the rule of this failure. The source of the recorded test is another file, in another style: there, the
    /// finding is compared, or what was expected if the finding differs in a time.
    fn is_of(&self, failure: &RuleResult) -> bool {
        let is_written_so = match &self.written {
            Some(written) => failure.written == *written,
            None => failure.message == self.message || failure.expected == self.expected,
        };
        let is_limit = RuleProperties::of(&self.path)
            .is_some_and(|rule| matches!(rule.subject, RuleSubject::Time | RuleSubject::Tokens));
        let is_found_so =
            is_limit || without_values(&failure.message) == without_values(&self.message);
        failure.rule == self.path && failure.level == self.level && is_written_so && is_found_so
    }

    /// The same rule as it is written where `outcome` comes from; `None` if it does not fail there.
    pub(super) fn written_as(&self, outcome: &Outcome) -> Option<Self> {
        let written = Some(self.found_in(outcome)?.written.clone());
        Some(Self {
            written,
            ..self.clone()
        })
    }
}
