//! Verifies the recording of a test that has secrets: it is replayed once before it is kept, since a rule may match
//! text that the recording replaces by a marker.

use std::sync::{Arc, Mutex};

use crate::attempt::Attempt;
use crate::context::{AttemptPurpose, Case, ConversationOrigin, CurrentWalk, Loading, UsedThreads};
use ananke_base::context::{CaseKey, lock};
use ananke_recording::AttemptEnvironment;
use ananke_trace::outcome::{ErrorKind, Outcome, Problem};

/// Replays the recording of an attempt, and compares the result with `outcome`: a rule may match a secret, which the recording
/// replaces by a marker. Without secrets in it, nothing is verified. `environment` is that of the attempt.
///
/// # Errors
/// If the replay has another result, or the recording cannot be kept: it is too large, or has a secret that cannot be masked.
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
    // The environment of the replay is `None` if nothing is recorded in a file, or the recording has no marker. The recording
    // contains the time at which the attempt ended.
    let ended_unix_ms = outcome.transcript.ended_unix_ms;
    let replay = environment.verification(ended_unix_ms, &shared.context)?;
    let Some(replay) = replay else {
        return Ok(());
    };
    // The caller that drives a conversation applies its rules afterwards, so that nothing can be compared here.
    if let ConversationOrigin::Driver(_) = shared.conversations {
        return Ok(());
    }

    // The replay is an attempt at the same test, with warnings and a walk of its own: those of the test must not change.
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
    let mut attempt = Attempt::new(case, key, replay, AttemptPurpose::Verify);
    attempt.run(threads).await;

    // If the run stops meanwhile, the replay is not complete and shows nothing, so the recording is kept.
    let replayed = attempt.outcome;
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

/// The parts of an outcome that a replay must repeat: every status, the failed rules with their places, and the kind of problem.
fn verdicts(outcome: &Outcome) -> impl PartialEq {
    let turns = outcome.transcript.turns.iter();
    let turns: Vec<_> = turns.map(|turn| (turn.number, turn.status())).collect();
    // Messages may quote a marker instead of a secret, so they are not compared.
    let failures = outcome.all_failures();
    let failures: Vec<_> = failures
        .map(|(turn, failure)| (turn, failure.rule.clone(), failure.place.clone()))
        .collect();
    let problem = outcome.first_problem();
    let problem = problem.map(|(turn, problem)| (turn, problem.kind));
    (outcome.status(), turns, failures, problem)
}
