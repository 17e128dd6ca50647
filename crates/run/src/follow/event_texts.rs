//! The texts of the events of an attempt, one after the other.
//!
//! Flows in: each event as it comes. Flows out: the texts of those that are shown. **Invariant:** what is dropped takes no
//! memory.

use std::collections::VecDeque;
use std::ops::Range;

/// The texts of events in one buffer, because most of them are dropped with their attempt and never looked at.
#[derive(Default)]
pub(super) struct EventTexts {
    bytes: VecDeque<u8>,
    /// The number of bytes that were dropped before them.
    dropped: usize,
}

impl EventTexts {
    /// Adds a text, and gives its place.
    pub(super) fn add(&mut self, text: &str) -> Range<usize> {
        let start = self.dropped + self.bytes.len();
        self.bytes.extend(text.as_bytes());
        start..start + text.len()
    }

    /// The text at a place that was not dropped.
    pub(super) fn text(&self, place: &Range<usize>) -> String {
        let kept = place.start - self.dropped..place.end - self.dropped;
        let bytes = self.bytes.range(kept).copied().collect();
        // It was a text when it was added.
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Drops what is before `end`.
    pub(super) fn drop_before(&mut self, end: usize) {
        self.bytes.drain(..end - self.dropped);
        self.dropped = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_place_while_those_before_it_are_dropped() {
        let mut texts = EventTexts::default();
        let mut earlier = texts.add("before all");
        for number in 0..1000 {
            let place = texts.add(&format!("event {number}"));
            texts.drop_before(earlier.end);
            assert_eq!(texts.text(&place), format!("event {number}"));
            assert_eq!(texts.bytes.len(), place.len(), "what is dropped is gone");
            earlier = place;
        }
        assert!(texts.bytes.capacity() < 100);
    }
}
