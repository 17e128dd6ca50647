//! A text that arrives in pieces, and then may arrive as a whole.

use std::borrow::Cow;

use ananke_base::source::received_json::{HalfJoiner, SentText};

/// A text as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct StreamedText {
    text: String,
    joiner: HalfJoiner,
}

/// The relation of a whole text to its pieces.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TextCompletion {
    /// The rest after the pieces; empty if they were all of it.
    Follows(String),
    /// The pieces are not its beginning.
    Differs,
}

impl StreamedText {
    /// Adds a piece. Returns the text that it adds, and whether half of a surrogate pair is alone in it.
    pub(super) fn add<'p>(&mut self, piece: SentText<'p>) -> (Cow<'p, str>, bool) {
        let (delta, has_lone_half) = self.joiner.join(piece);
        self.text.push_str(&delta);
        (delta, has_lone_half)
    }

    /// Takes the whole text, which the pieces must be the beginning of.
    pub(super) fn complete(&mut self, whole: &str) -> TextCompletion {
        // The whole text also has the half of a pair that waits for its other half.
        self.joiner = HalfJoiner::default();
        let Some(rest) = whole.strip_prefix(self.text.as_str()) else {
            return TextCompletion::Differs;
        };
        let rest = rest.to_owned();
        self.text.push_str(&rest);
        TextCompletion::Follows(rest)
    }

    /// Ends a text whose whole did not come: half of a surrogate pair that waited for the other half is U+FFFD.
    pub(super) fn finish(&mut self) -> Option<char> {
        let lone_half = self.joiner.finish();
        self.text.extend(lone_half);
        lone_half
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_text_follows_its_pieces_or_differs() {
        let mut text = StreamedText::default();
        text.add(SentText::whole("Hel"));
        assert_eq!(
            text.complete("Hello"),
            TextCompletion::Follows("lo".to_owned())
        );
        assert_eq!(
            text.complete("Hello"),
            TextCompletion::Follows(String::new())
        );
        assert_eq!(text.complete("Bye"), TextCompletion::Differs);
        assert_eq!(text.text(), "Hello");
    }
}
