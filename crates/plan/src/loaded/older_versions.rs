//! Warnings of a test about what has another meaning in files of newer versions.

use ananke_base::diagnostic::{Code, Diagnostic};

/// The problem in one line.
pub(crate) fn with_place(problem: &Diagnostic) -> String {
    problem
        .place()
        .map(|place| format!("{place}: "))
        .unwrap_or_default()
        + &problem.message
}

/// What has another meaning in files of newer versions, in one line each.
pub(crate) fn of_older_versions(problems: &[Diagnostic]) -> impl Iterator<Item = String> {
    problems
        .iter()
        .filter(|problem| problem.code == Code::Since14)
        .map(|problem| format!("{}: {}", problem.code, with_place(problem)))
}
