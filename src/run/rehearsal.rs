//! A recording of a test that has secrets is played once before it is kept: a rule may look at what a marker stands for,
//! and then the recording would come to something else than the agent did.

use super::Run;
use super::attempt::Attempt;
use super::case::blank;
use super::upcoming::Loading;
use crate::context::CaseKey;
use crate::outcome::Outcome;
use crate::plan::{CaseEntry, Plan};
use crate::recording::{RecordingError, Tape};
use crate::redact::Redactor;

/// Plays what `tape` has recorded, where there are secrets; what came out the first time is `outcome`.
///
/// # Errors
/// Where it comes to something else.
pub(super) async fn rehearse(
    (shared, redactor): (&Run, &Redactor),
    plan: &Plan,
    entry: &CaseEntry,
    key: &CaseKey,
    before: Option<&Outcome>,
    tape: &Tape,
    outcome: &Outcome,
) -> Result<(), RecordingError> {
    let world = tape.rehearsal(outcome.ended_unix_ms, &shared.context, redactor)?;
    let Some(tape) = world else { return Ok(()) };
    let mut attempt = Attempt { shared, key, tape, redactor, outcome: blank(shared, entry) };
    let loading = Loading::begin(shared.context.clone(), entry.clone());
    let carried_out = attempt.carry_out(plan, entry, loading, before).await;
    let (_, played) = attempt.ended(carried_out);
    // A run that is being stopped cuts this short as well.
    if shared.stopper.token().is_cancelled() || verdicts(&played) == verdicts(outcome) {
        return Ok(());
    }
    let message = format!(
        "it was not recorded: played again it would be `{}` and not `{}`, or break other rules, since a rule looks at \
         what a recording has a marker for",
        played.status().as_str(),
        outcome.status().as_str()
    );
    let help = "have rules look at what is no secret, or take it out of the config's `redact`".to_owned();
    Err(RecordingError { message, help: Some(help) })
}

/// What of an outcome must be the same: how all ended, and which rules are broken where.
fn verdicts(outcome: &Outcome) -> impl PartialEq {
    let turns: Vec<_> = outcome.turns.iter().map(|turn| (turn.number, turn.status())).collect();
    let broken =
        outcome.all_failures().map(|(turn, failure)| (turn, failure.rule.clone(), failure.place.clone()));
    let problem = outcome.first_problem().map(|(turn, problem)| (turn, problem.kind));
    (outcome.status(), turns, broken.collect::<Vec<_>>(), problem)
}
