//! A filter: which tests it selects (SPEC 10).

use regex::Regex;

use crate::loaded::CaseEntry;

/// An expression that selects tests by what they are called and where they are.
#[derive(Clone, Debug)]
pub struct Filter(pub(super) Expression);

/// The expression of a filter.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    /// Part of the path, the name or the id.
    Word(String),
    /// Something of the test is so.
    Is(Subject, FilterValue),
    /// The other tests.
    Not(Box<Self>),
    /// The tests that match all of them.
    All(Vec<Self>),
    /// The tests that match one of them.
    Any(Vec<Self>),
}

/// The property of a test that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Tag,
    Name,
    File,
    Id,
}

/// The value that it must have: a pattern is searched in all of them.
#[derive(Clone, Debug)]
pub(super) enum FilterValue {
    /// This text: a whole tag or id, or a part of a name or a file.
    Text(String),
    /// The values that this matches.
    Like(Regex),
}

impl Filter {
    /// Whether it selects a test.
    pub fn matches(&self, case: &CaseEntry) -> bool {
        self.0.matches(case)
    }
}

impl Expression {
    fn matches(&self, case: &CaseEntry) -> bool {
        let test = &case.test;
        match self {
            Self::Word(word) => {
                let contains = |text: &str| text.contains(word.as_str());
                contains(&case.id())
                    || contains(&test.name)
                    || contains(&test.place)
                    || contains(&test.file)
            }
            Self::Is(Subject::Tag, FilterValue::Text(wanted)) => test.about.tags.contains(wanted),
            Self::Is(Subject::Tag, FilterValue::Like(regex)) => {
                test.about.tags.iter().any(|tag| regex.is_match(tag))
            }
            Self::Is(Subject::Name, FilterValue::Text(wanted)) => {
                test.name.contains(wanted.as_str())
            }
            Self::Is(Subject::Name, FilterValue::Like(regex)) => regex.is_match(&test.name),
            Self::Is(Subject::File, FilterValue::Text(wanted)) => {
                test.place.contains(wanted.as_str())
            }
            Self::Is(Subject::File, FilterValue::Like(regex)) => regex.is_match(&test.place),
            Self::Is(Subject::Id, FilterValue::Text(wanted)) => has_id(case, wanted),
            Self::Is(Subject::Id, FilterValue::Like(regex)) => regex.is_match(&case.id()),
            Self::Not(inner) => !inner.matches(case),
            Self::All(all) => all.iter().all(|expression| expression.matches(case)),
            Self::Any(any) => any.iter().any(|expression| expression.matches(case)),
        }
    }
}

/// Whether a test has this id; a test with rows has that of each, and all of them have its own.
pub(super) fn has_id(case: &CaseEntry, id: &str) -> bool {
    case.test.id == id || (case.row.is_some() && case.id() == id)
}
