//! Near misses of texts: a text that is not found, though a person who reads the answer would say that it is there (SPEC 7.4).
//!
//! A needle and a text flow in; the place where it nearly occurs, and the differences in words, come out. **Invariant:** what
//! occurs as it is has no near miss, and quotes are of the text as it was said.

use std::ops::Range;

use crate::needle::{Needle, TextMatcher};
use ananke_base::text::{TextDifference, TextFold, all_of};
use ananke_model::variables::{Pattern, Patterns};

/// The longest text that is looked at once more, in bytes.
const LONGEST: usize = 1 << 20;

/// The fewest letters of a prohibited literal whose letter case may differ.
const FEWEST_LETTERS: usize = 4;

/// The rule that looks for a near miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NearFor {
    Requirement,
    Prohibition,
}

/// A place where a text nearly occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NearText {
    /// The place in the text as it was said.
    pub(crate) place: Range<usize>,
    fold: TextFold,
}

impl NearText {
    /// The first place where `needle` nearly occurs in `text`, in which it does not occur.
    pub(crate) fn find(needle: &Needle, text: &str, by: NearFor) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let form = needle.compared.form;
        let text_in_form = form.apply(text);
        let matcher = FoldedMatcher::of(&needle.matcher, by)?;
        let all = if matcher.folds_case() {
            TextFold::all()
        } else {
            TextFold::of_characters()
        };
        let fold = all.least(|fold| matcher.find(&text_in_form, fold).is_some())?;
        if fold.differences().is_empty() {
            return None;
        }
        let found = matcher.find(&text_in_form, &fold)?;
        let place = fold.place_in(&text_in_form, found);
        Some(Self {
            place: form.place_in(text, place),
            fold,
        })
    }

    /// The differences in words, after "it occurs", and what ignores them.
    pub(crate) fn words(&self) -> String {
        differences_in_words(&self.fold)
    }
}

/// The differences between two whole texts in words, if a person takes them for the same.
pub(crate) fn whole_differences(wanted: &str, text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let fold = TextFold::all().least(|fold| is_whole(wanted, text, fold))?;
    Some(differences_in_words(&fold))
}

fn is_whole(wanted: &str, text: &str, fold: &TextFold) -> bool {
    let wanted = fold.apply(wanted);
    let text = fold.apply(text);
    if fold.has(TextDifference::WhiteSpace) {
        wanted.trim() == text.trim()
    } else {
        wanted == text
    }
}

fn differences_in_words(fold: &TextFold) -> String {
    let differences = fold.differences();
    let words: Vec<&str> = differences
        .iter()
        .map(|difference| difference.words())
        .collect();
    let is_normalised = differences.iter().all(|difference| {
        matches!(
            difference,
            TextDifference::Invisible | TextDifference::Decomposed
        )
    });
    let advice = match differences {
        [TextDifference::LetterCase] => ", which `(?i)` in a pattern ignores",
        _ if is_normalised => ", which `normalise: [nfc, invisible]` ignores",
        _ => "",
    };
    format!("{}{advice}", all_of(&words))
}

/// The text that is looked for in folded texts.
enum FoldedMatcher<'n> {
    Literal {
        text: &'n str,
        folds_case: bool,
    },
    /// A pattern, and the same without regard to case if that may differ.
    Pattern {
        pattern: &'n Pattern,
        in_any_case: Option<Pattern>,
    },
}

impl<'n> FoldedMatcher<'n> {
    fn of(matcher: &'n TextMatcher, by: NearFor) -> Option<Self> {
        match matcher {
            TextMatcher::Literal(text) => {
                let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
                let folds_case = by == NearFor::Requirement || letters >= FEWEST_LETTERS;
                Some(Self::Literal { text, folds_case })
            }
            TextMatcher::Pattern(pattern) => {
                let in_any_case = match by {
                    NearFor::Requirement => in_any_case(pattern),
                    NearFor::Prohibition => None,
                };
                Some(Self::Pattern {
                    pattern,
                    in_any_case,
                })
            }
            TextMatcher::Whole(_) | TextMatcher::Json(_) => None,
        }
    }

    fn folds_case(&self) -> bool {
        match self {
            Self::Literal { folds_case, .. } => *folds_case,
            Self::Pattern { in_any_case, .. } => in_any_case.is_some(),
        }
    }

    /// The place in the folded text.
    fn find(&self, text: &str, fold: &TextFold) -> Option<Range<usize>> {
        let folded = fold.apply(text);
        match self {
            Self::Literal { text, .. } => {
                let wanted = fold.apply(text);
                let start = folded.find(&*wanted)?;
                Some(start..start + wanted.len())
            }
            Self::Pattern {
                in_any_case: Some(pattern),
                ..
            } if fold.has(TextDifference::LetterCase) => pattern.find(&folded),
            Self::Pattern { pattern, .. } => pattern.find(&folded),
        }
    }
}

/// The pattern without regard to case; `None` if it cannot be compiled.
fn in_any_case(pattern: &Pattern) -> Option<Pattern> {
    let mut folded = Pattern::check(&format!("(?i){}", pattern.as_str())).ok()?;
    folded.start(&mut Patterns::default()).ok()?;
    Some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needle::ComparedText;

    fn needle(matcher: TextMatcher) -> Needle {
        let needle = Needle {
            matcher,
            compared: ComparedText::default(),
        };
        needle.started(&mut Patterns::default()).unwrap()
    }

    fn near(matcher: TextMatcher, text: &str, by: NearFor) -> Option<(String, String)> {
        let found = NearText::find(&needle(matcher), text, by)?;
        Some((text[found.place.clone()].to_owned(), found.words()))
    }

    #[test]
    fn a_near_miss_is_quoted_as_it_was_said() {
        let literal = |text: &str| TextMatcher::Literal(text.to_owned());
        let pattern = |text: &str| TextMatcher::Pattern(Pattern::check(text).unwrap());
        for (matcher, text, place, words) in [
            (
                literal("5 EUR"),
                "costs 5\u{a0}EUR.",
                "5\u{a0}EUR",
                "with a no-break space or hyphen",
            ),
            (
                pattern("costs \\d+ EUR"),
                "it costs\n 5\u{a0}eur",
                "costs\n 5\u{a0}eur",
                "with other white space and in another letter case",
            ),
            (
                literal("Password"),
                "the pass\u{ad}word",
                "pass\u{ad}word",
                "with an invisible character and in another letter case",
            ),
            (
                literal("caf\u{e9}"),
                "cafe\u{301}",
                "cafe\u{301}",
                "with letters and their marks apart, which `normalise: [nfc, invisible]` ignores",
            ),
            (
                pattern("^Done"),
                "done",
                "done",
                "in another letter case, which `(?i)` in a pattern ignores",
            ),
        ] {
            let found = near(matcher, text, NearFor::Requirement).expect(text);
            assert_eq!(found, (place.to_owned(), words.to_owned()));
        }
    }

    #[test]
    fn a_prohibition_folds_the_case_of_words_alone() {
        let is_near = |matcher, text| near(matcher, text, NearFor::Prohibition).is_some();
        assert!(is_near(TextMatcher::Literal("refund".to_owned()), "REFUND"));
        assert!(!is_near(TextMatcher::Literal("US 5".to_owned()), "us 5"));
        assert!(!is_near(
            TextMatcher::Literal("refund".to_owned()),
            "re-fund"
        ));
        let pattern = TextMatcher::Pattern(Pattern::check("refund").unwrap());
        assert!(!is_near(pattern.clone(), "REFUND"));
        assert!(is_near(pattern, "re\u{200b}fund"));
        let long = format!("{}REFUND", " ".repeat(LONGEST));
        assert!(!is_near(TextMatcher::Literal("refund".to_owned()), &long));
    }

    #[test]
    fn whole_texts_differ_in_the_same_ways() {
        for (wanted, text, words) in [
            ("a b\n", "a b", Some("with other white space")),
            ("a b", "a\n b", Some("with other white space")),
            (
                "Ab",
                "aB",
                Some("in another letter case, which `(?i)` in a pattern ignores"),
            ),
            ("a\u{a0}b", "a b", Some("with a no-break space or hyphen")),
            ("a", "b", None),
        ] {
            assert_eq!(whole_differences(wanted, text).as_deref(), words, "{text}");
        }
    }
}
