//! Scores and changes in words, the same in every report.

use crate::report::document::counted;
use ananke_lab::mutation::{MutationReport, Score, SurvivingMutant};

/// The fates that are counted, each with its number.
pub(super) fn counts(score: &Score) -> [(&'static str, usize); 7] {
    [
        ("changes", score.total),
        ("killed", score.killed),
        ("killed by the protocol", score.killed_by_protocol),
        ("killed otherwise", score.killed_otherwise),
        ("harmless", score.harmless),
        ("not shown", score.not_shown),
        ("survived", score.survived),
    ]
}

/// The fates of all changes in one line: `19 changes: 6 killed, 13 survived`.
pub(super) fn sum(score: &Score) -> String {
    let [(_, total), fates @ ..] = counts(score);
    let fates = fates.into_iter().filter(|(_, count)| *count > 0);
    let fates: Vec<String> = fates
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    let colon = if fates.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", counted(total, "change"), fates.join(", "))
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
