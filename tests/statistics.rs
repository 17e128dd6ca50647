//! The figures of `docs/stability.md`, calculated with what decides tests.

use ananke::statistics::{Percentage, SequentialTest, exact_interval};

const PAGE: &str = include_str!("../docs/stability.md");

/// The average number of runs and the shares that pass, fail and stay undecided, of an agent that passes `rate` of
/// its runs: by dynamic programming over the number of failures, with the decision that tests are run with.
fn exactly(test: &SequentialTest, rate: f64) -> (f64, [f64; 3]) {
    let (mut runs, mut ends) = (0.0, [0.0; 3]);
    let mut open = vec![1.0];
    for run in 1..=test.max {
        let mut next = vec![0.0; open.len() + 1];
        for (failed, weight) in open.into_iter().enumerate() {
            next[failed] += weight * rate;
            next[failed + 1] += weight * (1.0 - rate);
        }
        for (failed, weight) in (0..).zip(&mut next) {
            let Some(decision) = test.decide(run - failed, failed) else {
                continue;
            };
            runs += f64::from(run) * *weight;
            ends[decision as usize] += std::mem::take(weight);
        }
        open = next;
    }
    (runs, ends)
}

#[test]
fn the_figures_of_the_default_are_exact() {
    let agents = [
        (1.0, "100% of its runs"),
        (0.95, "95%"),
        (0.8, "80%"),
        (0.5, "50%"),
        (0.0, "never"),
    ];
    for (rate, agent) in agents {
        let (runs, ends) = exactly(&SequentialTest::DEFAULT, rate);
        assert!(
            (ends.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{agent}: {ends:?}"
        );
        let runs = format!("{runs:.1}");
        let [pass, fail, undecided] = ends.map(|share| format!("{:.0}%", share * 100.0));
        let runs = runs.strip_suffix(".0").unwrap_or(&runs);
        let row = format!("| {agent} | {runs} | {pass} | {fail} | {undecided} |\n");
        assert!(PAGE.contains(&row), "the page does not have the row {row}");
    }
}

#[test]
fn the_figures_in_sentences_are_exact() {
    let SequentialTest {
        good,
        bad,
        error,
        max,
    } = SequentialTest::DEFAULT;
    let ratio = (1.0 - error.as_fraction()) / error.as_fraction();
    let five_of_five = 100.0 * exact_interval(5, 5).low;
    for sentence in [
        format!("runs: {{ good: {good}, bad: {bad}, error: {error}, max: {max} }}"),
        format!("is {ratio:.0} times more likely"),
        format!("Five of five runs that pass show no more than a rate above {five_of_five:.1}%."),
    ] {
        assert!(
            PAGE.contains(&sentence),
            "the page does not say: {sentence}"
        );
    }
}

#[test]
fn the_wrong_verdicts_are_as_rare_as_promised() {
    let percent = Percentage::whole;
    for (good, bad, error) in [(95, 80, 5), (99, 90, 1), (60, 40, 10), (100, 50, 5)] {
        let test = SequentialTest {
            good: percent(good),
            bad: percent(bad),
            error: percent(error),
            max: 2000,
        };
        let (_, [passes, ..]) = exactly(&test, test.bad.as_fraction());
        let (_, [_, fails, undecided]) = exactly(&test, test.good.as_fraction());
        let allowed = test.error.as_fraction() * 1.02;
        assert!(
            passes <= allowed && fails <= allowed && undecided < 1e-6,
            "{test:?}: {passes} {fails}"
        );
    }
}
