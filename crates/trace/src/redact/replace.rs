//! Replaces what was found in a text.

use std::ops::Range;

use super::excerpt::Opened;

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
