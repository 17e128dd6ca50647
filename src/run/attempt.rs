//! One attempt at a test: its file → hooks → its other variables → conversation → teardown.

use std::sync::{Mutex, PoisonError};

use crate::context::CaseKey;
use crate::engine::Halt;
use crate::outcome::Outcome;
use crate::plan::{CaseEntry, Plan, Preparation};
use crate::recording::{Player, Tape};
use crate::redact::{Redactor, marker};

use super::hooks::run_hooks;
use super::outcomes::{end_with, mark_aborted};
use super::prefetch::Loading;
use super::problems::unprepared_problem;
use super::reused_thread::reused_thread;
use super::shared::Run;
use super::teardown::run_teardown;
use super::turn_count::turn_count;

/// One attempt at a test: its own environment, and its outcome so far.
pub(super) struct Attempt<'a> {
    pub(super) shared: &'a Run,
    pub(super) key: &'a CaseKey,
    pub(super) tape: Tape,
    /// Masks the secrets of the test, and those of this attempt as soon as they are known.
    pub(super) redactor: &'a Redactor,
    pub(super) outcome: Outcome,
}

impl Attempt<'_> {
    /// Runs the test from its file to its last rule, and the teardown. What stops it is a problem of the whole test.
    pub(super) async fn carry_out(
        &mut self,
        plan: &Plan,
        entry: &CaseEntry,
        loading: Loading,
        before: Option<&Outcome>,
    ) -> Result<(), Halt> {
        let redactor = self.redactor;
        let unprepared = |unprepared| unprepared_problem(redactor, unprepared);
        let test = loading.test_of(entry).await.map_err(unprepared)?;
        let context = self.tape.context.clone();
        let mut preparation = Preparation::begin(&context, plan, entry, test).map_err(unprepared)?;
        if let Some(player) = self.tape.player() {
            preparation = preparation.without_sending();
            // The recorded value of a variable that only the command line sets is not known.
            for name in player.secrets() {
                redactor.add([marker(name)]);
                preparation.replace(name, marker(name));
            }
        }
        self.outcome.turns_not_run = turn_count(preparation.turns());
        let preparation = Mutex::new(preparation);
        let talked = self.talk(&preparation, before).await;
        if self.tape.player().is_none() {
            let preparation = preparation.into_inner().unwrap_or_else(PoisonError::into_inner);
            run_teardown(redactor, &preparation, &mut self.outcome).await;
        }
        talked
    }

    /// Runs the test from its first hook to its last rule.
    async fn talk(
        &mut self,
        preparation: &Mutex<Preparation<'_>>,
        before: Option<&Outcome>,
    ) -> Result<(), Halt> {
        let Self { shared, tape, outcome, redactor, .. } = self;
        let known = || preparation.lock().unwrap_or_else(PoisonError::into_inner);
        let unprepared = |unprepared| unprepared_problem(redactor, unprepared);
        run_hooks(shared, tape, redactor, preparation).await?;
        let prepared = known().finish().map_err(unprepared)?;
        redactor.add(&prepared.secrets);
        tape.learn(&prepared.secrets, redactor);
        prepared.target.agent().clone_into(&mut outcome.agent);
        outcome.thread_id.clone_from(&prepared.thread_id);
        outcome.warnings.clone_from(&prepared.warnings);
        if let Some(problem) = reused_thread(shared, before, &prepared.thread_id) {
            return Err(problem.into());
        }
        self.converse(preparation, prepared).await
    }

    /// Ends the attempt: its environment and its complete outcome.
    pub(super) fn ended(self, carried_out: Result<(), Halt>) -> (Tape, Outcome) {
        let Self { shared, tape, mut outcome, .. } = self;
        match carried_out {
            Ok(()) => {}
            Err(Halt::Stopped) => mark_aborted(&mut outcome, shared.stopper.reason()),
            Err(Halt::Broken(problem)) => end_with(&mut outcome, problem),
        }
        let clock = &tape.context.clock;
        let now = tape.player().map_or_else(|| clock.unix_ms(clock.now()), Player::ended_unix_ms);
        let last = outcome.turns.last().map_or(0, |turn| turn.ended_unix_ms);
        outcome.ended_unix_ms = now.max(last);
        (tape, outcome)
    }
}
