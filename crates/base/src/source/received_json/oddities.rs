//! The oddities of a text that was read all the same.

use std::borrow::Cow;

use super::Halves;
use crate::source::printable;

/// The oddities of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Whether it contains half of a surrogate pair alone.
    pub has_half: bool,
    /// Whether it contains bytes that are not UTF-8.
    pub is_lossy: bool,
    /// The first number that is not finite.
    pub not_finite: Option<&'static str>,
    /// The first key that is duplicated in its object with another value.
    pub duplicate_key: Option<String>,
}

impl Oddities {
    /// The warning about half of a surrogate pair.
    pub const HALF: &'static str =
        "half of a surrogate pair is alone in a string and is read as U+FFFD";

    /// The halves of surrogate pairs of an event.
    pub fn halves(&self) -> Halves {
        if self.has_half {
            Halves::Kept
        } else {
            Halves::Replaced
        }
    }

    /// A warning for each.
    pub fn warnings(&self) -> impl Iterator<Item = Cow<'static, str>> {
        let half = self.has_half.then_some(Cow::Borrowed(Self::HALF));
        half.into_iter().chain(self.of_values())
    }

    /// A warning for each, apart from halves of surrogate pairs, which the next event may complete.
    pub fn of_values(&self) -> impl Iterator<Item = Cow<'static, str>> {
        let lossy = self
            .is_lossy
            .then_some(Cow::Borrowed("bytes that are not UTF-8 are read as U+FFFD"));
        let not_finite = self.not_finite.map(|word| {
            Cow::Owned(format!(
                "the number `{word}` is not valid JSON: it is read, and equals nothing"
            ))
        });
        let duplicate = self.duplicate_key.as_ref().map(|key| {
            let key = printable(key);
            Cow::Owned(format!(
                "the key `{key}` is duplicated in a JSON object: the last one counts, and prohibitions see all of them"
            ))
        });
        lossy.into_iter().chain(not_finite).chain(duplicate)
    }
}
