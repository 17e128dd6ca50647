//! `outcome`: how a turn must end, as the agent reports it; on a test, how its last turn must.

use crate::evaluation::{Finding, Judgement, Monitor, RuleScope, View, at_scope_end};
use crate::{block::Expectation, collector::Collector, describe::short, rule::Rule};
use ananke_base::diagnostic::Code;
use ananke_model::model::{AssertBlock, OutcomeIs, OutcomeRule, RunOutcome};
use ananke_model::variables::{Fill as _, Interpolation, Pattern, Patterns};
use ananke_trace::trace::{Fact, Facts, Interrupt, RunEnd};

/// The required end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ExpectedOutcome {
    is: RunOutcome,
    /// The pattern that the message or the code of an error must match.
    error_match: Option<Pattern>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    let Some(written) = &block.outcome else {
        return;
    };
    let expected = match &written.value {
        OutcomeRule::Off => None,
        OutcomeRule::Is(is) => ExpectedOutcome::compile(is, collector.interpolation),
    };
    let entry = expected.map(|expected| Expectation::Is(collector.entry(expected, written.span)));
    // What this level says replaces what outer levels say, also while it is not known.
    collector.block.outcome = Some(entry.unwrap_or(Expectation::Off));
}

impl Rule for ExpectedOutcome {
    fn needs(&self) -> Facts {
        Facts::of(&[Fact::RunEnds])
    }

    fn describe(&self) -> String {
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

    fn when_decided(&self, scope: RuleScope) -> String {
        match scope {
            RuleScope::Turn(_) => "evaluated at the end of the turn".to_owned(),
            RuleScope::Test => "evaluated at the end of the test, on its last turn".to_owned(),
        }
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let mut rule = self.clone();
        if let Some(pattern) = &mut rule.error_match {
            pattern.start(patterns)?;
        }
        Ok(at_scope_end(move |view| rule.check(view)))
    }

    /// Whatever an error says.
    fn expects(&self, outcome: &RunEnd) -> bool {
        kind(outcome) == Some(self.is)
    }
}

impl ExpectedOutcome {
    fn compile(written: &OutcomeIs, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        let OutcomeIs { is, error_match } = written;
        if let Some(text) = error_match
            && *is != RunOutcome::Error
        {
            let message = "`error_match` looks at an error, which is not what is expected here";
            let help = "expect `is: error`, or drop `error_match`";
            interpolation.report(
                Code::Contradiction,
                text.span,
                message,
                Some(help.to_owned()),
            );
            return None;
        }
        let error_match = error_match.fill(interpolation);
        Some(Self {
            is: *is,
            error_match: error_match.ok()?,
        })
    }

    /// Checks the end of the last run.
    fn check(&self, view: &View<'_>) -> Judgement {
        let turn = match view.scope {
            RuleScope::Turn(_) => view.turn(),
            // The end of a replayed run is history.
            RuleScope::Test => view.trace.turns.iter().rfind(|turn| !turn.input.is_replay),
        };
        // The last turn may be one that says itself how it must end.
        if view.leaves_out_last_turn() {
            return Judgement::Open;
        }
        let exchange =
            turn.and_then(|turn| view.trace.exchanges.get(turn.exchanges.clone())?.last());
        let found = match exchange.and_then(|exchange| exchange.run_end.as_ref()) {
            Some(outcome) if kind(outcome) == Some(self.is) => match self.unmatched(outcome) {
                Some(unmatched) => unmatched,
                None => return Judgement::Passed,
            },
            Some(outcome) => words(outcome),
            None => "the agent did not report the end of a run".to_owned(),
        };
        let expected = self.describe();
        Judgement::failed(Finding::in_words(
            format!("{found}, expected {expected}"),
            expected,
            [found],
        ))
    }

    /// The words for an error that does not match.
    fn unmatched(&self, outcome: &RunEnd) -> Option<String> {
        let (Some(pattern), RunEnd::Error { message, code }) = (&self.error_match, outcome) else {
            return None;
        };
        let matches = [Some(message), code.as_ref()]
            .into_iter()
            .flatten()
            .any(|text| pattern.is_match(text));
        (!matches).then(|| words(outcome))
    }
}

fn kind(outcome: &RunEnd) -> Option<RunOutcome> {
    Some(match outcome {
        RunEnd::Finished => RunOutcome::Finished,
        RunEnd::Error { .. } => RunOutcome::Error,
        RunEnd::Interrupted(_) => RunOutcome::Interrupted,
        RunEnd::Cancelled => RunOutcome::Cancelled,
        RunEnd::Unknown(_) => return None,
    })
}

fn words(outcome: &RunEnd) -> String {
    match outcome {
        RunEnd::Finished => "the run finished".to_owned(),
        RunEnd::Error { .. } => format!(
            "the agent reported an error: {}",
            short(&outcome.to_string())
        ),
        RunEnd::Cancelled => "the agent cancelled the run".to_owned(),
        RunEnd::Unknown(outcome) => format!(
            "the run ended with the unknown outcome `{}`",
            short(outcome)
        ),
        RunEnd::Interrupted(interrupts) => {
            let asks = |interrupt: &Interrupt| {
                let text = interrupt.message.as_ref().or(interrupt.reason.as_ref());
                format!("`{}`", short(text.unwrap_or(&interrupt.id)))
            };
            match interrupts.first() {
                Some(first) => format!("the agent was interrupted and waits for {}", asks(first)),
                None => "the agent waits for a message of the user".to_owned(),
            }
        }
    }
}
