//! One attempt at a test, from its environment to its outcome and its recording.

use crate::context::CaseKey;
use crate::outcome::{Outcome, Status};
use crate::plan::{CaseEntry, Plan};
use crate::recording::{RecordingError, Tape};
use crate::redact::Redactor;

use super::attempt::Attempt;
use super::outcomes::{blank, end_with};
use super::prefetch::Loading;
use super::problems::recording_problem;
use super::shared::Run;
use super::verify_recording::verify_recording;

/// Runs the attempt `key` at a test, with its own hooks, thread and conversation, and keeps its recording; `before` is
/// the attempt before it.
pub(super) async fn run_attempt(
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
            end_with(&mut outcome, recording_problem(error));
            outcome.ended_unix_ms = outcome.started_unix_ms;
            return outcome;
        }
    };
    outcome.started_unix_ms = tape.context.clock.unix_ms(tape.started);
    let mut attempt = Attempt { shared, key, tape, redactor, outcome };
    let carried_out = attempt.carry_out(plan, entry, loading, before).await;
    attempt.note_server_exit().await;
    let (tape, mut outcome) = attempt.ended(carried_out);
    if outcome.status() != Status::Skipped {
        let verified = verify_recording((shared, redactor), plan, entry, key, before, &tape, &outcome).await;
        let kept = verified.and_then(|()| tape.keep(outcome.ended_unix_ms, redactor));
        match kept {
            Ok(recording) => outcome.recording = recording,
            Err(error) => not_recorded(&mut outcome, error),
        }
    }
    outcome
}

/// The test could not be recorded: it does not pass, whatever the agent did.
fn not_recorded(outcome: &mut Outcome, error: RecordingError) {
    if outcome.end.problem().is_some() {
        outcome.warnings.push(error.message);
    } else {
        end_with(outcome, recording_problem(error));
    }
}
