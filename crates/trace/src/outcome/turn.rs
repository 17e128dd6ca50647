//! One turn: what was sent, what came back, how long it took, and how it ended.

use serde::{Deserialize, Serialize};

use super::input_decision::InputDecision;
use super::input_origin::InputOrigin;
use super::problem::Problem;
use super::raw_turn::RawTurn;
use super::rule_result::RuleResult;
use super::run_end::ReportedRunEnd;
use super::status::Status;
use super::timing::Timing;
use super::transcript_line::TranscriptLine;
use super::turn_end::TurnEnd;
use crate::trace::{Fact, Facts, Usage};
use ananke_derive::Mask;

/// One turn that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct TurnOutcome {
    /// Counted from 1.
    pub number: u32,
    /// The id in the test.
    pub id: Option<String>,
    /// The input, in words: for a file its type and size.
    pub input: String,
    /// The origin of the input.
    #[mask(skip)]
    pub origin: InputOrigin,
    /// The messages, calls and reasoning of the agent, in the order they began.
    pub lines: Vec<TranscriptLine>,
    /// The moment of sending, in Unix milliseconds on the agent's clock, which for a scripted agent is virtual; `None` if
    /// nothing shows it.
    pub started_unix_ms: Option<u64>,
    /// The moment at which its response ended, on the same clock; `None` if nothing shows it.
    pub ended_unix_ms: Option<u64>,
    /// The agent's time, in microseconds; `None` if nothing shows it.
    pub duration_us: Option<u64>,
    /// The times at which the agent let its user wait.
    #[mask(skip)]
    pub timing: Timing,
    /// The end of its last run, as far as the agent reported it.
    pub run_end: Option<ReportedRunEnd>,
    /// The tokens that it used, as far as the agent reported them.
    #[mask(skip)]
    pub usage: Option<Usage>,
    /// Whether the agent waited for input after it, if that decided how the test went on.
    pub awaits: Option<InputDecision>,
    /// The end of the turn.
    pub end: TurnEnd,
    /// The rules of this turn with their results.
    pub rules: Vec<RuleResult>,
    /// The oddities of the response: violations of the protocol by the rule's name, and others that fail nothing.
    pub warnings: Vec<String>,
    /// The requests and responses, as they were; `None` if they are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Box<RawTurn>>,
}

impl TurnOutcome {
    /// The verdict.
    pub fn status(&self) -> Status {
        match &self.end {
            TurnEnd::Evaluated if self.failures().next().is_none() => Status::Passed,
            TurnEnd::Evaluated => Status::Failed,
            TurnEnd::Problem(problem) => problem.kind.status(),
            TurnEnd::Stopped => Status::Skipped,
        }
    }

    /// Every rule that failed.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.rules.iter().filter(|rule| rule.has_failed())
    }

    /// Removes the times, and the ordinary end, that are not among the facts that are `shown`.
    pub fn keep_shown(&mut self, shown: Facts) {
        // Other times are counted from the start of the turn.
        let shown = if shown.has(Fact::TurnTimes) {
            shown
        } else {
            (self.started_unix_ms, self.ended_unix_ms) = (None, None);
            self.duration_us = None;
            shown.except(Facts::of(&[Fact::CallTimes, Fact::FirstText]))
        };
        if !shown.has(Fact::FirstText) {
            self.timing.first_text_us = None;
        }
        if !shown.has(Fact::CallTimes) {
            self.timing.gaps = None;
        }
        if !shown.has(Fact::RunEnds) && self.run_end == Some(ReportedRunEnd::Finished) {
            self.run_end = None;
        }
        for line in &mut self.lines {
            line.keep_shown(shown);
        }
    }

    /// The rules of this turn that passed; none if an error or a timeout ended it: what came after is not known.
    pub fn passed_rules(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        let is_known = !matches!(self.status(), Status::Error | Status::Timeout);
        self.rules
            .iter()
            .filter(move |rule| is_known && rule.has_passed())
    }

    /// The reason why it could not be evaluated to its end.
    pub fn problem(&self) -> Option<&Problem> {
        self.end.problem()
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::ErrorKind;
    use super::*;

    #[test]
    fn the_status_follows_from_the_end() {
        let problem = |kind| {
            TurnEnd::Problem(Problem {
                kind,
                message: String::new(),
                help: None,
            })
        };
        for (end, status) in [
            (TurnEnd::Evaluated, Status::Passed),
            (problem(ErrorKind::Conversation), Status::Failed),
            (problem(ErrorKind::Capture), Status::Failed),
            (problem(ErrorKind::Timeout), Status::Timeout),
            (problem(ErrorKind::Agent), Status::Error),
            (TurnEnd::Stopped, Status::Skipped),
        ] {
            let turn = TurnOutcome {
                number: 1,
                id: None,
                input: String::new(),
                origin: InputOrigin::default(),
                lines: Vec::new(),
                started_unix_ms: None,
                ended_unix_ms: None,
                duration_us: None,
                timing: Timing::default(),
                run_end: None,
                usage: None,
                awaits: None,
                end,
                rules: Vec::new(),
                warnings: Vec::new(),
                raw: None,
            };
            assert_eq!(turn.status(), status, "{turn:?}");
        }
    }
}
