//! The spine: from a plan to a verdict.
//!
//! **Why:** Tests run at once and end in any order, while reports are in the order of the plan, or two runs could not
//! be compared line by line. So this is a row of steps, each of which ends before the next begins, and only one of them
//! has several threads.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::schedule::{All, Schedule};
use super::worker::run_tests;
use crate::attempt::snapshots;
use crate::context::{EventReceiver, Reason, Run};
use ananke_model::settings::FlakyVerdict;
use ananke_plan::Plan;
use ananke_trace::outcome::{NearNames, Outcome, RunClose, RunEvent, RunFacts, Verdict};

/// Runs every case of the plan, each on a thread that runs nothing else meanwhile. The runtime must not be shut down while
/// tests run, and is not waited for: a test that timed out may still compute.
pub async fn run(shared: Run, mut plan: Plan) -> Verdict {
    let clock = Arc::clone(&shared.context.clock);
    let settings = shared.options.settings;
    let started = clock.now();
    let tests = plan.cases.len();
    shared.tell_all(RunEvent::RunStarted {
        tests,
        unix_ms: clock.unix_ms(started),
        facts: Box::new(RunFacts {
            parallel: settings.parallel,
            ..shared.facts.clone()
        }),
    });

    // The tests take the plan with them, so that what is needed after them is taken first.
    let shared = Arc::new(shared);
    let expired = plan.expired.clone();
    let gone = plan.gone.clone();
    let obsolete = std::mem::take(&mut plan.obsolete);
    let All { totals, lost } = tokio::select! {
        biased;
        () = shared.watch_servers() => unreachable!("it watches to the end"),
        all = run_all(&shared, plan) => all,
    };

    // Only now is it known whether the run was stopped: then no snapshot is deleted.
    snapshots::clear(&shared, obsolete);
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    // In a run that was stopped not every test called its tools.
    let near_names = if shared.stopper.reason().is_none() {
        shared.tool_names.near_names()
    } else {
        NearNames::default()
    };
    let is_part = match &shared.facts.shard {
        Some(part) => part.leaves_out_tests(tests),
        None => false,
    };
    let verdict = Verdict {
        is_part,
        totals,
        flaky_fails: settings.flaky == FlakyVerdict::Fail,
        lost,
        expired,
        gone,
        near_names,
        warnings_fail: settings.deny_warnings,
    };

    shared.tell_all(RunEvent::RunFinished(RunClose {
        verdict: verdict.clone(),
        elapsed_us,
        interrupted: shared.stopper.reason() == Some(Reason::Interrupted),
    }));
    shared.events.end();
    verdict
}

/// Runs every test, as many at once as the options say.
pub(super) async fn run_all(shared: &Arc<Run>, plan: Plan) -> All {
    let schedule = Arc::new(Schedule::new(Arc::clone(shared), plan));
    let mut workers = JoinSet::new();
    for _ in 0..schedule.parallel() {
        workers.spawn(run_tests(Arc::clone(&schedule)));
    }
    let all_ended = async {
        while let Some(ended) = workers.join_next().await {
            // A panic is a fault of the program, and no verdict about an agent may come of it.
            if let Err(broken) = ended
                && broken.is_panic()
            {
                std::panic::resume_unwind(broken.into_panic());
            }
        }
    };
    // Outcomes that had no room are reported meanwhile: that never ends by itself.
    tokio::select! {
        () = all_ended => {}
        () = schedule.report_delayed() => {}
    }
    shared.end_programs().await;
    schedule.report_rest().await
}

/// Runs the one test of `plan`, whose events go to `events`; `None` if it did not run. Secrets of the outcome are masked.
pub async fn run_one(shared: Run, plan: Plan, mut events: EventReceiver) -> Option<Outcome> {
    // The events are read while the test runs, because a run waits for room for its outcomes.
    let finished = async {
        let mut outcome = None;
        while let Some(event) = events.recv().await {
            if let RunEvent::CaseFinished(finished) = &*event {
                outcome = Some((**finished).clone());
            }
        }
        outcome
    };
    let (_, outcome) = tokio::join!(run(shared, plan), finished);
    outcome
}
