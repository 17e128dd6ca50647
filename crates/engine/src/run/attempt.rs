//! One attempt at a test: its file → hooks → its other variables → conversation → teardown.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::agent_contact::AgentContact;
use super::case::Case;
use super::hooks::run_hooks;
use super::outcomes::{blank, end_with, mark_aborted, turn_count};
use super::raw_log::RawLog;
use super::tap::AttemptPurpose;
use super::teardown::{Teardown, run_teardown};
use super::used_threads::UsedThreads;
use super::watchdog::TestStep;
use crate::plan::Preparation;
use crate::recording::AttemptEnvironment;
use ananke_base::context::{CaseKey, lock};
use ananke_trace::outcome::{Halt, Outcome, SkipCause, TestEnd};
use ananke_trace::trace::Facts;

/// The warning of a test that asks a person, and is skipped where there is none.
const NO_PERSON: &str = "a test that asks a person checks nothing where there is no terminal, as in CI: turns that answer, or `simulate`, work everywhere";

/// One attempt at a test: its environment, and its outcome so far.
pub(super) struct Attempt<'a> {
    pub(super) case: &'a Case,
    pub(super) key: &'a CaseKey,
    pub(super) environment: AttemptEnvironment,
    pub(super) purpose: AttemptPurpose,
    pub(super) outcome: Outcome,
    /// The facts that the conversation shows: all, unless it was recorded by another program.
    pub(super) shown: Facts,
    /// Collects what is sent and received, as it is.
    pub(super) raw: Option<RawLog>,
    /// The progress with its agent.
    pub(super) contact: AgentContact,
    /// The result of its teardown.
    pub(super) teardown: Teardown,
    /// Whether it came to its end, and was not aborted because the run stops.
    pub(super) has_ended: bool,
}

impl<'a> Attempt<'a> {
    /// An attempt that has not begun.
    pub(super) fn new(
        case: &'a Case,
        key: &'a CaseKey,
        environment: AttemptEnvironment,
        purpose: AttemptPurpose,
    ) -> Self {
        Self {
            case,
            key,
            environment,
            purpose,
            outcome: blank(&case.shared, &case.entry),
            shown: Facts::ALL,
            raw: None,
            contact: AgentContact::default(),
            teardown: Teardown::default(),
            has_ended: false,
        }
    }
}

impl Attempt<'_> {
    /// Runs the test to its last rule, and ends the attempt; the attempts before it used `threads`. Whatever goes
    /// wrong is in its outcome.
    pub(super) async fn run(&mut self, threads: &UsedThreads) {
        let carried_out = self.carry_out(threads).await;
        self.has_ended = !matches!(carried_out, Err(Halt::Stopped));
        match carried_out {
            Ok(()) => {}
            Err(Halt::Stopped) => {
                mark_aborted(&mut self.outcome, self.case.shared.stopper.reason());
            }
            Err(Halt::Skipped(cause, why)) => {
                let is_alone = self.case.shared.person.is_none();
                let asks_person = self.case.entry.test.asks_person;
                if cause == SkipCause::MissingInput && asks_person && is_alone {
                    self.outcome.verdict.warnings.push(NO_PERSON.to_owned());
                }
                self.outcome.verdict.end = TestEnd::Skipped(cause, why);
            }
            Err(Halt::Broken(problem)) => end_with(&mut self.outcome, problem),
        }
        self.note_server_exit().await;
        let last = self
            .outcome
            .transcript
            .turns
            .last()
            .and_then(|turn| turn.ended_unix_ms)
            .unwrap_or_default();
        self.outcome.transcript.ended_unix_ms = self.environment.ended_unix_ms().max(last);
    }

    /// Takes over whether the agent answered.
    pub(super) fn note_contact(&mut self) {
        let (answers, target) = (&self.case.shared.answered, &self.outcome.test.target);
        let problem = self.outcome.first_problem().map(|(_, problem)| problem);
        match self.contact.has_answered(problem) {
            Some(true) => answers.note(target),
            Some(false) => {
                if self.contact.has_fallen_silent() {
                    answers.note_silence(target);
                }
                self.outcome.transcript.is_unanswered = !answers.has_answered(target);
            }
            None => {}
        }
    }

    /// Runs the test from its file to its last rule, and the teardown. What stops it is a problem of the whole test.
    async fn carry_out(&mut self, threads: &UsedThreads) -> Result<(), Halt> {
        let Case {
            plan,
            entry,
            loading,
            watchdog,
            ..
        } = self.case;
        let unprepared = |error| self.case.unprepared(error);
        watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let test = loading.clone().test_of(entry).await.map_err(unprepared)?;
        let environment = &self.environment;
        let setup = environment.setup(&plan.variables.setup);
        let begun = Preparation::begin(
            &environment.context,
            plan,
            entry,
            test,
            environment.mode(),
            setup,
        );
        let mut preparation = begun.map_err(unprepared)?;
        for (name, marker) in self.environment.unknown_secrets() {
            self.case.redactor.add([&marker]);
            preparation.replace(name, marker);
        }
        self.outcome.transcript.turns_not_run = turn_count(preparation.turns());
        let preparation = Arc::new(Mutex::new(preparation));
        let needs_teardown = self.environment.is_live();
        if needs_teardown {
            watchdog.hand_over(&preparation);
        }
        let talked = self.talk(&preparation, threads).await;
        watchdog.release_locks();
        if needs_teardown {
            watchdog.begin_teardown()?;
            self.teardown = run_teardown(self.case, watchdog, &preparation).await;
        }
        talked
    }

    /// Runs the test from its first hook to its last rule.
    async fn talk(
        &mut self,
        preparation: &Mutex<Preparation>,
        threads: &UsedThreads,
    ) -> Result<(), Halt> {
        let Self {
            case,
            environment,
            outcome,
            ..
        } = self;
        run_hooks(case, environment, preparation).await?;
        case.watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let finished = lock(preparation).finish();
        let prepared = finished.map_err(|error| case.unprepared(error))?;
        environment.add_secrets(&prepared.secrets);
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        if let Some(problem) = threads.reject(&case.shared, &prepared.thread_id) {
            return Err(problem.into());
        }
        self.converse(preparation, prepared).await
    }
}
