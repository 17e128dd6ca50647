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
    /// Runs the test to its last rule, and ends the attempt. Earlier attempts used `threads`, which this one must not use again.
    /// An error is not returned: the outcome of the attempt contains it.
    pub(super) async fn run(&mut self, threads: &UsedThreads) {
        // The future is large, so it is put aside (boxed) instead of moved with that of the caller.
        let result = Box::pin(self.run_to_teardown(threads)).await;
        // The callers keep no recording of an attempt that a stop of the run aborted.
        self.has_ended = !matches!(result, Err(Halt::Stopped));
        if let Err(halt) = result {
            let cause = self.end_cause(halt);
            self.outcome.end(cause);
        }
        // A connection error in the outcome gets a better remedy if a server of the config has ended.
        self.note_server_exit().await;

        // The time of an agent can be virtual, and ahead of the clock. The attempt then ends with its last turn, not before it.
        let transcript = &mut self.outcome.transcript;
        transcript.ended_unix_ms = self.environment.ended_unix_ms();
        if let Some(last) = transcript.turns.last()
            && let Some(ended) = last.ended_unix_ms
        {
            transcript.ended_unix_ms = transcript.ended_unix_ms.max(ended);
        }
    }

    /// The cause of the end of an attempt that `halt` ended, as it is reported.
    fn end_cause(&mut self, halt: Halt) -> EndCause {
        let shared = &self.case.shared;
        match halt {
            Halt::Stopped => aborted(shared.stopper.reason()),
            Halt::Skipped(cause, why) => {
                // A test that asks a person is skipped wherever there is none, such as in CI, so it gets a warning.
                let lacks_person = self.case.entry.test.asks_person && shared.person.is_none();
                if cause == SkipCause::MissingInput && lacks_person {
                    self.outcome.verdict.warnings.push(NO_PERSON.to_owned());
                }
                EndCause::Skipped(cause, why)
            }
            // The kept answers of an earlier run lack an answer, because the test was changed since. The problem of the replay
            // names a recording that the user does not know, so it is replaced by one that says which turn has to be asked.
            Halt::Broken(problem)
                if problem.kind == ErrorKind::Recording && shared.answers.are_of_earlier_run() =>
            {
                // The turn without an answer was removed from the transcript, so its number is the one after the last.
                let unasked = match self.outcome.transcript.turns.last() {
                    Some(turn) => turn.number + 1,
                    None => 1,
                };
                let why = format!(
                    "turn {unasked} sends what the agent was not asked when its answers were kept: the test or its target changed"
                );
                EndCause::Broken(not_asked(self.case, why))
            }
            Halt::Broken(problem) => EndCause::Broken(problem),
        }
    }

    /// Runs the test from its file to its last rule, and then the teardown.
    ///
    /// # Errors
    /// The reason that the test ended before its last rule. It is a problem of the whole test, and not of a turn.
    async fn run_to_teardown(&mut self, threads: &UsedThreads) -> Result<(), Halt> {
        let Case {
            plan,
            entry,
            loading,
            watchdog,
            ..
        } = self.case;
        // The watchdog ends the test without this thread if a step takes too long. `ZERO`: this step waits for nothing but the file
        // of the test, so that the minute suffices which the watchdog allows each step for computing.
        watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let test = loading.clone().test_of(entry).await;
        let test = test.map_err(|error| self.case.unprepared(error))?;

        // The preparation fills the test's row, whose variables hooks may use. The rest is filled after the hooks.
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

        // A recording has markers instead of secrets. A replay that has no value for a secret uses its marker, which is masked
        // too.
        for (name, marker) in environment.unknown_secrets() {
            self.case.redactor.add([&marker]);
            preparation.replace(name, marker);
        }
        // Until the conversation begins, no turn has run.
        self.outcome.transcript.turns_not_run = turn_count(preparation.turns());

        // From here on the teardown runs whatever happens: the watchdog shares the preparation, and runs it if this thread is
        // left behind. A replay runs no hook, and has nothing to clean up.
        let preparation = Arc::new(Mutex::new(preparation));
        let needs_teardown = environment.is_live();
        if needs_teardown {
            watchdog.hand_over(&preparation);
        }
        // A future is as large as all that it may hold, and moves with each that waits for it: a large one is put aside (boxed).
        let result = Box::pin(self.run_hooks_and_converse(&preparation, threads)).await;

        // The locks of the agent are released first, so that the next test does not wait for this teardown.
        watchdog.release_locks();
        if needs_teardown {
            watchdog.begin_teardown()?;
            self.teardown = run_teardown(self.case, watchdog, &preparation).await;
        }
        // An error of the conversation is returned only now, after the teardown.
        result
    }

    /// Runs the test from its first hook to its last rule.
    ///
    /// # Errors
    /// If a hook fails, a variable cannot be filled, or an earlier attempt used the same thread; and as [`Self::converse`].
    async fn run_hooks_and_converse(
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
        // The target and the turns may use variables that hooks gave, so they are filled after the hooks. The step only computes,
        // for which each step has a minute beyond the time that it is given here.
        case.watchdog.begin(TestStep::Prepare, Duration::ZERO)?;
        let finished = lock(preparation).finish();
        let prepared = finished.map_err(|error| case.unprepared(error))?;
        environment.add_secrets(&prepared.secrets);

        // The report of a test that fails at once needs these facts too, so they are noted before anything is sent.
        prepared.target.agent().clone_into(&mut outcome.test.agent);
        outcome.transcript.thread_id.clone_from(&prepared.thread_id);
        outcome.verdict.warnings.clone_from(&prepared.warnings);
        // The agent may remember the thread of an earlier attempt, so that thread is not used again (SPEC 10).
        if let Some(problem) = threads.reject(&case.shared, &prepared.thread_id) {
            return Err(problem.into());
        }
        Box::pin(self.converse(preparation, prepared)).await
    }
}
