//! The texts of the events of an attempt, one after the other.
//!
//! Flows in: each event as it comes. Flows out: the texts of those that are shown. **Invariant:** what is dropped takes at
//! most as much memory as what is kept.

use std::ops::Range;

/// The texts of events, one after the other, because most of them are dropped with their attempt and never looked at.
#[derive(Default)]
pub(super) struct EventTexts {
    texts: String,
    /// The number of bytes that were dropped before them.
    dropped: usize,
}

impl EventTexts {
    /// Adds a text, and gives its place.
    pub(super) fn add(&mut self, text: &str) -> Range<usize> {
        let start = self.dropped + self.texts.len();
        self.texts.push_str(text);
        start..start + text.len()
    }

    /// The text at a place that was not dropped.
    pub(super) fn text(&self, place: &Range<usize>) -> &str {
        &self.texts[place.start - self.dropped..place.end - self.dropped]
    }

    /// Drops what is before `end`, once that is half of everything: then each byte is moved once at most.
    pub(super) fn drop_before(&mut self, end: usize) {
        let before = end - self.dropped;
        if before > self.texts.len() / 2 {
            self.texts.drain(..before);
            self.dropped = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_place_while_those_before_it_are_dropped() {
        let mut texts = EventTexts::default();
        let places: Vec<_> = (0..100)
            .map(|number| texts.add(&format!("event {number}")))
            .collect();
        for (number, place) in places.iter().enumerate() {
            assert_eq!(texts.text(place), format!("event {number}"));
            texts.drop_before(place.end);
            let kept = texts.dropped + texts.texts.len() - place.end;
            assert!(
                texts.texts.len() <= 2 * kept.max(1),
                "half of it was dropped"
            );
        }
    }
}
