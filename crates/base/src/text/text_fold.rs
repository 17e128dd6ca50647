//! Texts that a person takes for the same: folds under which they are equal, and the differences that they fold.
//!
//! Flows in: a text, and a function that looks for something in it. Flows out: the differences without which it is found.
//! **Invariant:** a text that is found as it is has no differences, and each difference that is named is needed.

use std::borrow::Cow;
use std::ops::Range;

use super::TextForm;
use super::text_form::place_before;

/// A difference that a person does not see, or does not mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextDifference {
    /// CR LF for a line feed.
    LineBreaks,
    /// A no-break space or hyphen for a plain one.
    NoBreak,
    /// A character that is shown as nothing.
    Invisible,
    /// A letter and its mark as two characters.
    Decomposed,
    /// A curved quote or a long dash for the one of a keyboard.
    Typography,
    /// Upper for lower case.
    LetterCase,
    /// Other white space, or more of it.
    WhiteSpace,
}

impl TextDifference {
    /// All but the case of letters, the most specific first.
    const OF_CHARACTERS: [Self; 6] = [
        Self::LineBreaks,
        Self::NoBreak,
        Self::Invisible,
        Self::Decomposed,
        Self::Typography,
        Self::WhiteSpace,
    ];

    /// The difference in words, after "it occurs".
    pub fn words(self) -> &'static str {
        match self {
            Self::LineBreaks => "with CR LF as line breaks",
            Self::NoBreak => "with a no-break space or hyphen",
            Self::Invisible => "with an invisible character",
            Self::Decomposed => "with letters and their marks apart",
            Self::Typography => "with typographic quotes or dashes",
            Self::LetterCase => "in another letter case",
            Self::WhiteSpace => "with other white space",
        }
    }
}

/// Differences that do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFold(Vec<TextDifference>);

impl TextFold {
    /// All differences.
    pub fn all() -> Self {
        let mut differences = TextDifference::OF_CHARACTERS.to_vec();
        differences.push(TextDifference::LetterCase);
        Self(differences)
    }

    /// All differences but that of letter case.
    pub fn of_characters() -> Self {
        Self(TextDifference::OF_CHARACTERS.to_vec())
    }

    /// The differences.
    pub fn differences(&self) -> &[TextDifference] {
        &self.0
    }

    /// Whether this difference does not count.
    pub fn has(&self, difference: TextDifference) -> bool {
        self.0.contains(&difference)
    }

    /// The least fold under which `finds` is true, if it is under this one, or under this one without a difference: a pattern
    /// that names a line break finds none where white space is joined.
    pub fn least(self, finds: impl Fn(&Self) -> bool) -> Option<Self> {
        let all = self.0.clone();
        let mut least = std::iter::once(self.clone())
            .chain(all.iter().map(|difference| self.without(*difference)))
            .find(|fold| finds(fold))?;
        // What is general is tried first, so that what is specific stays.
        for difference in all.into_iter().rev() {
            let fewer = least.without(difference);
            if finds(&fewer) {
                least = fewer;
            }
        }
        Some(least)
    }

    fn without(&self, difference: TextDifference) -> Self {
        let kept = self.0.iter().copied();
        Self(kept.filter(|kept| *kept != difference).collect())
    }

    /// The text without these differences.
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let form = TextForm {
            is_composed: self.has(TextDifference::Decomposed),
            is_visible: self.has(TextDifference::Invisible),
        };
        let text = form.apply(text);
        let is_plain = text.is_ascii() && !text.contains('\r') && !has_more_white_space(&text);
        if is_plain && !self.has(TextDifference::LetterCase) {
            return text;
        }
        Cow::Owned(self.fold(&text))
    }

    fn fold(&self, text: &str) -> String {
        let mut folded = String::with_capacity(text.len());
        let mut signs = text.chars().peekable();
        while let Some(sign) = signs.next() {
            let sign = self.plain(sign);
            match sign {
                '\r' if self.has(TextDifference::LineBreaks) && signs.peek() == Some(&'\n') => {}
                _ if sign.is_whitespace() && self.has(TextDifference::WhiteSpace) => {
                    if !folded.ends_with(' ') {
                        folded.push(' ');
                    }
                }
                _ if self.has(TextDifference::LetterCase) => folded.extend(sign.to_lowercase()),
                _ => folded.push(sign),
            }
        }
        folded
    }

    /// The character of a keyboard that this one is like.
    fn plain(&self, sign: char) -> char {
        let (difference, plain) = match sign {
            '\u{a0}' | '\u{2007}' | '\u{202f}' => (TextDifference::NoBreak, ' '),
            '\u{2011}' => (TextDifference::NoBreak, '-'),
            '\u{2018}'..='\u{201b}' | '\u{2032}' => (TextDifference::Typography, '\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' => (TextDifference::Typography, '"'),
            '\u{2010}' | '\u{2012}'..='\u{2015}' | '\u{2212}' => (TextDifference::Typography, '-'),
            _ => return sign,
        };
        if self.has(difference) { plain } else { sign }
    }

    /// The place in `text` of `found`, a place in the folded text.
    pub fn place_in(&self, text: &str, found: Range<usize>) -> Range<usize> {
        place_before(text, found, |start| self.apply(start).len())
    }
}

/// Whether a text of ASCII has white space that is not one space.
fn has_more_white_space(text: &str) -> bool {
    text.contains("  ") || text.contains(['\t', '\n', '\u{b}', '\u{c}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(text: &str, part: &str) -> Option<Vec<TextDifference>> {
        let finds = |fold: &TextFold| fold.apply(text).contains(&*fold.apply(part));
        let fold = TextFold::all().least(finds)?;
        Some(fold.differences().to_vec())
    }

    #[test]
    fn the_differences_that_are_needed_are_named() {
        use TextDifference::{
            Decomposed, Invisible, LetterCase, LineBreaks, NoBreak, Typography, WhiteSpace,
        };
        for (text, part, expected) in [
            ("total: 5 EUR", "5 EUR", Some(&[][..])),
            ("total: 5\u{a0}EUR", "5 EUR", Some(&[NoBreak])),
            ("total: 5\u{202f}eur", "5 EUR", Some(&[NoBreak, LetterCase])),
            ("one\r\ntwo", "one\ntwo", Some(&[LineBreaks])),
            ("one\n  two", "one two", Some(&[WhiteSpace])),
            ("pass\u{200b}word", "password", Some(&[Invisible])),
            ("cafe\u{301}", "caf\u{e9}", Some(&[Decomposed])),
            (
                "It\u{2019}s done \u{2014} now",
                "It's done - now",
                Some(&[Typography]),
            ),
            ("PASSWORD", "password", Some(&[LetterCase])),
            ("cafe", "caf\u{e9}", None),
            ("pass-word", "password", None),
        ] {
            assert_eq!(differences(text, part).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_place_is_found_again_in_the_text_as_it_was_said() {
        let text = "\u{201c}A\u{a0}  B\u{201d} said cafe\u{301}";
        let fold = TextFold::all();
        let folded = fold.apply(text).into_owned();
        assert_eq!(folded, "\"a b\" said caf\u{e9}");
        let start = folded.find("a b").unwrap();
        assert_eq!(&text[fold.place_in(text, start..start + 3)], "A\u{a0}  B");
    }
}
