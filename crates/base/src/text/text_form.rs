//! Forms in which texts are compared: as written, composed, without invisible characters.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use regex::Regex;

/// The characters that Unicode shows as nothing: zero-width spaces and joiners, soft hyphens, directional marks, variation
/// selectors, tags.
static INVISIBLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\p{Default_Ignorable_Code_Point}+").ok());

/// The form in which texts are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextForm {
    /// Whether letters are composed with their marks (NFC).
    pub is_composed: bool,
    /// Whether invisible characters are removed.
    pub is_visible: bool,
}

impl TextForm {
    /// The text in this form. Invisible characters are removed first: they part a letter from its mark.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        let visible = match &*INVISIBLE {
            Some(invisible) if self.is_visible => invisible.replace_all(text, ""),
            _ => Cow::Borrowed(text),
        };
        if !self.is_composed {
            return visible;
        }
        match visible {
            Cow::Borrowed(text) => composed(text),
            Cow::Owned(text) => Cow::Owned(composed(&text).into_owned()),
        }
    }

    /// The place in `text` of `found`, a place in the text in this form.
    pub fn place_in(self, text: &str, found: Range<usize>) -> Range<usize> {
        if self == Self::default() {
            return found;
        }
        place_before(text, found, |start| self.apply(start).len())
    }
}

/// The place in `text` of `found`, a place in the text as it is compared; `length` is that of a start of it as it is compared.
pub(super) fn place_before(
    text: &str,
    found: Range<usize>,
    length: impl Fn(&str) -> usize,
) -> Range<usize> {
    let ends: Vec<usize> = (text.char_indices().map(|(start, _)| start))
        .chain([text.len()])
        .collect();
    // The last end before the match, and the first after it.
    let start = ends.partition_point(|end| length(&text[..*end]) <= found.start);
    let end = ends.partition_point(|end| length(&text[..*end]) < found.end);
    let last = ends.len() - 1;
    let start = ends[start.saturating_sub(1)];
    start..ends[end.min(last)].max(start)
}

fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPOSED: TextForm = TextForm {
        is_composed: true,
        is_visible: false,
    };
    const VISIBLE: TextForm = TextForm {
        is_composed: false,
        is_visible: true,
    };
    const BOTH: TextForm = TextForm {
        is_composed: true,
        is_visible: true,
    };

    #[test]
    fn each_form_changes_what_it_names() {
        for (form, text, expected) in [
            (TextForm::default(), "e\u{301}\u{200b}", "e\u{301}\u{200b}"),
            (COMPOSED, "cafe\u{301}", "caf\u{e9}"),
            (COMPOSED, "\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
            (COMPOSED, "a\u{200b}b", "a\u{200b}b"),
            // Compatibility forms are other characters.
            (COMPOSED, "\u{fb01}", "\u{fb01}"),
            (
                VISIBLE,
                "\u{feff}pa\u{ad}ss\u{200b}wo\u{2060}rd\u{200d}",
                "password",
            ),
            (VISIBLE, "e\u{301}", "e\u{301}"),
            (BOTH, "e\u{200b}\u{301}", "\u{e9}"),
            (BOTH, "a b\tc\n", "a b\tc\n"),
        ] {
            assert_eq!(form.apply(text), expected, "{form:?} {text:?}");
        }
    }

    #[test]
    fn a_match_is_found_again_in_the_text_as_it_was_said() {
        let text = "cafe\u{301} pass\u{200b}word \u{200b}e\u{301}!";
        let in_form = BOTH.apply(text).into_owned();
        for (part, expected) in [
            ("caf\u{e9}", "cafe\u{301}"),
            ("password", "pass\u{200b}word"),
            ("!", "!"),
        ] {
            let start = in_form.find(part).unwrap();
            let place = BOTH.place_in(text, start..start + part.len());
            let place = &text[place];
            assert_eq!(BOTH.apply(place), part);
            assert!(place.contains(expected), "{place:?}");
        }
        assert_eq!(BOTH.place_in("", 0..0), 0..0);
        assert_eq!(TextForm::default().place_in("ab", 1..2), 1..2);
    }
}
