//! The attempts at a test, one after the other: those of a retried test, those of one that runs several times, and
//! walks.
//!
//! **Invariant:** an attempt shares nothing with the one before it but the test's file.

use super::run_attempt::run_attempt;
use crate::context::{AttemptSeries, Case, UsedThreads};
use crate::series::{RepeatedRuns, Retries, WalkSearch};
use ananke_base::context::CaseKey;
use ananke_plan::project::run_policy;
use ananke_trace::outcome::{HelperTotals, Outcome};

/// Runs the attempts at a test one after the other, until its series needs no more of them or the run stops, and returns the
/// outcome of the test. The first attempt is `key`; the series counts it on.
pub(crate) async fn run_attempts(
    case: &Case,
    key: &mut CaseKey,
    threads: &mut UsedThreads,
) -> Outcome {
    let test = &case.entry.test;
    let settings = &case.shared.options.settings;
    let policy = run_policy(settings, test.runs);
    // A run that violates a prohibition fails the test (the default), or counts as any run that fails.
    let prohibitions = test.prohibitions.unwrap_or(settings.prohibitions);

    // A series decides whether there is another attempt, and which outcome is that of the test. A walk never runs several times,
    // and only tests with a single run are retried.
    let mut series: Box<dyn AttemptSeries + Send> = if let Some(walk) = &test.walk {
        // If a recording is replayed, there is only one walk, which takes the recorded actions.
        Box::new(match case.shared.answers.recording() {
            Some(recording) => WalkSearch::again(walk, &case.walk, recording.actions()),
            None => WalkSearch::new(walk, &case.walk),
        })
    } else if let Some(policy) = policy {
        Box::new(RepeatedRuns::new(policy, prohibitions))
    } else {
        Box::new(Retries::new(settings.retries))
    };
    let mut helpers = HelperTotals::default();
    loop {
        // The future of an attempt is large, so it is put aside (boxed) instead of moved with that of the caller.
        let mut outcome = Box::pin(run_attempt(case, key, threads)).await;
        outcome.run = key.run;
        helpers = helpers + *std::mem::take(&mut outcome.helpers);
        // The agent may remember the thread, so later attempts are to use another one.
        threads.add(&outcome.transcript.thread_id);
        // A test can have many runs, each with secrets of its own. They are masked now, so that later runs need not look for
        // them.
        if test.walk.is_some() || policy.is_some() {
            case.forget_secrets_of(&mut outcome);
        }
        // The event reports the next attempt. There is none if the series is over, or the run stops.
        let next_attempt = series.next(key, outcome);
        match next_attempt {
            Some(event) if case.shared.stopper.reason().is_none() => case.tell(event),
            _ => {
                // Helpers were asked in all attempts, so the tokens of the one that the series shows are too few.
                let mut outcome = series.finish(case);
                *outcome.helpers = helpers;
                return outcome;
            }
        }
    }
}
