//! `outcome`: how a turn must end, in the agent's own words; of a test, how its last turn must.

use std::sync::Arc;

use regex::Regex;

use crate::assertion::describe::short;
use crate::assertion::judge::{Finding, Home, Judgement, Moment, Scope, Seen};
use crate::diagnostic::Code;
use crate::model::{OutcomeIs, RunOutcome};
use crate::trace::{Interrupt, RunEnd, Turn};
use crate::variables::{Filling, Late, Pattern, Patterns};

/// How a run must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedOutcome {
    /// How.
    pub is: RunOutcome,
    /// What the message or the code of an error must match.
    pub error_match: Option<Pattern>,
}

impl ExpectedOutcome {
    pub(crate) fn compile(written: &OutcomeIs, filling: &mut Filling<'_>) -> Option<Self> {
        let OutcomeIs { is, error_match } = written;
        if let Some(text) = error_match
            && *is != RunOutcome::Error
        {
            let message = "`error_match` looks at an error, which is not what is expected here";
            let help = "expect `is: error`, or drop `error_match`";
            filling.report(Code::Contradiction, text.span, message, Some(help.to_owned()));
            return None;
        }
        let error_match = Late::optional(error_match.as_ref().map(|text| filling.pattern(text)));
        Some(Self { is: *is, error_match: error_match.ready()? })
    }

    /// Whether a run that ends so ends as expected, whatever an error says.
    pub fn expects(&self, outcome: &RunEnd) -> bool {
        self.is == kind(outcome)
    }

    /// What is wanted, in words.
    pub fn describe(&self) -> String {
        let wanted = match self.is {
            RunOutcome::Finished => "a run that finishes",
            RunOutcome::Error => "a run that ends with an error",
            RunOutcome::Interrupted => "a run that is interrupted",
            RunOutcome::Cancelled => "a run that the agent cancels",
        };
        match &self.error_match {
            Some(pattern) => format!("{wanted} matching `{}`", short(pattern.as_str())),
            None => wanted.to_owned(),
        }
    }

    /// When it is settled, in words.
    pub fn settled(&self, home: Home) -> String {
        match home {
            Home::Turn(_) => "settled at the end of the turn".to_owned(),
            Home::Test => "settled at the end of the test, on its last turn".to_owned(),
        }
    }

    pub(crate) fn start(&self, patterns: &mut Patterns) -> Result<Monitor, regex::Error> {
        let error = self.error_match.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?;
        Ok(Monitor { expected: self.clone(), error })
    }
}

/// Judged once, at the end of its home, on the last run.
#[derive(Debug)]
pub struct Monitor {
    expected: ExpectedOutcome,
    error: Option<Arc<Regex>>,
}

impl Monitor {
    pub(crate) fn watch(&mut self, scope: &Scope<'_>, moment: Moment) -> Judgement {
        match moment {
            Moment::Touched(_) | Moment::TurnEnd => return Judgement::Open,
            Moment::HomeEnd | Moment::TestEnd => {}
        }
        let turns = &scope.trace.turns;
        let turn: Option<&Turn> = match scope.home {
            Home::Turn(turn) => turns.get(turn),
            // What became of a run that was told again is history.
            Home::Test => turns.iter().rfind(|turn| !turn.input.is_replay),
        };
        let exchange = turn.and_then(|turn| scope.trace.exchanges.get(turn.exchanges.clone())?.last());
        let outcome = exchange.and_then(|exchange| exchange.run_end.as_ref());
        let found = match outcome {
            Some(outcome) if self.expected.expects(outcome) => match self.unmatched(outcome) {
                Some(unmatched) => unmatched,
                None => return Judgement::Holds,
            },
            Some(outcome) => words(outcome),
            None => "the agent told of no end of a run".to_owned(),
        };
        let expected = self.expected.describe();
        Judgement::broken(Finding {
            message: format!("{found}, expected {expected}"),
            expected,
            seen: vec![Seen::Words(found)],
            events: Vec::new(),
        })
    }

    /// The words for an error that says something else than it must.
    fn unmatched(&self, outcome: &RunEnd) -> Option<String> {
        let (Some(regex), RunEnd::Error { message, code }) = (&self.error, outcome) else { return None };
        let matches = [Some(message), code.as_ref()].into_iter().flatten().any(|text| regex.is_match(text));
        (!matches).then(|| words(outcome))
    }
}

fn kind(outcome: &RunEnd) -> RunOutcome {
    match outcome {
        RunEnd::Finished => RunOutcome::Finished,
        RunEnd::Error { .. } => RunOutcome::Error,
        RunEnd::Interrupted(_) => RunOutcome::Interrupted,
        RunEnd::Cancelled => RunOutcome::Cancelled,
    }
}

fn words(outcome: &RunEnd) -> String {
    match outcome {
        RunEnd::Finished => "the run finished".to_owned(),
        RunEnd::Error { .. } => format!("the agent reported an error: {}", short(&outcome.to_string())),
        RunEnd::Cancelled => "the agent cancelled the run".to_owned(),
        RunEnd::Interrupted(interrupts) => {
            let asks = |interrupt: &Interrupt| {
                let text = interrupt.message.as_ref().or(interrupt.reason.as_ref());
                format!("`{}`", short(text.unwrap_or(&interrupt.id)))
            };
            match interrupts.first() {
                Some(first) => format!("the agent was interrupted and waits for {}", asks(first)),
                None => "the agent was interrupted".to_owned(),
            }
        }
    }
}
