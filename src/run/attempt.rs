//! One attempt at a test: begin → hooks → fill the rest → talk → clean up.

use std::sync::{Mutex, PoisonError};

use crate::context::CaseKey;
use crate::diagnostic::Diagnostic;
use crate::engine::Halt;
use crate::outcome::{ErrorKind, Outcome, Problem, Status, TestEnd};
use crate::plan::{CaseEntry, Plan, Preparation, PrepareError};
use crate::recording::{Player, RecordingError, Tape};
use crate::redact::{Redactor, marker};

use super::Run;
use super::attempts::known_thread;
use super::case::{blank, cut_short};
use super::hooks::run_hooks;
use super::rehearsal::rehearse;
use super::teardown::tear_down;
use super::upcoming::Loading;

/// An attempt, with a world of its own, and what is known of it so far.
pub(super) struct Attempt<'a> {
    pub(super) shared: &'a Run,
    pub(super) key: &'a CaseKey,
    pub(super) tape: Tape,
    /// Knows the secrets of the case, and those of this attempt as soon as they are known.
    pub(super) redactor: &'a Redactor,
    pub(super) outcome: Outcome,
}

/// Makes the attempt `key` at a test, with hooks, a thread and a conversation of its own; `before` is the attempt
/// before it.
pub(super) async fn attempt(
    shared: &Run,
    plan: &Plan,
    entry: &CaseEntry,
    key: &CaseKey,
    loading: Loading,
    redactor: &Redactor,
    before: Option<&Outcome>,
) -> Outcome {
    let mut outcome = blank(shared, entry);
    let tape = match Tape::open(shared.recordings.as_ref(), key, &shared.context, &shared.transport) {
        Ok(tape) => tape,
        Err(error) => {
            end(&mut outcome, broken(error));
            outcome.ended_unix_ms = outcome.started_unix_ms;
            return outcome;
        }
    };
    outcome.started_unix_ms = tape.context.clock.unix_ms(tape.started);
    let mut attempt = Attempt { shared, key, tape, redactor, outcome };
    let carried_out = attempt.carry_out(plan, entry, loading, before).await;
    attempt.ask_after_servers().await;
    let (tape, mut outcome) = attempt.ended(carried_out);
    if outcome.status() != Status::Skipped {
        let rehearsed = rehearse((shared, redactor), plan, entry, key, before, &tape, &outcome).await;
        let kept = rehearsed.and_then(|()| tape.keep(outcome.ended_unix_ms, redactor));
        match kept {
            Ok(recording) => outcome.recording = recording,
            Err(error) => not_kept(&mut outcome, error),
        }
    }
    outcome
}

/// A test ends with a problem of the test as a whole.
fn end(outcome: &mut Outcome, problem: Problem) {
    outcome.end = TestEnd::Problem(problem, outcome.end.failures().to_vec());
}

/// What a recording that cannot be played or written is for its test.
pub(super) fn broken(RecordingError { message, help }: RecordingError) -> Problem {
    Problem { kind: ErrorKind::Recording, message, help }
}

/// The test was to be recorded and is not: it did not pass, whatever the agent did.
fn not_kept(outcome: &mut Outcome, error: RecordingError) {
    if outcome.end.problem().is_some() {
        outcome.warnings.push(error.message);
    } else {
        end(outcome, broken(error));
    }
}

impl Attempt<'_> {
    /// From the file to the last rule, and what cleans up. What stops it on the way is a problem of the test as a whole.
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
            // Of a name that only the command line gives, the value of then is not known.
            for name in player.secrets() {
                redactor.add([marker(name)]);
                preparation.replace(name, marker(name));
            }
        }
        self.outcome.turns_not_run = count(preparation.turns());
        let preparation = Mutex::new(preparation);
        let talked = self.talk(&preparation, before).await;
        if self.tape.player().is_none() {
            let preparation = preparation.into_inner().unwrap_or_else(PoisonError::into_inner);
            tear_down(redactor, &preparation, &mut self.outcome).await;
        }
        talked
    }

    /// From the first hook to the last rule.
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
        if let Some(problem) = known_thread(shared, before, &prepared.thread_id) {
            return Err(problem.into());
        }
        self.converse(preparation, prepared).await
    }

    /// What came out, once nothing more happens.
    pub(super) fn ended(self, carried_out: Result<(), Halt>) -> (Tape, Outcome) {
        let Self { shared, tape, mut outcome, .. } = self;
        match carried_out {
            Ok(()) => {}
            Err(Halt::Stopped) => cut_short(&mut outcome, shared.stopper.reason()),
            Err(Halt::Broken(problem)) => end(&mut outcome, problem),
        }
        let clock = &tape.context.clock;
        let now = tape.player().map_or_else(|| clock.unix_ms(clock.now()), Player::ended_unix_ms);
        let last = outcome.turns.last().map_or(0, |turn| turn.ended_unix_ms);
        outcome.ended_unix_ms = now.max(last);
        (tape, outcome)
    }
}

pub(super) fn count(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}

pub(super) fn unprepared_problem(redactor: &Redactor, unprepared: PrepareError) -> Problem {
    let (message, help) = match unprepared {
        PrepareError::Changed => {
            ("the file changed since the run began".to_owned(), Some("run it again".to_owned()))
        }
        PrepareError::Broken(problems, secrets) => {
            redactor.add(&secrets);
            let lines: Vec<String> = problems.iter().map(Diagnostic::to_string).collect();
            let help = problems.into_iter().find(|problem| !problem.help.is_empty());
            (lines.join("\n"), help.map(|problem| problem.help.join("\n")))
        }
    };
    Problem { kind: ErrorKind::Setup, message, help }
}
