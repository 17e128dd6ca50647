//! Which of the found tests run: filter, tags and ids (SPEC 10).

use std::borrow::Cow;

use super::entry::CaseEntry;
use super::filter::has_id;
use super::selection::Selection;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::nearest;

impl Selection {
    /// Whether nothing narrows it down: every test of the project is selected.
    pub(super) fn is_whole(&self) -> bool {
        self.paths.is_empty() && !self.chooses()
    }

    /// Whether it takes some of the tests that were found.
    pub(super) fn chooses(&self) -> bool {
        self.filter.is_some() || !self.tags.is_empty() || !self.ids.is_empty()
    }

    /// The tests it takes of those that were found: with one of the tags, one of the ids, and what the filter wants.
    /// An id that no test has is a problem.
    pub(super) fn choose(&self, cases: Vec<CaseEntry>, problems: &mut Vec<Diagnostic>) -> Vec<CaseEntry> {
        if !self.chooses() {
            return cases;
        }
        problems.extend(self.ids.iter().filter_map(|id| unknown(id, &cases)));
        let has_tag = |case: &CaseEntry| self.tags.iter().any(|tag| case.test.tags.contains(tag));
        let mut chosen = cases;
        chosen.retain(|case| {
            (self.tags.is_empty() || has_tag(case))
                && (self.ids.is_empty() || self.ids.iter().any(|id| has_id(case, id)))
                && self.filter.as_ref().is_none_or(|filter| filter.matches(case))
        });
        chosen
    }

    /// What took none of the tests, in words.
    pub(super) fn chooser(&self) -> String {
        let words = [
            (self.filter.is_some(), "the filter"),
            (!self.tags.is_empty(), "`--tag`"),
            (!self.ids.is_empty(), "`--id`"),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        let verb = if words.len() > 1 { "take" } else { "takes" };
        format!("{} {verb} none of the tests", words.join(" and "))
    }
}

fn unknown(id: &str, cases: &[CaseEntry]) -> Option<Diagnostic> {
    if cases.iter().any(|case| has_id(case, id)) {
        return None;
    }
    let problem = Diagnostic::error(Code::NoTests, format!("no test has the id `{id}`"));
    Some(problem.help(match nearest_id(id, cases) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`ananke list` prints the ids".to_owned(),
    }))
}

/// The id that was most likely meant.
pub(super) fn nearest_id(written: &str, cases: &[CaseEntry]) -> Option<String> {
    let ids = cases.iter().flat_map(|case| [Cow::Borrowed(case.test.id.as_str()), case.id()]);
    nearest(written, ids).map(Cow::into_owned)
}
