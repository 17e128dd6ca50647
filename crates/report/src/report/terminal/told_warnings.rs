//! Warnings about files, which tests repeat: each is printed once in a run.

use std::borrow::Cow;
use std::collections::HashSet;

use ananke_base::diagnostic::Code;
use ananke_trace::outcome::Outcome;

/// The warnings about files that were printed.
#[derive(Clone, Debug, Default)]
pub(super) struct ToldWarnings(HashSet<String>);

impl ToldWarnings {
    /// The warnings that were printed before the tests ran.
    pub(super) fn of(told: Vec<String>) -> Self {
        Self(told.into_iter().collect())
    }

    /// The outcome without the warnings about files that were printed, and which are now.
    pub(super) fn without<'o>(&mut self, outcome: &'o Outcome) -> Cow<'o, Outcome> {
        let warnings = &outcome.verdict.warnings;
        let is_repeated = |warning: &String| is_of_file(warning) && self.0.contains(warning);
        let shown = if warnings.iter().any(is_repeated) {
            let mut shown = outcome.clone();
            shown
                .verdict
                .warnings
                .retain(|warning| !is_repeated(warning));
            Cow::Owned(shown)
        } else {
            Cow::Borrowed(outcome)
        };
        let of_files = warnings.iter().filter(|warning| is_of_file(warning));
        self.0.extend(of_files.cloned());
        shown
    }
}

/// Whether a warning is about what is written in a file, and not about what a test did.
fn is_of_file(warning: &str) -> bool {
    let rest = warning.strip_prefix(Code::Since14.as_str());
    rest.is_some_and(|rest| rest.starts_with(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_about_a_file_is_shown_once_and_any_other_with_each_test() {
        let mut outcome = Outcome::default();
        let [of_file, other, own] = [
            "since-1.4: a:1: x",
            "since-1.4: b:1: y",
            "a secret is short",
        ];
        outcome.verdict.warnings = [of_file, other, own].map(str::to_owned).to_vec();
        let mut told = ToldWarnings::of(vec![of_file.to_owned()]);
        assert_eq!(told.without(&outcome).verdict.warnings, [other, own]);
        assert_eq!(told.without(&outcome).verdict.warnings, [own]);
        outcome.verdict.warnings.clear();
        assert!(matches!(told.without(&outcome), Cow::Borrowed(_)));
    }
}
