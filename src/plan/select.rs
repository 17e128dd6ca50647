//! Which of the found tests run: the filter language, tags and ids (SPEC 10).

use std::borrow::Cow;

use regex::Regex;

use super::{CaseEntry, Selection};
use crate::diagnostic::{Code, Diagnostic};

/// An expression that takes some tests.
#[derive(Clone, Debug)]
pub struct Filter(pub(super) Expression);

/// What a filter is made of.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    /// Part of the path, the name or the id.
    Word(String),
    /// Something of the test is so.
    Is(Subject, Wanted),
    /// The other tests.
    Not(Box<Self>),
    /// What all of them take.
    All(Vec<Self>),
    /// What one of them takes.
    Any(Vec<Self>),
}

/// What of a test is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Tag,
    Name,
    File,
    Id,
}

/// What it must be: a pattern is searched in all of them.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// Of a tag or an id all of it, of a name or a file a part.
    Text(String),
    /// What this matches.
    Like(Regex),
}

impl Filter {
    /// Whether it takes a test.
    pub fn takes(&self, case: &CaseEntry) -> bool {
        self.0.takes(case)
    }
}

impl Expression {
    fn takes(&self, case: &CaseEntry) -> bool {
        let test = &case.test;
        match self {
            Self::Word(word) => {
                let holds = |text: &str| text.contains(word.as_str());
                holds(&case.id()) || holds(&test.name) || holds(&test.place) || holds(&test.file)
            }
            Self::Is(Subject::Tag, Wanted::Text(wanted)) => test.tags.contains(wanted),
            Self::Is(Subject::Tag, Wanted::Like(regex)) => test.tags.iter().any(|tag| regex.is_match(tag)),
            Self::Is(Subject::Name, Wanted::Text(wanted)) => test.name.contains(wanted.as_str()),
            Self::Is(Subject::Name, Wanted::Like(regex)) => regex.is_match(&test.name),
            Self::Is(Subject::File, Wanted::Text(wanted)) => test.place.contains(wanted.as_str()),
            Self::Is(Subject::File, Wanted::Like(regex)) => regex.is_match(&test.place),
            Self::Is(Subject::Id, Wanted::Text(wanted)) => has_id(case, wanted),
            Self::Is(Subject::Id, Wanted::Like(regex)) => regex.is_match(&case.id()),
            Self::Not(inner) => !inner.takes(case),
            Self::All(all) => all.iter().all(|expression| expression.takes(case)),
            Self::Any(any) => any.iter().any(|expression| expression.takes(case)),
        }
    }
}

/// Whether a test has this id; a test with rows has that of each, and all of them have its own.
fn has_id(case: &CaseEntry, id: &str) -> bool {
    case.test.id == id || (case.row.is_some() && case.id() == id)
}

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
                && self.filter.as_ref().is_none_or(|filter| filter.takes(case))
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
    let likely =
        ids.map(|id| (strsim::jaro_winkler(written, &id), id)).filter(|(likeness, _)| *likeness > 0.85);
    likely.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, id)| id.into_owned())
}
