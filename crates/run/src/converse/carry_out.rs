//! The way of one attempt at a test: its file → hooks → its other variables → conversation → teardown.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::run_attempt::not_asked;
use crate::attempt::{Attempt, run_hooks, run_teardown};
use crate::context::{Case, TestStep, UsedThreads, aborted, turn_count};
use ananke_base::context::lock;
use ananke_plan::Preparation;
use ananke_trace::outcome::{EndCause, ErrorKind, Halt, SkipCause};

/// The warning of a test that asks a person, and is skipped where there is none.
const NO_PERSON: &str = "a test that asks a person checks nothing where there is no terminal, as in CI: turns that answer, or `simulate`, work everywhere";

impl Attempt<'_> {
    /// Runs the test to its last rule, and ends the attempt; the attempts before it used `threads`. Whatever goes
    /// wrong is in its outcome.
    pub(super) async fn run(&mut self, threads: &UsedThreads) {
        let carried_out = Box::pin(self.carry_out(threads)).await;
        self.has_ended = !matches!(carried_out, Err(Halt::Stopped));
        if let Err(halt) = carried_out {
            let cause = self.end_cause(halt);
            self.outcome.end(cause);
        }
        self.note_server_exit().await;

        // The time of an agent can be virtual, and ahead of the clock: no turn ends after its attempt.
        let transcript = &mut self.outcome.transcript;
        transcript.ended_unix_ms = self.environment.ended_unix_ms();
        if let Some(last) = transcript.turns.last()
            && let Some(ended) = last.ended_unix_ms
        {
            transcript.ended_unix_ms = transcript.ended_unix_ms.max(ended);
        }
    }

    /// The end of an attempt that something halted.
    fn end_cause(&mut self, halt: Halt) -> EndCause {
        let shared = &self.case.shared;
        match halt {
            Halt::Stopped => aborted(shared.stopper.reason()),
            Halt::Skipped(cause, why) => {
                let asks_nobody = self.case.entry.test.asks_person && shared.person.is_none();
                if cause == SkipCause::MissingInput && asks_nobody {
                    self.outcome.verdict.warnings.push(NO_PERSON.to_owned());
                }
                EndCause::Skipped(cause, why)
            }
            // A replay says what its recording lacks; here its user changed a test, and wants to hear what to ask.
            Halt::Broken(problem)
                if problem.kind == ErrorKind::Recording && shared.answers.are_of_earlier_run() =>
            {
                let asked = match self.outcome.transcript.turns.last() {
                    Some(turn) => turn.number + 1,
                    None => 1,
                };
                let why = format!(
                    "turn {asked} sends what the agent was not asked when its answers were kept: the test or its target changed"
                );
                EndCause::Broken(not_asked(self.case, why))
            }
            Halt::Broken(problem) => EndCause::Broken(problem),
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
        // The file was read ahead while other tests waited for their agents, or is being read.
        watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let test = loading.clone().test_of(entry).await;
        let test = test.map_err(|error| self.case.unprepared(error))?;
        let environment = &self.environment;
        let begun = Preparation::begin(
            &environment.context,
            plan,
            entry,
            test,
            environment.mode(),
            environment.setup(&plan.variables.setup),
        );
        let mut preparation = begun.map_err(|error| self.case.unprepared(error))?;

        // A recording has markers instead of secrets. A replay that does not know a secret goes on with its marker.
        for (name, marker) in environment.unknown_secrets() {
            self.case.redactor.add([&marker]);
            preparation.replace(name, marker);
        }
        self.outcome.transcript.turns_not_run = turn_count(preparation.turns());

        // From here on the teardown runs whatever happens: the watchdog does it if this thread is left behind. A replay ran
        // no hook, and has nothing to clean up.
        let preparation = Arc::new(Mutex::new(preparation));
        let needs_teardown = environment.is_live();
        if needs_teardown {
            watchdog.hand_over(&preparation);
        }
        // A future is as large as all that it may hold, and moves with each that waits for it: large ones are put aside.
        let talked = Box::pin(self.talk(&preparation, threads)).await;

        // The next test need not wait for the teardown to talk to the agent.
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
        // The target and the turns may use what hooks gave, so they are filled after them.
        case.watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let finished = lock(preparation).finish();
        let prepared = finished.map_err(|error| case.unprepared(error))?;
        environment.add_secrets(&prepared.secrets);

        // Noted before anything is sent, so that the report of a test that fails at once has it.
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        if let Some(problem) = threads.reject(&case.shared, &prepared.thread_id) {
            return Err(problem.into());
        }
        Box::pin(self.converse(preparation, prepared)).await
    }
}
