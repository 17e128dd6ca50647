//! Texts that are sent in pieces, cut within a character: servers that cut at UTF-16 code units send half of a surrogate pair
//! in one event and the other half in the next.
//!
//! Until its other half is there, half of a pair is a character of a private range. A text that has some says so.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The first character of the private range.
const FIRST: u32 = 0x10_0000;

/// The form that halves of surrogate pairs that are alone have in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halves {
    /// U+FFFD.
    Replaced,
    /// A character of the private range.
    Kept,
}

/// A text of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentText<'a> {
    text: Cow<'a, str>,
    halves: Halves,
}

/// Puts a text together from its pieces.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct HalfJoiner {
    /// The first half of a pair, at the end of the last piece.
    first: Option<u16>,
}

/// The character of the private range that is used for half of a surrogate pair.
pub(super) fn kept(half: u16) -> char {
    char::from_u32(FIRST + u32::from(half)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The half that a character of the private range is used for.
fn half(character: char) -> Option<u16> {
    let unit = u16::try_from(u32::from(character).checked_sub(FIRST)?).ok()?;
    matches!(unit, 0xd800..=0xdfff).then_some(unit)
}

/// A text in which each half is escaped as JSON does.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match half(character) {
            Some(unit) => _ = write!(escaped, "\\u{unit:04x}"),
            None => escaped.push(character),
        }
    }
    escaped
}

/// The character that two halves are.
pub(super) fn joined(first: u16, second: u16) -> Option<char> {
    char::decode_utf16([first, second]).next()?.ok()
}

impl<'a> SentText<'a> {
    /// A text with these halves.
    pub fn new(text: impl Into<Cow<'a, str>>, halves: Halves) -> Self {
        let text = text.into();
        Self { text, halves }
    }

    /// A text without halves of pairs.
    pub fn whole(text: impl Into<Cow<'a, str>>) -> Self {
        Self::new(text, Halves::Replaced)
    }

    /// The text by itself: every half is U+FFFD. `on_lone` is called if there is one.
    pub fn alone(self, on_lone: impl FnOnce()) -> Cow<'a, str> {
        if self.halves == Halves::Replaced {
            return self.text;
        }
        let mut joiner = HalfJoiner::default();
        let (mut text, mut is_lone) = joiner.join(self);
        if let Some(lone) = joiner.finish() {
            text.to_mut().push(lone);
            is_lone = true;
        }
        if is_lone {
            on_lone();
        }
        text
    }
}

impl HalfJoiner {
    /// The next piece of the text, and whether it contains a half that is alone, which is U+FFFD.
    pub fn join<'a>(&mut self, piece: SentText<'a>) -> (Cow<'a, str>, bool) {
        let is_kept = piece.halves == Halves::Kept;
        if piece.text.is_empty() || !is_kept && self.first.is_none() {
            return (piece.text, false);
        }
        let (mut text, mut is_lone) = (String::with_capacity(piece.text.len() + 4), false);
        for character in piece.text.chars() {
            let sent = half(character).filter(|_| is_kept);
            match (self.first.take(), sent) {
                (Some(first), Some(second)) if joined(first, second).is_some() => {
                    text.extend(joined(first, second));
                    continue;
                }
                (Some(_), _) => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    is_lone = true;
                }
                (None, _) => {}
            }
            match sent {
                Some(first @ 0xd800..=0xdbff) => self.first = Some(first),
                Some(_) => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    is_lone = true;
                }
                None => text.push(character),
            }
        }
        (text.into(), is_lone)
    }

    /// The end of the text: U+FFFD if it ends with half of a pair.
    pub fn finish(&mut self) -> Option<char> {
        self.first.take().map(|_| char::REPLACEMENT_CHARACTER)
    }
}
