//! Finds known texts in a text, all of them in one pass, and replaces what was found.

use std::ops::Range;

use aho_corasick::packed::{self, Searcher};
use aho_corasick::{AhoCorasick, MatchKind};

use super::excerpt::Opened;

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

/// `text` as it is shown, with a replacement for each range that is shown at least in part; overlapping
/// ranges are one, with the replacement of the first. `None` if nothing is to be changed.
pub(super) fn replaced(text: &Opened<'_>, mut ranges: Vec<(Range<usize>, &str)>) -> Option<String> {
    if ranges.is_empty() && text.hidden.is_empty() {
        return None;
    }
    ranges.sort_by_key(|(range, _)| range.start);
    let mut replaced = String::with_capacity(text.text.len());
    let mut done = 0;
    let mut ranges = ranges.into_iter().peekable();
    while let Some((mut range, replacement)) = ranges.next() {
        while let Some((next, _)) = ranges.next_if(|(next, _)| next.start < range.end) {
            range.end = range.end.max(next.end);
        }
        replaced.extend(text.shown(done..range.start));
        if text.shown(range.clone()).next().is_some() {
            replaced.push_str(replacement);
        }
        done = range.end;
    }
    replaced.extend(text.shown(done..text.text.len()));
    Some(replaced)
}

/// `ranges` in their order, overlapping ones as one.
pub(super) fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, range| {
        let overlaps = next.start < range.end;
        range.end = if overlaps {
            range.end.max(next.end)
        } else {
            range.end
        };
        overlaps
    });
    ranges
}
