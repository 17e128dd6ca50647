//! One turn: what was sent, what came back, how long it took, and how it ended.
//!
//! **Why:** A turn is the unit in which people think of a conversation: it has its own times, tokens, rules and end.
//! Turns that were not needed are kept with their reason, or the numbers of the others would not be those in the file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InputDecision, InputOrigin, Problem, RawTurn, RuleResult, Status, TranscriptLine};
use crate::trace::{Fact, Facts, Usage};
use ananke_derive::Mask;

/// One turn that was sent, or that was not needed.
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
    /// The reasons why its cost is not known, or not all of it, in words; none without prices.
    pub cost_gaps: Vec<String>,
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
    /// The verdict; a turn that was not needed passes.
    pub fn status(&self) -> Status {
        match &self.end {
            TurnEnd::Evaluated if self.failures().next().is_none() => Status::Passed,
            TurnEnd::NotNeeded(_) => Status::Passed,
            TurnEnd::Evaluated => Status::Failed,
            TurnEnd::Problem(problem) => problem.kind.status(),
            TurnEnd::Stopped => Status::Skipped,
        }
    }

    /// A turn that was not sent, since its condition was not met: `reason` says why, in words. Everything that only an exchange
    /// with the agent has is empty.
    pub fn not_needed(number: u32, id: Option<String>, input: String, reason: String) -> Self {
        Self {
            number,
            id,
            input,
            origin: InputOrigin::default(),
            lines: Vec::new(),
            started_unix_ms: None,
            ended_unix_ms: None,
            duration_us: None,
            timing: Timing::default(),
            run_end: None,
            usage: None,
            cost_gaps: Vec::new(),
            awaits: None,
            end: TurnEnd::NotNeeded(reason),
            rules: Vec::new(),
            warnings: Vec::new(),
            raw: None,
        }
    }

    /// The reason why it was not needed; `None` if it was sent.
    pub fn reason_not_needed(&self) -> Option<&str> {
        match &self.end {
            TurnEnd::NotNeeded(reason) => Some(reason),
            TurnEnd::Evaluated | TurnEnd::Problem(_) | TurnEnd::Stopped => None,
        }
    }

    /// The word for its verdict.
    pub fn status_word(&self) -> &'static str {
        match self.end {
            TurnEnd::NotNeeded(_) => "not needed",
            _ => self.status().as_str(),
        }
    }

    /// Every rule that failed.
    pub fn failures(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        self.rules.iter().filter(|rule| rule.has_failed())
    }

    /// Removes the times and the end of the run that the trace does not show. `shown` are the facts of the trace: a report must
    /// not contain values that were only assumed when the trace was read.
    pub fn keep_shown(&mut self, mut shown: Facts) {
        if !shown.has(Fact::TurnTimes) {
            self.started_unix_ms = None;
            self.ended_unix_ms = None;
            self.duration_us = None;
            // All other times are relative to the start of the turn, so that they are not shown either.
            shown = shown.except(Facts::of(&[Fact::CallTimes, Fact::FirstText]));
        }
        if !shown.has(Fact::FirstText) {
            self.timing.first_text_us = None;
        }
        if !shown.has(Fact::CallTimes) {
            self.timing.gaps = None;
        }
        // A trace without ends of runs was read as if each had finished. Any other end was in the trace.
        if !shown.has(Fact::RunEnds) && self.run_end == Some(ReportedRunEnd::Finished) {
            self.run_end = None;
        }
        for line in &mut self.lines {
            line.keep_shown(shown);
        }
    }

    /// The rules of this turn that passed; none if an error or a timeout ended it: what came after is not known.
    pub fn passed_rules(&self) -> impl Iterator<Item = &RuleResult> + Clone {
        let known = match self.status() {
            Status::Error | Status::Timeout => &[],
            _ => self.rules.as_slice(),
        };
        known.iter().filter(|rule| rule.has_passed())
    }

    /// The reason why it could not be evaluated to its end.
    pub fn problem(&self) -> Option<&Problem> {
        self.end.problem()
    }
}

/// The end of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum TurnEnd {
    /// Every rule was evaluated.
    Evaluated,
    /// A problem, for which it could not be evaluated to its end; requirements were not evaluated.
    Problem(Problem),
    /// The run was stopped during the turn.
    Stopped,
    /// Not sent: its condition was not met, for this reason.
    NotNeeded(String),
}

impl TurnEnd {
    /// The reason why it could not be evaluated to its end.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Evaluated | Self::Stopped | Self::NotNeeded(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn problem_mut(&mut self) -> Option<&mut Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Evaluated | Self::Stopped | Self::NotNeeded(_) => None,
        }
    }
}

/// The end of the last run of a turn, as the agent reported it.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub enum ReportedRunEnd {
    /// The run finished.
    Finished,
    /// The run failed, with this message and code.
    Error(String),
    /// The agent cancelled the run.
    Cancelled,
    /// The run is interrupted until these are answered.
    Interrupted(Vec<OpenInterrupt>),
}

impl ReportedRunEnd {
    /// The word in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Error(_) => "error",
            Self::Cancelled => "cancelled",
            Self::Interrupted(_) => "interrupted",
        }
    }
}

/// An open interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Interrupt")]
pub struct OpenInterrupt {
    /// The interrupt's id.
    pub id: String,
    /// The agent's reason; omitted if it gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The agent's question; omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The tool whose call is pending; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// The waiting of one turn, in the agent's time, from the turn's start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// The moment of its first text, in microseconds; `None` if none came, or if nothing shows it.
    pub first_text_us: Option<u64>,
    /// Every stretch without a tool call in progress, in order; `None` if nothing shows them.
    pub gaps: Option<Vec<Gap>>,
    /// The limits of the waiting.
    pub limits: TimeLimits,
}

/// A stretch of a turn's time in which no call was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The start, in microseconds.
    pub from_us: u64,
    /// The end, in microseconds.
    pub to_us: u64,
}

/// The limits that apply to a turn, in milliseconds; `None` where there is none (SPEC 7.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimits {
    /// The limit of the turn as a whole.
    pub duration_ms: Option<u64>,
    /// The limit of each gap.
    pub idle_ms: Option<u64>,
    /// The limit of the wait for the first text.
    pub first_text_ms: Option<u64>,
    /// The limit of each call.
    pub tool_ms: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::super::problem::ErrorKind;
    use super::*;

    #[test]
    fn the_status_follows_from_the_end() {
        let problem = |kind| TurnEnd::Problem(Problem::new(kind, String::new()));
        for (end, status) in [
            (TurnEnd::Evaluated, Status::Passed),
            (problem(ErrorKind::Conversation), Status::Failed),
            (problem(ErrorKind::Capture), Status::Failed),
            (problem(ErrorKind::Timeout), Status::Timeout),
            (problem(ErrorKind::Agent), Status::Error),
            (TurnEnd::Stopped, Status::Skipped),
            (TurnEnd::NotNeeded(String::new()), Status::Passed),
        ] {
            let turn = TurnOutcome {
                end,
                ..TurnOutcome::not_needed(1, None, String::new(), String::new())
            };
            assert_eq!(turn.status(), status, "{turn:?}");
        }
    }
}
