//! The output of a hook that fails: as secret as if it had succeeded.
//!
//! Flows in: its output. Flows out: the variables that it would have given, and what of it may be shown.

use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use ananke_model::variables::{is_name, is_reserved};
use ananke_trace::process::Tail;
use ananke_trace::redact::MASK;

/// The number of letters and digits of a word that may be a secret, in output that is not JSON (SPEC 3).
const SHORTEST_WORD: usize = 12;

/// The number of bytes that are read of an output that is not JSON: more than is quoted of it.
const LOOKED_AT: usize = 64 << 10;

/// The output of a hook that may fail.
pub(super) struct UnreadOutput {
    /// The variables that the hook would have given.
    pub(super) gave: Map<String, Value>,
    /// The part of the output that may be shown.
    pub(super) shown: Vec<u8>,
    /// The words of the output that may be secrets.
    words: HashSet<String>,
}

impl UnreadOutput {
    /// The variables in the output of a hook that fails, and the part of the output that may be shown.
    pub(super) fn of(output: &[u8]) -> Self {
        // If the output is an object, the caller masks the values of its variables, so that all of it may be shown. Other keys
        // could not become variables.
        if let Ok(Value::Object(mut gave)) = serde_json::from_slice(output) {
            gave.retain(|name, _| is_name(name) && !is_reserved(name));
            return Self {
                gave,
                shown: output.to_vec(),
                words: HashSet::new(),
            };
        }
        // Otherwise nothing shows which part would have been the value of a variable. So every long word may be a secret and is
        // masked: here, and by `errors` in stderr, which needs the words for that.
        let text = String::from_utf8_lossy(&output[..output.len().min(LOOKED_AT)]);
        let places = words(&text).into_iter();
        let words = places.map(|place| text[place].to_owned()).collect();
        let mut shown = masked(&text, |_| true);
        if output.len() > LOOKED_AT {
            shown.push('…');
        }
        Self {
            gave: Map::new(),
            shown: shown.into_bytes(),
            words,
        }
    }

    /// The part of `errors` that may be shown: not the words that may be secrets.
    pub(super) fn errors(&self, errors: Tail) -> Tail {
        if self.words.is_empty() {
            return errors;
        }
        errors.map(|text| masked(text, |word| self.words.contains(word)))
    }
}

/// `text` with a mask instead of every long word that `is_secret`.
fn masked(text: &str, is_secret: impl Fn(&str) -> bool) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for word in words(text) {
        if is_secret(&text[word.clone()]) {
            masked += &text[done..word.start];
            masked += MASK;
            done = word.end;
        }
    }
    masked + &text[done..]
}

/// The places of the words of `text` that are long enough to be secrets. A word consists of letters, digits, `-` and `_`, since
/// keys of APIs do; only its letters and digits count for its length.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    // The start of the current word, and the number of its letters and digits so far.
    let mut start = 0;
    let mut length = 0;
    for (at, character) in text.char_indices() {
        if character.is_alphanumeric() {
            length += 1;
        } else if character != '-' && character != '_' {
            if length >= SHORTEST_WORD {
                words.push(start..at);
            }
            start = at + character.len_utf8();
            length = 0;
        }
    }
    // The last word ends with the text.
    if length >= SHORTEST_WORD {
        words.push(start..text.len());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_have_been_given_is_known() {
        let unread = UnreadOutput::of(br#"{"TOKEN": "a", "bad-name": "b", "ENV": "c"}"#);
        assert_eq!(
            Value::Object(unread.gave),
            serde_json::json!({ "TOKEN": "a" })
        );
    }

    #[test]
    fn long_words_of_what_is_not_json_are_masked() {
        for (output, expected) in [
            ("token: abcdef123456 (new)", "token: *** (new)"),
            ("abc-DEF_123-456-é7", "***"),
            (
                "short words only, 1234567890",
                "short words only, 1234567890",
            ),
            ("[\"abcdef123456\"]", "[\"***\"]"),
            ("", ""),
        ] {
            let unread = UnreadOutput::of(output.as_bytes());
            assert_eq!(String::from_utf8(unread.shown).unwrap(), expected);
        }
    }

    #[test]
    fn errors_repeat_no_such_word() {
        let unread = UnreadOutput::of(b"login as abcdef123456");
        let mut errors = Tail::of(1000);
        errors.push(b"NoSuchElementError: abcdef123456 refused");
        assert_eq!(
            unread.errors(errors).lines(),
            "NoSuchElementError: *** refused"
        );
    }
}
