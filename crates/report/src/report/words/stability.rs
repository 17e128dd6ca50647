//! The results of several runs of a test, for people.

use ananke_base::statistics::{
    Interval, Percentage, ReliabilityEstimate, SequentialTest, Spread, exact_interval, reliability,
};
use ananke_base::text::{Usd, duration, grouped};
use ananke_trace::outcome::{
    CheckpointRuns, FailedRuns, Outcome, RunPolicy, SelfComparison, Stability, StabilityVerdict,
    Totals,
};

/// `80%`, `97.5%`: a fraction from 0 to 1 as a percentage with at most one decimal.
pub(crate) fn percent(fraction: f64) -> String {
    let shown = format!("{:.1}", fraction * 100.0);
    format!("{}%", shown.strip_suffix(".0").unwrap_or(&shown))
}

/// `8 of 10 runs passed (80%, 95% CI 44.4% to 97.5%): mostly stable`.
pub(crate) fn rate(stability: &Stability) -> String {
    let (passed, runs) = (stability.passed, stability.runs());
    let class = match stability.class().as_str() {
        _ if passed == 0 && runs > 0 => "always fails".to_owned(),
        class => class.replace('_', " "),
    };
    let plural = if runs == 1 { "run" } else { "runs" };
    let (share, interval) = (
        percent(stability.pass_rate() / 100.0),
        interval(stability.interval()),
    );
    format!("{passed} of {runs} {plural} passed ({share}, {interval}): {class}")
}

/// `all 6 runs passed`: all there is to say in short of a test whose runs all passed.
pub(crate) fn all_passed(outcome: &Outcome) -> Option<String> {
    let stability = outcome.stability.as_deref()?;
    let has_passed = stability.verdict == StabilityVerdict::Passed && stability.failed == 0;
    has_passed.then(|| format!("all {} runs passed", stability.passed))
}

/// The rule that decided the test, if the number of runs does not say it.
pub(crate) fn decision(stability: &Stability) -> Option<String> {
    let runs = stability.runs();
    let of_runs = |words: &str| {
        format!(
            "{words} after {runs} {}",
            if runs == 1 { "run" } else { "runs" }
        )
    };
    match (stability.verdict, stability.policy) {
        (StabilityVerdict::Broken, _) => {
            Some("the last run could not be recorded or replayed, which ends the test".to_owned())
        }
        (StabilityVerdict::Violated, _) => {
            Some(of_runs("failed") + ": a prohibition was violated, which no pass rate excuses")
        }
        (StabilityVerdict::Stopped, policy) => {
            Some(format!("stopped after {runs} of {} runs", most(policy)))
        }
        (
            StabilityVerdict::Passed | StabilityVerdict::Failed,
            RunPolicy::Times { min_pass_rate, .. },
        ) => (min_pass_rate != Percentage::ALL)
            .then(|| format!("at least {min_pass_rate} of the runs must pass")),
        (StabilityVerdict::Undecided, RunPolicy::Times { .. }) => None,
        (StabilityVerdict::Passed, RunPolicy::UntilDecided(SequentialTest { good, bad, .. })) => {
            Some(of_runs("passed") + &format!(": decided for good ({good}) against bad ({bad})"))
        }
        (StabilityVerdict::Failed, RunPolicy::UntilDecided(SequentialTest { good, bad, .. })) => {
            Some(of_runs("failed") + &format!(": decided for bad ({bad}) against good ({good})"))
        }
        (
            StabilityVerdict::Undecided,
            RunPolicy::UntilDecided(SequentialTest { good, bad, .. }),
        ) => {
            Some(of_runs("undecided") + &format!(": neither for good ({good}) nor for bad ({bad})"))
        }
    }
}

fn most(policy: RunPolicy) -> String {
    match policy {
        RunPolicy::Times { runs, .. } => runs.to_string(),
        RunPolicy::UntilDecided(test) => format!("at most {}", test.max),
    }
}

/// `40 ms on average (38 ms to 45 ms, standard deviation 2 ms)`.
pub(crate) fn times(stability: &Stability) -> String {
    let durations = &stability.durations;
    let [average, least, most, deviation] = [
        durations.average_us(),
        durations.least_us,
        durations.most_us,
        durations.deviation_us(),
    ]
    .map(duration::rounded);
    format!("{average} on average ({least} to {most}, standard deviation {deviation})")
}

/// `tokens per run: median 1,200 (900 to 1,500, standard deviation 210)`, and the same of the cost; none if they are not known.
pub(crate) fn spent(stability: &Stability) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(spread) = stability.token_spread {
        lines.push(per_run("tokens", spread, grouped));
    }
    if let Some(spread) = stability.cost_spread {
        lines.push(per_run("cost", spread, |amount| Usd(amount).rounded()));
    }
    lines
}

/// The spread of what runs take, each number as `shown` has it.
fn per_run(name: &str, spread: Spread, shown: fn(u64) -> String) -> String {
    let median = shown(spread.median);
    let least = shown(spread.least);
    let most = shown(spread.most);
    let deviation = shown(spread.deviation);
    format!("{name} per run: median {median} ({least} to {most}, standard deviation {deviation})")
}

/// `pass@2 93.3%, pass@3 100%; pass^2 40%, pass^3 20%`: how several tries would end; `None` if all would end alike.
pub(crate) fn tries(stability: &Stability) -> Option<String> {
    let estimates = reliability(stability.passed, stability.runs());
    let list = |sign: char, share: fn(&ReliabilityEstimate) -> f64| {
        let shown = estimates.iter().take(MOST_TRIES);
        let shown = shown
            .map(|estimate| format!("pass{sign}{} {}", estimate.tries, percent(share(estimate))));
        shown.collect::<Vec<_>>().join(", ")
    };
    let differ = stability.passed > 0 && stability.failed > 0;
    differ.then(|| list('@', |estimate| estimate.any) + "; " + &list('^', |estimate| estimate.all))
}

/// For how many numbers of tries the text reports have estimates.
const MOST_TRIES: usize = 3;

/// ``checkpoint `paid`: reached in 7 of 10 runs (turns 2 to 4)``
pub(crate) fn checkpoint(checkpoint: &CheckpointRuns, runs: u32) -> String {
    let CheckpointRuns {
        id,
        reached,
        first_turn,
        last_turn,
        ..
    } = checkpoint;
    let plural = if runs == 1 { "run" } else { "runs" };
    let turns = match first_turn.zip(*last_turn) {
        None => String::new(),
        Some((least, most)) if least == most => format!(" (turn {least})"),
        Some((least, most)) => format!(" (turns {least} to {most})"),
    };
    format!("checkpoint `{id}`: reached in {reached} of {runs} {plural}{turns}")
}

/// `run 4`, `runs 2, 7`, `runs 1, 2, 3 and 17 more`.
pub(crate) fn numbers(failed: &FailedRuns) -> String {
    let shown: Vec<String> = failed
        .runs
        .iter()
        .take(MOST_NUMBERS)
        .map(u32::to_string)
        .collect();
    let further = failed
        .count
        .saturating_sub(u32::try_from(shown.len()).unwrap_or(u32::MAX));
    let more = if further > 0 {
        format!(" and {further} more")
    } else {
        String::new()
    };
    format!(
        "{} {}{more}",
        if failed.count == 1 { "run" } else { "runs" },
        shown.join(", ")
    )
}

/// The number of runs that are listed by their numbers.
const MOST_NUMBERS: usize = 8;

/// Both verdicts of a test of a suite that is compared with itself, if they differ.
pub(crate) fn flip(outcome: &Outcome) -> Option<String> {
    let SelfComparison { verdicts, .. } = outcome
        .self_comparison
        .as_deref()
        .filter(|both| both.is_flip())?;
    let [first, second] = verdicts.map(ananke_trace::outcome::Status::as_str);
    Some(format!("flipped: {first}, then {second}"))
}

/// The number of tests that had two verdicts, of a suite that was compared with itself.
pub(crate) fn flip_rate(totals: &Totals) -> Option<String> {
    let Totals {
        compared, flipped, ..
    } = *totals;
    let [part, whole] = [flipped, compared].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 {
        return None;
    }
    let share = percent(f64::from(part) / f64::from(whole));
    let tests = if whole == 1 { "test" } else { "tests" };
    let interval = interval(exact_interval(part, whole));
    Some(format!(
        "compared with itself: {part} of {whole} {tests} flipped (flip rate {share}, {interval})"
    ))
}

fn interval(Interval { low, high }: Interval) -> String {
    format!("95% CI {} to {}", percent(low), percent(high))
}
