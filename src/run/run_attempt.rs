//! One attempt at a test, from its environment to its outcome and its recording.

use crate::context::CaseKey;
use crate::outcome::{Outcome, Problem, Status};
use crate::recording::AttemptEnvironment;

use super::attempt::{Attempt, AttemptPurpose};
use super::case::Case;
use super::outcomes::{blank, end_with};
use super::verify_recording::verify_recording;

/// Runs the attempt `key` at a test, with its own hooks, thread and conversation, and keeps its recording; `before` is
/// the attempt before it.
pub(super) async fn run_attempt(case: &Case<'_>, key: &CaseKey, before: Option<&Outcome>) -> Outcome {
    let mut outcome = blank(case.shared, case.entry);
    let environment = match environment(case, key) {
        Ok(environment) => environment,
        Err(problem) => {
            end_with(&mut outcome, problem);
            outcome.transcript.ended_unix_ms = outcome.transcript.started_unix_ms;
            return outcome;
        }
    };
    outcome.transcript.started_unix_ms = environment.started_unix_ms();
    let mut attempt = Attempt { case, key, environment, purpose: AttemptPurpose::Report, outcome };
    attempt.run(before).await;
    let Attempt { environment, mut outcome, .. } = attempt;
    if outcome.status() != Status::Skipped {
        let verified = verify_recording(case, key, before, &environment, &outcome).await;
        match verified.and_then(|()| environment.keep(outcome.transcript.ended_unix_ms)) {
            Ok(recording) => outcome.transcript.recording = recording,
            Err(problem) => not_recorded(&mut outcome, problem),
        }
    }
    outcome
}

fn environment(case: &Case<'_>, key: &CaseKey) -> Result<AttemptEnvironment, Problem> {
    let Case { shared, redactor, .. } = case;
    let live = AttemptEnvironment::live(&shared.context, &shared.transport, &shared.servers, redactor);
    match &shared.recordings {
        Some(recordings) => live.with_recordings(recordings, key),
        None => Ok(live),
    }
}

/// The test could not be recorded: it does not pass, whatever the agent did.
fn not_recorded(outcome: &mut Outcome, problem: Problem) {
    if outcome.verdict.end.problem().is_some() {
        outcome.verdict.warnings.push(problem.message);
    } else {
        end_with(outcome, problem);
    }
}
