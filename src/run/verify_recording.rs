//! Verifies the recording of a test that has secrets: it is replayed once before it is kept, since a rule may match
//! text that the recording replaces by a marker.

use super::attempt::Attempt;
use super::outcomes::blank;
use super::prefetch::Loading;
use super::shared::Run;
use crate::context::CaseKey;
use crate::outcome::Outcome;
use crate::plan::{CaseEntry, Plan};
use crate::recording::{RecordingError, Tape};
use crate::redact::Redactor;

/// Replays what `tape` has recorded, if there are secrets, and compares the result with `outcome`.
///
/// # Errors
/// If the result is different.
pub(super) async fn verify_recording(
    (shared, redactor): (&Run, &Redactor),
    plan: &Plan,
    entry: &CaseEntry,
    key: &CaseKey,
    before: Option<&Outcome>,
    tape: &Tape,
    outcome: &Outcome,
) -> Result<(), RecordingError> {
    let environment = tape.rehearsal(outcome.ended_unix_ms, &shared.context, redactor)?;
    let Some(tape) = environment else { return Ok(()) };
    let mut attempt = Attempt { shared, key, tape, redactor, outcome: blank(shared, entry) };
    let loading = Loading::begin(shared.context.clone(), entry.clone());
    let carried_out = attempt.carry_out(plan, entry, loading, before).await;
    let (_, replayed) = attempt.ended(carried_out);
    // If the run stops, the replay is not complete.
    if shared.stopper.token().is_cancelled() || verdicts(&replayed) == verdicts(outcome) {
        return Ok(());
    }
    let message = format!(
        "it was not recorded: played again it would be `{}` and not `{}`, or break other rules, since a rule looks at \
         what a recording has a marker for",
        replayed.status().as_str(),
        outcome.status().as_str()
    );
    let help = "have rules look at what is no secret, or take it out of the config's `redact`".to_owned();
    Err(RecordingError { message, help: Some(help) })
}

/// What must be equal in both outcomes: every status, and which rules fail where.
fn verdicts(outcome: &Outcome) -> impl PartialEq {
    let turns: Vec<_> = outcome.turns.iter().map(|turn| (turn.number, turn.status())).collect();
    let broken =
        outcome.all_failures().map(|(turn, failure)| (turn, failure.rule.clone(), failure.place.clone()));
    let problem = outcome.first_problem().map(|(turn, problem)| (turn, problem.kind));
    (outcome.status(), turns, broken.collect::<Vec<_>>(), problem)
}
