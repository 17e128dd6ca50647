//! Texts that an agent sends in pieces, each with where its pieces come from.
//!
//! Flows in: the changes of one conversation, as they come. Flows out: each text as a whole, with where its pieces meet, so
//! that a secret is found that no single event contains.

use std::collections::HashMap;

use super::Change;

/// Collects the texts of one conversation.
#[derive(Debug, Default)]
pub struct PiecedTexts {
    texts: Vec<PiecedText>,
    /// The index of each text, by its part and its id.
    indexes: [HashMap<String, usize>; PARTS],
    /// The index of the text that the last piece belongs to.
    last: usize,
    open: usize,
    bytes: usize,
}

/// A text, and where its pieces meet.
#[derive(Debug)]
pub struct PiecedText {
    part: PiecedPart,
    id: String,
    is_open: bool,
    /// The text so far.
    pub text: String,
    /// The ends of its pieces, in bytes, ascending.
    pub cuts: Vec<usize>,
    /// The places of its pieces, as they were given.
    pub places: Vec<usize>,
}

/// The part of a conversation that comes in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PiecedPart {
    Message,
    Arguments,
    Reasoning,
}

/// The number of parts.
const PARTS: usize = 3;

/// The bytes that a text takes apart from what it consists of: its own, its place in the indexes, and those of its allocations.
const TEXT: usize = size_of::<PiecedText>() + 256;

impl PiecedTexts {
    /// Adds what `change` says of a text: the piece that it brings from `place`, or that the text is complete.
    pub fn add(&mut self, change: &Change<'_>, place: usize) {
        match change {
            Change::MessageText { id, delta } => self.piece(PiecedPart::Message, id, delta, place),
            Change::CallArgs { id, delta } => self.piece(PiecedPart::Arguments, id, delta, place),
            Change::Reasoning { id, delta, .. } => {
                self.piece(PiecedPart::Reasoning, id, delta, place);
            }
            Change::MessageClosed { id } | Change::MessageRetracted { id } => {
                self.close(PiecedPart::Message, id);
                self.close(PiecedPart::Reasoning, id);
            }
            Change::CallArgsDone { id } => self.close(PiecedPart::Arguments, id),
            _ => {}
        }
    }

    fn piece(&mut self, part: PiecedPart, id: &str, delta: &str, place: usize) {
        // Most pieces go on with the text of the one before.
        let is_of = |text: &PiecedText| text.part == part && text.id == id;
        if !self.texts.get(self.last).is_some_and(is_of) {
            let indexes = &mut self.indexes[part as usize];
            self.last = if let Some(index) = indexes.get(id) {
                *index
            } else {
                indexes.insert(id.to_owned(), self.texts.len());
                self.bytes += TEXT + 2 * id.len();
                self.texts.push(PiecedText {
                    part,
                    id: id.to_owned(),
                    is_open: false,
                    text: String::new(),
                    cuts: Vec::new(),
                    places: Vec::new(),
                });
                self.texts.len() - 1
            };
        }
        let text = &mut self.texts[self.last];
        self.open += usize::from(!text.is_open);
        text.is_open = true;
        text.text.push_str(delta);
        text.cuts.push(text.text.len());
        text.places.push(place);
        self.bytes += delta.len() + 2 * size_of::<usize>();
    }

    fn close(&mut self, part: PiecedPart, id: &str) {
        let Some(index) = self.indexes[part as usize].get(id) else {
            return;
        };
        let text = &mut self.texts[*index];
        self.open -= usize::from(text.is_open);
        text.is_open = false;
    }

    /// Whether a text is not complete.
    pub fn has_open(&self) -> bool {
        self.open > 0
    }

    /// The number of bytes of the texts and of the places of their pieces.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The texts so far.
    pub fn texts(&self) -> &[PiecedText] {
        &self.texts
    }

    /// The texts so far; what follows begins new ones.
    pub fn take(&mut self) -> Vec<PiecedText> {
        std::mem::take(self).texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'a>(id: &'a str, delta: &'a str) -> Change<'a> {
        Change::MessageText {
            id: id.into(),
            delta: delta.into(),
        }
    }

    #[test]
    fn pieces_of_texts_that_alternate_are_put_together() {
        let mut texts = PiecedTexts::default();
        texts.add(&said("a", "my "), 0);
        let args = Change::CallArgs {
            id: "a".into(),
            delta: "{}".into(),
        };
        texts.add(&args, 1);
        texts.add(&said("b", "other"), 2);
        texts.add(&said("a", "key"), 3);
        assert!(texts.has_open());
        for id in ["a", "b"] {
            texts.add(&Change::MessageClosed { id: id.into() }, 4);
        }
        assert!(texts.has_open(), "the arguments are not complete");
        texts.add(&Change::CallArgsDone { id: "a".into() }, 5);
        assert!(!texts.has_open());
        let first = &texts.texts()[0];
        assert_eq!(first.text, "my key");
        assert_eq!(first.cuts, [3, 6]);
        assert_eq!(first.places, [0, 3]);
        assert_eq!(texts.take().len(), 3);
        assert!(texts.texts().is_empty() && texts.bytes() == 0);
    }
}
