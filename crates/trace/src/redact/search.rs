//! Finds known texts in a text, all of them in one pass.

use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, MatchKind};

/// Known texts, each with its number.
#[derive(Debug, Default)]
pub(super) enum Search {
    /// None.
    #[default]
    Empty,
    /// The texts of one test: compared many at once, which needs nothing built. Many tests have a search of their own.
    Few(Searcher),
    /// More of them.
    Many(AhoCorasick),
}

impl Search {
    /// Searches for `texts`; of those that begin at one place, the longest is found.
    pub(super) fn of<T: AsRef<[u8]>>(texts: &[T]) -> Self {
        if texts.is_empty() {
            return Self::Empty;
        }
        let few = packed::Config::new()
            .match_kind(packed::MatchKind::LeftmostLongest)
            .builder()
            .extend(texts)
            .build();
        few.map_or_else(|| Self::of_many(texts), Self::Few)
    }

    fn of_many<T: AsRef<[u8]>>(texts: &[T]) -> Self {
        // Bytes are a valid search pattern in every case: the builder has no limit that text this size reaches.
        let many = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(texts);
        many.map_or(Self::Empty, Self::Many)
    }

    /// The places of the texts in `text`, from left to right, each with its number, counted from 0.
    pub(super) fn find(&self, text: &str) -> impl Iterator<Item = (Range<usize>, usize)> {
        let (few, many) = match self {
            Self::Empty => (None, None),
            Self::Few(few) => (Some(few.find_iter(text)), None),
            Self::Many(many) => (None, Some(many.find_iter(text))),
        };
        let found = few.into_iter().flatten().chain(many.into_iter().flatten());
        found.map(|found| (found.range(), found.pattern().as_usize()))
    }
}
