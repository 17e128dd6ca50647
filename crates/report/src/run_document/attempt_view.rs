//! An attempt at a test, as readers get it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event_numbers::count_by_turn;
use super::format_version::FormatVersion;
use super::part::{all_of, filled, listed};
use super::rule_view::{Assertion, ErrorText, ProblemView, assertions};
use super::walks_and_checkpoints::{CheckpointView, WalksView};
use super::{duration::Milliseconds, part, runs_view::RunsView, turn_view::TurnView};
use ananke_trace::outcome::{
    EndCause, Outcome, RuleResult, RuleStatus, SkipCause, Stability, Status, TestIdentity,
    TestVerdict, Transcript,
};
use ananke_trace::trace::{AgentTime, Peer};

part! {
    /// An attempt other than the one that the result is about: one that was followed by a retry, or another run. Its fields mean what those of a result mean.
    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "Attempt")]
    pub(crate) struct AttemptView<'a> of (number: usize, outcome: &'a Outcome) {
        /// Its number among the attempts at one run, from 1.
        attempt: usize = number;
        /// Which of the runs of the test it is, if it is not the first.
        run?: u32 = Some(outcome.run).filter(|run| *run != 1);
        /// Its status.
        status: Status = outcome.status();
        /// The attempts before it at the same run; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        earlier_attempts?: Vec<AttemptView<'a>> = attempts(&outcome.earlier_attempts);
        /// All its runs, of a test that runs several times and was compared with itself; omitted for any other.
        #[schemars(extend("x-since" = "1.1"))]
        runs?: RunsView<'a> =
            outcome.stability.as_deref().map(|stability| RunsView::of(outcome, stability));
        /// All its walks, of a test with a walk that was compared with itself; omitted for any other.
        #[schemars(extend("x-since" = "1.1"))]
        walks?: WalksView<'a> = outcome.walks.as_deref().map(WalksView::of);
        /// The reason why it was skipped; omitted if it was not.
        #[schemars(extend("x-since" = "1.1"))]
        skip_reason?: Cow<'a, str> = outcome.verdict.end().skip_reason().map(Cow::Borrowed);
        /// The cause of that.
        #[schemars(extend("x-since" = "1.1"))]
        skip_cause?: SkipCause = outcome.verdict.end().skip_cause();
        /// The thread of its conversation; omitted if none was opened.
        thread_id?: Cow<'a, str> = filled(&outcome.transcript.thread_id);
        /// When it started, in Unix milliseconds.
        started: u64 = outcome.transcript.started_unix_ms;
        /// When it ended, in Unix milliseconds.
        ended: u64 = outcome.transcript.ended_unix_ms;
        /// The agent's time in all turns together, in milliseconds with up to three decimals; omitted if a trace does not show it.
        duration_ms?: Milliseconds = outcome.transcript.duration().map(Milliseconds);
        /// The turns that were sent, with the last 16 KiB of their transcript.
        turns: Vec<TurnView<'a>> = outcome.transcript.turns.iter().map(TurnView::of).collect();
        /// The number of turns that were not sent.
        turns_not_run: u32 = outcome.transcript.turns_not_run;
        /// The failed rules of the whole test. Passed rules are listed only for the last attempt, also in turns.
        final_assertions: Vec<Assertion<'a>> =
            assertions(outcome.verdict.failures(), outcome.passed_rules());
        /// The rules whose facts are not known; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        not_shown?: Vec<Assertion<'a>> = listed(outcome.verdict.not_shown().map(Assertion::of));
        /// The checkpoints of a simulated conversation; omitted if it has none.
        #[schemars(extend("x-since" = "1.1"))]
        checkpoints?: Vec<CheckpointView<'a>> =
            listed(outcome.transcript.checkpoints.iter().map(CheckpointView::of));
        /// Oddities that fail nothing; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        warnings?: Cow<'a, [String]> = all_of(&outcome.verdict.warnings);
        /// The names of `known` on the target that made something harmless; omitted if there are none.
        #[schemars(extend("x-since" = "1.1"))]
        silenced?: Cow<'a, [String]> = all_of(&outcome.verdict.silenced);
        /// Why it could not be evaluated completely.
        error?: ErrorText<'a> = outcome.first_problem().map(|(_, problem)| ErrorText::of(problem));
        /// What else is known of the `error`; omitted without one.
        #[schemars(extend("x-since" = "1.1"))]
        problem?: ProblemView<'a> =
            outcome.first_problem().map(|(turn, problem)| ProblemView::of(problem, turn));
        /// The file of its recording; omitted if there is none.
        recording?: Cow<'a, str> = outcome.transcript.recording.as_deref().map(Cow::Borrowed);
    }
}

/// The facts that all attempts at a test share.
pub(crate) struct SharedFacts {
    pub(crate) test: TestIdentity,
    pub(crate) peer: Peer,
    pub(crate) time: AgentTime,
    /// The version of the document.
    pub(crate) version: FormatVersion,
}

impl AttemptView<'_> {
    /// The outcome, of an attempt at a test with these facts.
    pub(crate) fn outcome(self, shared: &SharedFacts) -> Outcome {
        let run = self.run.unwrap_or(1);
        let problem = self.error.map(|error| error.with(self.problem));
        let end = match (problem, self.skip_reason) {
            (Some(problem), _) if problem.turn.is_none() => {
                Some(EndCause::Broken(problem.problem(self.status)))
            }
            (_, Some(reason)) => {
                let cause = self.skip_cause.unwrap_or(SkipCause::Wanted);
                Some(EndCause::Skipped(cause, reason.into()))
            }
            _ => None,
        };
        let not_shown = self.not_shown.into_iter().flatten().map(|rule| RuleResult {
            status: RuleStatus::NotShown,
            ..rule.into()
        });
        let rules = self.final_assertions.into_iter().map(Into::into);
        let mut verdict = TestVerdict::default();
        verdict.rules = rules.chain(not_shown).collect();
        verdict.silenced = self.silenced.unwrap_or_default().into_owned();
        verdict.warnings = self.warnings.unwrap_or_default().into_owned();
        let mut outcome = Outcome {
            test: shared.test.clone(),
            verdict,
            transcript: Transcript {
                thread_id: self.thread_id.unwrap_or_default().into(),
                peer: shared.peer,
                time: shared.time,
                turns: self.turns.into_iter().map(Into::into).collect(),
                checkpoints: self
                    .checkpoints
                    .into_iter()
                    .flatten()
                    .map(Into::into)
                    .collect(),
                turns_not_run: self.turns_not_run,
                started_unix_ms: self.started,
                ended_unix_ms: self.ended,
                duration_us: self.duration_ms.map(|ms| ms.0).unwrap_or_default(),
                recording: self.recording.map(Into::into),
                ..Transcript::default()
            },
            run,
            earlier_attempts: outcomes(self.earlier_attempts, shared),
            stability: self.runs.map(|runs| Box::<Stability>::new(runs.into())),
            walks: self.walks.map(|walks| Box::new(walks.into())),
            other_runs: Vec::new(),
            self_comparison: None,
            change: None,
            helpers: Box::default(),
            picks: None,
        };
        if let Some(cause) = end {
            outcome.end(cause);
        }
        if !shared.version.counts_events_by_turn() {
            count_by_turn(&mut outcome);
        }
        outcome
    }
}

/// Attempts, in their order; `None` if there are none.
pub(crate) fn attempts(earlier: &[Outcome]) -> Option<Vec<AttemptView<'_>>> {
    listed(
        (1..)
            .zip(earlier)
            .map(|(number, earlier)| AttemptView::of(number, earlier)),
    )
}

/// The outcomes of attempts at a test with these facts.
pub(crate) fn outcomes(
    attempts: Option<Vec<AttemptView<'_>>>,
    shared: &SharedFacts,
) -> Vec<Outcome> {
    let attempts = attempts.into_iter().flatten();
    attempts.map(|attempt| attempt.outcome(shared)).collect()
}
