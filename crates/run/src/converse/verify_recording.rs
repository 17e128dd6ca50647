//! Verifies the recording of a test that has secrets: it is replayed once before it is kept, since a rule may match
//! text that the recording replaces by a marker.

use std::sync::{Arc, Mutex};

use crate::attempt::Attempt;
use crate::context::{AttemptPurpose, Case, CurrentWalk, Loading, UsedThreads};
use ananke_base::context::{CaseKey, lock};
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::{ErrorKind, Outcome, Problem};

/// Replays what was recorded in `environment`, if there are secrets, and compares the result with `outcome`.
///
/// # Errors
/// If the result is different.
pub(super) async fn verify_recording(
    case: &Case,
    key: &CaseKey,
    threads: &UsedThreads,
    environment: &AttemptEnvironment,
    outcome: &Outcome,
) -> Result<(), Problem> {
    let Case {
        shared,
        plan,
        entry,
        redactor,
        walk,
        watchdog,
        ..
    } = case;
    let environment =
        environment.verification(outcome.transcript.ended_unix_ms, &shared.context)?;
    let Some(environment) = environment else {
        return Ok(());
    };
    let loading = Loading::begin(shared.context.clone(), entry.clone());
    let case = &Case {
        shared: Arc::clone(shared),
        plan: Arc::clone(plan),
        entry: entry.clone(),
        loading,
        started_unix_ms: case.started_unix_ms,
        redactor: redactor.clone(),
        warnings: Mutex::default(),
        walk: Arc::new(Mutex::new(CurrentWalk::of(lock(walk).route.clone()))),
        watchdog: Arc::clone(watchdog),
    };
    let mut attempt = Attempt::new(case, key, environment, AttemptPurpose::Verify);
    attempt.run(threads).await;
    let replayed = attempt.outcome;
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
    let help = "have rules look at what is not a secret, or take it out of the config's `redact`"
        .to_owned();
    Err(Problem::new(ErrorKind::Recording, message).help(help))
}

/// The parts that must be equal in both outcomes: every status, and the failed rules with their places.
fn verdicts(outcome: &Outcome) -> impl PartialEq {
    let turns: Vec<_> = outcome
        .transcript
        .turns
        .iter()
        .map(|turn| (turn.number, turn.status()))
        .collect();
    let broken = outcome
        .all_failures()
        .map(|(turn, failure)| (turn, failure.rule.clone(), failure.place.clone()));
    let problem = outcome
        .first_problem()
        .map(|(turn, problem)| (turn, problem.kind));
    (outcome.status(), turns, broken.collect::<Vec<_>>(), problem)
}
