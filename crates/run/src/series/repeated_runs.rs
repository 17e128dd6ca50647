//! Runs a test several times, and decides what its runs come to.
//!
//! **Invariant:** the runs are counted in their order, so that the verdict depends on nothing else; memory does not grow with
//! their number, but for two numbers of each, whose median is wanted.

use crate::context::{AttemptSeries, Case, FailureReasons, ReasonNovelty, aborted};
use ananke_base::context::CaseKey;
use ananke_base::statistics::{DurationStatistics, SequentialDecision, Spread};
use ananke_model::model::BrokenProhibitions;
use ananke_trace::outcome::coverage::Picks;
use ananke_trace::outcome::{
    CheckpointRuns, ErrorKind, Outcome, RunEvent, RunPolicy, SnapshotWritten, Stability,
    StabilityVerdict, Status, TestVerdict, TokenTotals,
};

/// The number of warnings of all runs that are kept.
const MOST_WARNINGS: usize = 20;

/// The runs of a test so far.
pub(crate) struct RepeatedRuns {
    stability: Stability,
    /// The weight of runs that break a prohibition.
    prohibitions: BrokenProhibitions,
    /// Whether a run broke a prohibition, which fails the test.
    is_violated: bool,
    reasons: FailureReasons,
    /// The first run with each reason but that of `failed`, shortened.
    others: Vec<Outcome>,
    /// The verdict that was decided, if there is one.
    decided: Option<StabilityVerdict>,
    /// The run that shows best why the test does not pass: the first that failed, or the one that decided it.
    failed: Option<Outcome>,
    /// The last run that passed, or was aborted.
    latest: Option<Outcome>,
    /// The warnings of all runs, each once.
    warnings: Vec<String>,
    /// The most of them in one run that `--deny-warnings` makes failures.
    denied_warnings: u32,
    /// The snapshots that any run wrote, each once.
    snapshots: Vec<SnapshotWritten>,
    /// The tokens of each run that reported all of them.
    run_tokens: Vec<u64>,
    /// The cost of each run of which it is known, in parts of a dollar.
    run_costs: Vec<u64>,
    /// The tools that all runs so far picked.
    picks: Option<Box<Picks>>,
}

impl RepeatedRuns {
    /// A series before its first run. `policy` says how many runs there are and when they pass, and `prohibitions` says whether a
    /// single run that violates one fails the test.
    pub(crate) fn new(policy: RunPolicy, prohibitions: BrokenProhibitions) -> Self {
        // The verdict and the failures are set when the series is over.
        let stability = Stability {
            policy,
            passed: 0,
            failed: 0,
            verdict: StabilityVerdict::Stopped,
            durations: DurationStatistics::default(),
            turns: 0,
            tokens: TokenTotals::default(),
            token_spread: None,
            cost_spread: None,
            checkpoints: Vec::new(),
            failures: Vec::new(),
            further_failed: 0,
        };
        Self {
            stability,
            prohibitions,
            is_violated: false,
            reasons: FailureReasons::default(),
            others: Vec::new(),
            decided: None,
            failed: None,
            latest: None,
            warnings: Vec::new(),
            denied_warnings: 0,
            snapshots: Vec::new(),
            run_tokens: Vec::new(),
            run_costs: Vec::new(),
            picks: None,
        }
    }

    /// Moves the warnings and snapshots out of a run, and adds those that no earlier run had.
    fn take_notes(&mut self, run: &mut TestVerdict) {
        // The same warning of several runs is reported once, so the largest number of one run counts, and not the sum.
        self.denied_warnings = self.denied_warnings.max(run.denied_warnings);
        for warning in std::mem::take(&mut run.warnings) {
            if self.warnings.len() < MOST_WARNINGS && !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        // Each run may write the same snapshot file.
        for snapshot in std::mem::take(&mut run.snapshots) {
            let mut known = self.snapshots.iter();
            if known.all(|known| known.file != snapshot.file) {
                self.snapshots.push(snapshot);
            }
        }
    }

    /// Adds a run that was not skipped to the counts and sums of the test. Every status but `Passed` counts as failed.
    fn count(&mut self, outcome: &Outcome) {
        let stability = &mut self.stability;
        let transcript = &outcome.transcript;
        stability.durations.add(transcript.duration_us);
        stability.turns += transcript.sent_turns().count();
        let tokens = TokenTotals::of(transcript);
        stability.tokens = stability.tokens + tokens;
        // A run with a part that is not known is omitted, since it would make the median look cheaper than it is.
        if tokens.unreported == 0
            && let Some(total) = tokens.usage.total.whole()
        {
            self.run_tokens.push(total);
        }
        if let Some(cost) = tokens.cost()
            && let Some(cost) = cost.whole()
        {
            self.run_costs.push(cost.0);
        }
        if outcome.status() == Status::Passed {
            stability.passed += 1;
        } else {
            stability.failed += 1;
        }
        // For each checkpoint, the number of runs that reached it.
        CheckpointRuns::count(&mut stability.checkpoints, &transcript.checkpoints);
    }

    /// Moves the picks out of a run, and adds them to those of the runs before.
    fn add_picks(&mut self, run: &mut Outcome) {
        let Some(of_run) = run.picks.take() else {
            return;
        };
        match &mut self.picks {
            Some(picks) => picks.add(*of_run),
            None => self.picks = Some(of_run),
        }
    }

    /// The verdict on the test after a run that ended as `outcome` and is counted already; `None` if more runs are needed.
    fn decide(&self, outcome: &Outcome) -> Option<StabilityVerdict> {
        // An answer that a recording lacks, or the kept answers of an earlier run, is missing in every other run as well.
        if let Some((_, problem)) = outcome.first_problem()
            && let ErrorKind::Recording | ErrorKind::NotAsked = problem.kind
        {
            return Some(StabilityVerdict::Broken);
        }
        let passed = self.stability.passed;
        let failed = self.stability.failed;
        match self.stability.policy {
            RunPolicy::Times {
                runs,
                min_pass_rate,
            } => {
                // All runs are made, even if the result is certain before: the user asked for the rate of that many runs. A rate
                // that is missed comes before a violated prohibition, since it fails the test by itself.
                if passed + failed != runs {
                    None
                } else if !min_pass_rate.is_reached_by(passed, runs) {
                    Some(StabilityVerdict::Failed)
                } else if self.is_violated {
                    Some(StabilityVerdict::Violated)
                } else {
                    Some(StabilityVerdict::Passed)
                }
            }
            // The runs are made only for a verdict, and a violated prohibition is one: it fails the test whatever the rate.
            RunPolicy::UntilDecided(_) if self.is_violated => Some(StabilityVerdict::Violated),
            RunPolicy::UntilDecided(test) => match test.decide(passed, failed)? {
                SequentialDecision::Pass => Some(StabilityVerdict::Passed),
                SequentialDecision::Fail => Some(StabilityVerdict::Failed),
                SequentialDecision::Undecided => Some(StabilityVerdict::Undecided),
            },
        }
    }

    /// Whether a run that ended as `outcome` is the first that violates a prohibition, if that fails the test whatever the pass
    /// rate.
    fn violates_first(&self, outcome: &Outcome) -> bool {
        let mut failures = outcome.all_failures();
        self.prohibitions == BrokenProhibitions::Fail
            && !self.is_violated
            && failures.any(|(_, failure)| failure.is_prohibition)
    }

    /// Counts a run that did not pass, and keeps it if it is the first with its reason.
    fn add_failed(&mut self, outcome: Outcome) {
        let novelty = self.reasons.add(&outcome);
        if self.failed.is_none() {
            self.failed = Some(outcome);
        } else if novelty == ReasonNovelty::First {
            self.others.push(outcome.into_earlier());
        }
    }

    /// Moves the failed run that was to be shown to the other runs, so that another run is shown.
    fn set_failed_aside(&mut self) {
        if let Some(failed) = self.failed.take() {
            self.others.push(failed.into_earlier());
        }
    }

    /// The verdict if all tests stop before the policy decides. A failure that later runs could not have changed is still one.
    fn verdict_when_stopped(&self) -> StabilityVerdict {
        // The rate is missed if it would be missed even with a pass of all runs that remain.
        if let RunPolicy::Times {
            runs,
            min_pass_rate,
        } = self.stability.policy
            && !min_pass_rate.is_reached_by(runs - self.stability.failed, runs)
        {
            StabilityVerdict::Failed
        } else if self.is_violated {
            StabilityVerdict::Violated
        } else {
            StabilityVerdict::Stopped
        }
    }
}

impl AttemptSeries for RepeatedRuns {
    /// Takes the outcome of a run. If another run is needed, counts `key` on to it and returns its event.
    fn next(&mut self, key: &mut CaseKey, mut outcome: Outcome) -> Option<RunEvent> {
        let id = outcome.test.id.clone();
        let status = outcome.status();
        self.take_notes(&mut outcome.verdict);
        // A skipped run shows nothing about the test, and the next one would be skipped as well. `finish` shows it unless the
        // runs before it have failed the test.
        if status == Status::Skipped {
            self.latest = Some(outcome);
            return None;
        }

        self.count(&outcome);
        self.add_picks(&mut outcome);
        // `decide` reads `is_violated`, so the violation is noted first.
        let violates_first = self.violates_first(&outcome);
        self.is_violated |= violates_first;
        self.decided = self.decide(&outcome);
        if status == Status::Passed {
            self.latest = Some(outcome);
        } else {
            // `add_failed` keeps the first failed run to be shown. A run that decides the verdict by itself explains it better,
            // so it takes that place.
            if violates_first || self.decided == Some(StabilityVerdict::Broken) {
                self.set_failed_aside();
            }
            self.add_failed(outcome);
        }

        if self.decided.is_some() {
            return None;
        }
        key.run += 1;
        Some(RunEvent::NextRun {
            id,
            run: self.stability.runs() + 1,
            most: self.stability.policy.most_runs(),
            failed: self.stability.failed,
        })
    }

    /// The outcome of the test: that of one run, with the counts, warnings and snapshots of all.
    fn finish(mut self: Box<Self>, case: &Case) -> Outcome {
        let verdict = self.decided.unwrap_or_else(|| self.verdict_when_stopped());

        // A failed run would contradict a verdict that is no failure, so the latest run that did not fail is shown for it. The first
        // failed run stays in the report, since it says what is flaky; a run that did not fail says nothing more, and is dropped.
        let latest = self.latest.take();
        let is_no_failure =
            verdict == StabilityVerdict::Passed || verdict == StabilityVerdict::Stopped;
        let shown = if is_no_failure && latest.is_some() {
            self.set_failed_aside();
            latest
        } else {
            self.failed.take().or(latest)
        };
        // A series has at least one run, so there is one to show.
        let mut outcome = shown.unwrap_or_default();
        // A run that passed must not make a test pass that was stopped.
        if verdict == StabilityVerdict::Stopped && outcome.status() != Status::Skipped {
            outcome.end(aborted(case.shared.stopper.reason()));
        }

        // The shown run gets what all runs found.
        outcome.verdict.warnings = self.warnings;
        outcome.verdict.denied_warnings = self.denied_warnings;
        outcome.verdict.snapshots = self.snapshots;
        outcome.other_runs = self.others;
        outcome.picks = self.picks;
        // If all runs were skipped, nothing was counted and the outcome is that of a single run.
        let mut stability = self.stability;
        if stability.runs() > 0 {
            (stability.failures, stability.further_failed) = self.reasons.into_parts();
            stability.verdict = verdict;
            stability.token_spread = Spread::of(self.run_tokens);
            stability.cost_spread = Spread::of(self.run_costs);
            outcome.stability = Some(Box::new(stability));
        } else {
            outcome.stability = None;
        }
        outcome
    }
}
