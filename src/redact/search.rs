//! Finds known texts in a text, all of them in one pass.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// What a search is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Built {
    /// The texts of a whole run: what makes searching fast.
    ForManyTexts,
    /// The texts of one test: what is there at once, since many tests have a search of their own.
    Quickly,
}

/// Known texts, each with its number.
#[derive(Debug, Default)]
pub(super) struct Search(Option<AhoCorasick>);

impl Search {
    /// Searches for `texts`; of those that begin at one place, the longest is found.
    pub(super) fn of<T: AsRef<[u8]>>(texts: &[T], built: Built) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest);
        if built == Built::Quickly {
            builder.kind(Some(AhoCorasickKind::NoncontiguousNFA));
        }
        // Bytes that are a valid search pattern in every case: the builder has no limit that text this size reaches.
        Self(builder.build(texts).ok())
    }

    /// Where in `text` one of them is, from left to right, each with its number, counted from 0.
    pub(super) fn find(&self, text: &str) -> impl Iterator<Item = (Range<usize>, usize)> {
        let found = self.0.iter().flat_map(move |search| search.find_iter(text));
        found.map(|found| (found.range(), found.pattern().as_usize()))
    }
}
