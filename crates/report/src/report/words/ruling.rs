//! The decision of a judge, for people.

use ananke_base::text::grouped;
use ananke_trace::outcome::{JudgeAnswer, JudgedTotals, Ruling};

/// A line for each answer of the judge, and one for each suggestion; without a reason that `message` gives already.
pub(crate) fn lines(ruling: &Ruling, message: &str) -> Vec<String> {
    let Ruling {
        judge,
        threshold,
        answers,
        ..
    } = ruling;
    let mut lines = Vec::new();
    for (
        JudgeAnswer {
            passed,
            score,
            reason,
            suggestions,
        },
        number,
    ) in answers.iter().zip(1..)
    {
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_new = !reason.is_empty() && !message.contains(&reason);
        let parts = [
            Some(format!("`{judge}`")),
            (answers.len() > 1).then(|| format!(", answer {number} of {}", answers.len())),
            Some(if *passed { ": PASS" } else { ": FAIL" }.to_owned()),
            score.as_ref().map(|score| format!(", score {score}")),
            threshold
                .as_ref()
                .map(|threshold| format!(" (at least {threshold} passes)")),
            is_new.then(|| format!(": {reason}")),
        ];
        lines.push(parts.into_iter().flatten().collect());
        lines.extend(
            suggestions
                .iter()
                .map(|suggestion| format!("suggestion: {suggestion}")),
        );
    }
    lines
}

/// `2 tests were judged by agents: 1 passed, 1 failed`; `None` if no test asks a judge.
pub(crate) fn totals(judged: JudgedTotals) -> Option<String> {
    let JudgedTotals {
        passed,
        failed,
        error,
        not_asked,
    } = judged;
    let tests = |count: usize| {
        if count == 1 {
            "1 test was".to_owned()
        } else {
            format!("{} tests were", grouped(count))
        }
    };
    let counts = [
        (passed, "passed"),
        (failed, "failed"),
        (error, "without a verdict"),
    ];
    let of_all = passed + failed + error;
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", grouped(count)))
        .collect();
    let parts = [
        (of_all > 0).then(|| format!("{} judged by agents: {}", tests(of_all), counts.join(", "))),
        (not_asked > 0).then(|| format!("{} not judged (`--no-judge`)", tests(not_asked))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judged_tests_are_counted_apart() {
        let words = |passed, failed, error, not_asked| {
            totals(JudgedTotals {
                passed,
                failed,
                error,
                not_asked,
            })
            .unwrap_or_default()
        };
        assert_eq!(words(0, 0, 0, 0), "");
        assert_eq!(words(1, 0, 0, 0), "1 test was judged by agents: 1 passed");
        assert_eq!(
            words(1, 2, 1, 0),
            "4 tests were judged by agents: 1 passed, 2 failed, 1 without a verdict"
        );
        assert_eq!(words(0, 0, 0, 2), "2 tests were not judged (`--no-judge`)");
    }
}
