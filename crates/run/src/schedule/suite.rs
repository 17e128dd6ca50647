//! The spine: from a plan to a verdict.
//!
//! **Why:** Tests run at once and end in any order, while reports are in the order of the plan, or two runs could not be compared
//! line by line. So this is a row of steps, each of which ends before the next begins, and only one of them has several threads.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::schedule::{All, Schedule};
use super::worker::run_tests;
use crate::attempt::snapshots;
use crate::context::{EventReceiver, Reason, Run};
use ananke_model::settings::FlakyVerdict;
use ananke_plan::Plan;
use ananke_trace::outcome::{NearNames, Outcome, RunClose, RunEvent, RunFacts, Verdict};

/// Runs every case of the plan, each on a thread that runs nothing else meanwhile. The caller must keep the runtime while
/// tests run, and must not wait for its threads afterwards: that of a test that timed out may still compute.
pub async fn run(shared: Run, mut plan: Plan) -> Verdict {
    let clock = Arc::clone(&shared.context.clock);
    let settings = shared.options.settings;
    let started = clock.now();
    let test_count = plan.cases.len();
    shared.spent.add_before(&shared.facts.generated);
    shared.tell_all(RunEvent::RunStarted {
        tests: test_count,
        unix_ms: clock.unix_ms(started),
        facts: Box::new(RunFacts {
            parallel: settings.parallel,
            ..shared.facts.clone()
        }),
    });

    // The tests take the plan with them, so the parts that are needed after them are taken first: expired entries of the
    // quarantine, failed tests of the last run that are in no file any more, and snapshots that no rule uses.
    let shared = Arc::new(shared);
    let expired = plan.expired.clone();
    let gone = plan.gone.clone();
    let obsolete = std::mem::take(&mut plan.obsolete);
    // While the tests run, the end of a server is noticed at once. That watch never ends by itself.
    let All { totals, lost } = tokio::select! {
        biased;
        () = shared.watch_servers() => unreachable!("it watches to the end"),
        all = run_all(&shared, plan) => all,
    };

    // A run that was stopped deletes no snapshot, and only now is it known if it was.
    snapshots::clear(&shared, obsolete);
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    // Names in rules are compared with the tools that were called. In a run that was stopped not every test called its tools, so
    // a right name could look misspelled.
    let near_names = if shared.stopper.reason().is_none() {
        shared.tool_names.near_names()
    } else {
        NearNames::default()
    };
    // A shard may run only a part of the tests, which reports must not take for all of them.
    let is_part = match &shared.facts.shard {
        Some(part) => part.leaves_out_tests(test_count),
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

    // The reports get the verdict as an event, and the caller gets it as well: it decides the exit code without reports.
    shared.tell_all(RunEvent::RunFinished(RunClose {
        verdict: verdict.clone(),
        elapsed_us,
        interrupted: shared.stopper.reason() == Some(Reason::Interrupted),
    }));
    // A thread that was left behind may still have the sender, so the end of the events is an event itself.
    shared.events.end();
    verdict
}

/// Runs every test, as many at once as the options say, and returns when all outcomes are reported.
pub(super) async fn run_all(shared: &Arc<Run>, plan: Plan) -> All {
    let schedule = Arc::new(Schedule::new(Arc::clone(shared), plan));
    let mut workers = JoinSet::new();
    for _ in 0..schedule.parallel() {
        workers.spawn(run_tests(Arc::clone(&schedule)));
    }
    let all_ended = async {
        while let Some(ended) = workers.join_next().await {
            // A panic is a fault of this program. It is passed on, since a verdict about an agent must not rest on it.
            if let Err(broken) = ended
                && broken.is_panic()
            {
                std::panic::resume_unwind(broken.into_panic());
            }
        }
    };
    // Outcomes that had no room are reported while tests run. That never ends by itself, so it ends here with the tests.
    tokio::select! {
        () = all_ended => {}
        () = schedule.report_delayed() => {}
    }
    // No test uses the shared programs any more. The rest of the outcomes may wait long for slow reports, so it comes last.
    shared.end_programs().await;
    schedule.report_rest().await
}

/// Runs the one test of `plan`, and returns its outcome, in which secrets are masked; `None` if there was no test. `events`
/// receives the events of `shared`.
pub async fn run_one(shared: Run, plan: Plan, mut events: EventReceiver) -> Option<Outcome> {
    // The events are read while the test runs: a run ends only after its reports had room for every outcome.
    let finished = async {
        let mut outcome = None;
        while let Some(event) = events.recv().await {
            if let RunEvent::CaseFinished(finished) = &*event {
                outcome = Some((**finished).clone());
            }
        }
        outcome
    };
    // The verdict of the run rests on the outcome of its only test, so the outcome is enough.
    let (_verdict, outcome) = tokio::join!(run(shared, plan), finished);
    outcome
}
