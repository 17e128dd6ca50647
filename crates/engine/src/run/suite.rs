//! The spine: from a plan to a verdict.

use std::sync::Arc;

use super::event::RunEvent;
use super::options::Options;
use super::run::Run;
use super::run_all::run_all;
use super::schedule::All;
use super::snapshots;
use super::stopper::Reason;
use crate::plan::Plan;
use ananke_trace::outcome::{NearNames, RunClose, RunFacts, Shard, Verdict};

/// Runs every case of the plan, each on a thread that runs nothing else meanwhile. The runtime must not be shut down while
/// tests run, and is not waited for: a test that timed out may still compute.
pub async fn run(shared: Run, mut plan: Plan) -> Verdict {
    let clock = Arc::clone(&shared.context.clock);
    let started = clock.now();
    let facts = Box::new(RunFacts {
        parallel: shared.options.parallel,
        ..shared.facts.clone()
    });
    let (tests, unix_ms) = (plan.cases.len(), clock.unix_ms(started));
    shared.tell_all(RunEvent::RunStarted {
        tests,
        unix_ms,
        facts,
    });
    let shared = Arc::new(shared);
    let expired = plan.expired.clone();
    let obsolete = std::mem::take(&mut plan.obsolete);
    let All { totals, lost } = tokio::select! {
        biased;
        () = shared.watch_servers() => unreachable!("it watches to the end"),
        all = run_all(&shared, plan) => all,
    };
    snapshots::clear(&shared, obsolete);
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    // In a run that was stopped not every test called its tools.
    let is_whole = shared.stopper.reason().is_none();
    let near_names = if is_whole {
        shared.tool_names.near_names()
    } else {
        NearNames::default()
    };
    let Options {
        flaky_fails,
        warnings_fail,
        ..
    } = shared.options;
    let has_others = |shard: &Shard| shard.leaves_out_tests(tests);
    let verdict = Verdict {
        is_part: shared.facts.shard.as_ref().is_some_and(has_others),
        totals,
        flaky_fails,
        lost,
        expired,
        near_names,
        warnings_fail,
    };
    let interrupted = shared.stopper.reason() == Some(Reason::Interrupted);
    shared.tell_all(RunEvent::RunFinished(RunClose {
        verdict: verdict.clone(),
        elapsed_us,
        interrupted,
    }));
    shared.events.end();
    verdict
}
