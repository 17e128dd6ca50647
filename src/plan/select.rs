//! Which of the found tests run.

use super::CaseEntry;

/// Words that must all be part of a test's path or name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(Vec<String>);

/// A filter that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// Nothing to look for.
    #[error("the filter is empty")]
    Empty,
    /// A word or sign with a meaning of its own in filter expressions.
    #[error("`{0}` is reserved for filter expressions, which this version does not have; use plain words")]
    Reserved(String),
}

impl Filter {
    /// Reads a filter: bare words, divided by blanks.
    ///
    /// # Errors
    /// An empty filter, and words that filter expressions will give a meaning.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(FilterError::Empty);
        }
        let reserved = |word: &&String| {
            matches!(word.as_str(), "and" | "or" | "not") || word.contains(['(', ')', '!', '&', '|'])
        };
        if let Some(word) = words.iter().find(reserved) {
            return Err(FilterError::Reserved(word.clone()));
        }
        Ok(Self(words))
    }

    /// Whether it takes a test.
    pub fn takes(&self, case: &CaseEntry) -> bool {
        self.0.iter().all(|word| case.id.contains(word.as_str()) || case.file.contains(word.as_str()))
    }
}
