//! Scores and changes in words, the same in every report.

use crate::report::document::counted;
use ananke_base::text::grouped;
use ananke_trace::outcome::mutation::{MutationReport, Score, SurvivingMutant};

/// The fates that are counted, each with its number.
#[cfg(any(feature = "html", feature = "junit"))]
pub(super) fn counts(score: &Score) -> [(&'static str, usize); 8] {
    [
        ("changes", score.total),
        ("killed", score.killed),
        ("killed by the protocol", score.killed_by_protocol),
        ("killed otherwise", score.killed_otherwise),
        ("harmless", score.harmless),
        ("not shown", score.not_shown),
        ("changed a decision", score.changes_decision),
        ("survived", score.survived),
    ]
}

/// The fates of all changes in one line: those that count for the score first, which is a share of them.
/// `15 of 19 changes count: 6 killed, 9 survived; 4 do not: 1 killed by the protocol, 3 harmless`, or
/// `19 changes: 6 killed, 13 survived` if all of them count.
pub(super) fn sum(score: &Score) -> String {
    let listed = |fates: &[(usize, &str)]| {
        let fates = fates.iter().filter(|(count, _)| *count > 0);
        let fates: Vec<String> = fates
            .map(|(count, fate)| format!("{} {fate}", grouped(*count)))
            .collect();
        let colon = if fates.is_empty() { "" } else { ": " };
        format!("{colon}{}", fates.join(", "))
    };
    let count = listed(&[
        (score.killed, "killed"),
        (score.killed_otherwise, "killed otherwise"),
        (score.survived, "survived"),
    ]);
    let others = listed(&[
        (score.killed_by_protocol, "killed by the protocol"),
        (score.harmless, "harmless"),
        (score.not_shown, "not shown"),
        (score.changes_decision, "changed a decision"),
    ]);
    let changes = counted(score.total, "change");
    match (score.counted(), score.total - score.counted()) {
        (_, 0) => format!("{changes}{count}"),
        (0, _) => format!("none of {changes} counts{others}"),
        (counted, not_counted) => {
            let (verb, neither) = (
                if counted == 1 { "counts" } else { "count" },
                if not_counted == 1 { "does" } else { "do" },
            );
            format!(
                "{} of {changes} {verb}{count}; {} {neither} not{others}",
                grouped(counted),
                grouped(not_counted)
            )
        }
    }
}

/// The rows of tests, then those of kinds of changes, each with its heading.
pub(super) fn tables(report: &MutationReport) -> [(&'static str, Vec<(String, Score)>); 2] {
    let operators = report
        .operators
        .iter()
        .map(|of| (of.operator.name().to_owned(), of.score))
        .collect();
    let tests = report
        .tests
        .iter()
        .map(|test| (test.id.clone(), test.score))
        .collect();
    [("operator", operators), ("test", tests)]
}

/// The changes that are not killed for the right reason, each with the word for its fate.
pub(super) fn unnoticed(
    report: &MutationReport,
) -> impl Iterator<Item = (&'static str, &SurvivingMutant)> {
    let otherwise = report
        .killed_otherwise
        .iter()
        .map(|mutant| ("killed otherwise", mutant));
    otherwise.chain(report.survivors.iter().map(|mutant| ("survived", mutant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changes_that_count_come_first() {
        let of = |[
            killed,
            killed_otherwise,
            survived,
            killed_by_protocol,
            harmless,
            not_shown,
        ]: [usize; 6]| {
            let mut score = Score::default();
            score.total =
                killed + killed_otherwise + survived + killed_by_protocol + harmless + not_shown;
            (score.killed, score.killed_otherwise) = (killed, killed_otherwise);
            (score.killed_by_protocol, score.survived) = (killed_by_protocol, survived);
            (score.harmless, score.not_shown) = (harmless, not_shown);
            score
        };
        for (score, expected) in [
            (of([0, 0, 0, 0, 0, 0]), "0 changes"),
            (of([1, 0, 0, 0, 0, 0]), "1 change: 1 killed"),
            (of([6, 0, 13, 0, 0, 0]), "19 changes: 6 killed, 13 survived"),
            (
                of([6, 1, 9, 1, 3, 2]),
                "16 of 22 changes count: 6 killed, 1 killed otherwise, 9 survived; \
                 6 do not: 1 killed by the protocol, 3 harmless, 2 not shown",
            ),
            (
                of([0, 0, 1, 0, 1, 0]),
                "1 of 2 changes counts: 1 survived; 1 does not: 1 harmless",
            ),
            (
                of([0, 0, 0, 1, 0, 0]),
                "none of 1 change counts: 1 killed by the protocol",
            ),
            (of([1200, 0, 0, 0, 0, 0]), "1,200 changes: 1,200 killed"),
        ] {
            assert_eq!(sum(&score), expected);
        }
    }
}
