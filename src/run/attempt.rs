//! One attempt at a test: its file → hooks → its other variables → conversation → teardown.

use std::sync::{Mutex, PoisonError};

use crate::context::CaseKey;
use crate::outcome::{Halt, Outcome};
use crate::plan::Preparation;
use crate::recording::AttemptEnvironment;

use super::case::Case;
use super::hooks::run_hooks;
use super::outcomes::{end_with, mark_aborted};
use super::reused_thread::reused_thread;
use super::teardown::run_teardown;
use super::turn_count::turn_count;

/// What an attempt is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptPurpose {
    /// Its outcome is reported.
    Report,
    /// It verifies a recording: nothing is reported and nothing is written.
    Verify,
}

/// One attempt at a test: its environment, and its outcome so far.
pub(super) struct Attempt<'a> {
    pub(super) case: &'a Case<'a>,
    pub(super) key: &'a CaseKey,
    pub(super) environment: AttemptEnvironment,
    pub(super) purpose: AttemptPurpose,
    pub(super) outcome: Outcome,
}

impl Attempt<'_> {
    /// Runs the test to its last rule, and ends the attempt; `before` is the attempt before it. Whatever goes wrong is
    /// in its outcome.
    pub(super) async fn run(&mut self, before: Option<&Outcome>) {
        let carried_out = self.carry_out(before).await;
        match carried_out {
            Ok(()) => {}
            Err(Halt::Stopped) => mark_aborted(&mut self.outcome, self.case.shared.stopper.reason()),
            Err(Halt::Broken(problem)) => end_with(&mut self.outcome, problem),
        }
        self.note_server_exit().await;
        let last = self.outcome.transcript.turns.last().map_or(0, |turn| turn.ended_unix_ms);
        self.outcome.transcript.ended_unix_ms = self.environment.ended_unix_ms().max(last);
    }

    /// Runs the test from its file to its last rule, and the teardown. What stops it is a problem of the whole test.
    async fn carry_out(&mut self, before: Option<&Outcome>) -> Result<(), Halt> {
        let Case { plan, entry, ref loading, .. } = *self.case;
        let unprepared = |error| self.case.unprepared(error);
        let test = loading.clone().test_of(entry).await.map_err(unprepared)?;
        let context = self.environment.context.clone();
        let begun = Preparation::begin(&context, plan, entry, test, self.environment.mode());
        let mut preparation = begun.map_err(unprepared)?;
        for (name, marker) in self.environment.unknown_secrets() {
            self.case.redactor.add([&marker]);
            preparation.replace(name, marker);
        }
        self.outcome.transcript.turns_not_run = turn_count(preparation.turns());
        let preparation = Mutex::new(preparation);
        let talked = self.talk(&preparation, before).await;
        let preparation = preparation.into_inner().unwrap_or_else(PoisonError::into_inner);
        let warnings = self.environment.teardown(run_teardown(self.case, &preparation)).await;
        self.outcome.verdict.warnings.extend(warnings);
        talked
    }

    /// Runs the test from its first hook to its last rule.
    async fn talk(
        &mut self,
        preparation: &Mutex<Preparation<'_>>,
        before: Option<&Outcome>,
    ) -> Result<(), Halt> {
        let Self { case, environment, outcome, .. } = self;
        run_hooks(case, environment, preparation).await?;
        let finished = preparation.lock().unwrap_or_else(PoisonError::into_inner).finish();
        let prepared = finished.map_err(|error| case.unprepared(error))?;
        environment.set_secrets(&prepared.secrets);
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        if let Some(problem) = reused_thread(case.shared, before, &prepared.thread_id) {
            return Err(problem.into());
        }
        self.converse(preparation, prepared).await
    }
}
