//! The one object that an answer is, or ends with.
//!
//! Flows in: what a helper says. Flows out: the object, as it is written and as what it means, and the prose before it.
//! **Invariant:** an object within a sentence, or before other text, is a quotation and never the answer.

use serde_json::{Map, Value};

use super::answer_text::AnswerObject;
use ananke_base::source::received_json;

/// The mark at the beginning and the end of a block of code.
const FENCE: &str = "```";

/// The object that an answer is, or ends with: alone, in the only fenced block, or from the beginning of a line on.
#[derive(Debug)]
pub(super) struct FinalObject<'t> {
    /// The text before it.
    pub(super) prose: &'t str,
    pub(super) written: &'t str,
    /// The first key that the object has twice, if there is one.
    duplicate_key: Option<String>,
    meaning: Map<String, Value>,
    /// The other meanings of the object, if duplicate keys have different values.
    other_meanings: Vec<Map<String, Value>>,
}

impl<'t> FinalObject<'t> {
    /// The object that `answer` consists of or ends with: in its only fenced block, or from the beginning of a line to the end.
    /// `None` if it does not end so. An object at another place is a quotation.
    pub(super) fn find(answer: &'t str) -> Option<Self> {
        let answer = answer.trim();
        if answer.ends_with(FENCE) {
            let (prose, block) = only_block(answer)?;
            return Self::parse(prose, block);
        }
        if !answer.ends_with('}') {
            return None;
        }
        // The first line counts from which the rest is one object. The object may contain objects that begin in later lines.
        for start in line_starts(answer) {
            let (prose, written) = answer.split_at(start);
            if written.starts_with('{')
                && let Some(object) = Self::parse(prose, written)
            {
                // An odd number of fences before the object opens a block that does not end, so the object is an example.
                let is_in_block = !fences(prose).count().is_multiple_of(2);
                return if is_in_block { None } else { Some(object) };
            }
        }
        None
    }

    /// The object that `written` is as JSON, after the text `prose`; `None` if it is anything else.
    fn parse(prose: &'t str, written: &'t str) -> Option<Self> {
        let written = written.trim();
        let read = received_json::read(written).ok()?;
        let Value::Object(meaning) = read.value else {
            return None;
        };
        // If a key is duplicated, it depends on the reader of JSON which value counts. `read` compares all meanings, so all are
        // kept.
        let mut other_meanings = Vec::new();
        for value in read.other_values {
            let Value::Object(fields) = value else {
                return None;
            };
            other_meanings.push(fields);
        }
        Some(Self {
            prose,
            written,
            duplicate_key: read.oddities.duplicate_key,
            meaning,
            other_meanings,
        })
    }

    /// Whether it has one of `keys`.
    pub(super) fn has_one_of(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.meaning.contains_key(*key))
    }

    /// The answer that `read` finds in the fields of the object. If the object has duplicate keys, `read` must find the same
    /// answer whichever of their values counts.
    ///
    /// # Errors
    /// If `read` fails, or if duplicate keys lead to different answers.
    pub(super) fn read<T: PartialEq>(
        &self,
        read: impl Fn(AnswerObject<'_>) -> Result<T, String>,
    ) -> Result<T, String> {
        let answer = read(AnswerObject(&self.meaning))?;
        for other_meaning in &self.other_meanings {
            if read(AnswerObject(other_meaning)).as_ref() != Ok(&answer) {
                let key = self.duplicate_key.as_deref().unwrap_or_default();
                return Err(format!("an object with two different values of `{key}`"));
            }
        }
        Ok(answer)
    }
}

/// The text before the only fenced block of an answer that ends with it, and the content of the block.
fn only_block(answer: &str) -> Option<(&str, &str)> {
    let inside = answer.strip_suffix(FENCE)?;
    let mut fences = fences(inside);
    let start = fences.next()?;
    if fences.next().is_some() {
        return None;
    }
    let (prose, block) = inside.split_at(start);
    let (_, inside) = block.split_once('\n')?;
    Some((prose, inside))
}

/// The offsets of lines that begin with a fence.
fn fences(text: &str) -> impl Iterator<Item = usize> {
    line_starts(text).filter(|start| text[*start..].starts_with(FENCE))
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answer: &str) -> Option<(&str, &str)> {
        FinalObject::find(answer).map(|object| (object.prose, object.written))
    }

    #[test]
    fn the_object_is_alone_in_the_only_block_or_at_the_end() {
        for (answer, prose, written) in [
            (" {\"a\": 1}\n", "", "{\"a\": 1}"),
            (
                "{\n  \"a\":\n{\"b\": 1}\n}",
                "",
                "{\n  \"a\":\n{\"b\": 1}\n}",
            ),
            ("```json\n{\"a\": 1}\n```", "", "{\"a\": 1}"),
            ("```\r\n{\"a\": \"```\"}\r\n```\r\n", "", "{\"a\": \"```\"}"),
            ("So:\n```\n{}```", "So:\n", "{}"),
            ("{so far}\nSo:\n{\"a\": 1}", "{so far}\nSo:\n", "{\"a\": 1}"),
            ("{\"a\": 1}\n{\"a\": 2}", "{\"a\": 1}\n", "{\"a\": 2}"),
            ("```\ncode\n```\n{}", "```\ncode\n```\n", "{}"),
        ] {
            assert_eq!(found(answer), Some((prose, written)), "{answer}");
        }
    }

    #[test]
    fn an_object_in_another_place_is_none() {
        for answer in [
            "",
            "{",
            "[{}]",
            "It says {\"a\": 1}",
            "{\"a\": 1} it says",
            "{\"a\": 1}\nThat is all.",
            "> {\"a\": 1}",
            "- {\"a\": 1}",
            "So:\n    {\"a\": 1}",
            "`{\"a\": 1}`",
            "{\"a\": 1}{\"a\": 2}",
            "So:\n```\n{\"a\": 1}",
            "```\n{\"a\": 1}\n```\nThat is all.",
            "```\n{\"a\": 1}\n```\n```\n{\"a\": 2}\n```",
            "```\nSo: {\"a\": 1}\n```",
            "So: ```\n{\"a\": 1}\n```",
            "{'a': 1}",
            "{\"a\": 1,}",
        ] {
            assert_eq!(found(answer), None, "{answer}");
        }
    }

    #[test]
    fn duplicate_keys_must_mean_the_same() {
        let read = |answer: &str| {
            let object = FinalObject::find(answer).unwrap();
            object.read(|object| object.text("a"))
        };
        assert_eq!(read(r#"{"a": "b", "a": " b "}"#), Ok(Some("b".to_owned())));
        assert_eq!(
            read(r#"{"a": "b", "c": 1, "c": 2}"#),
            Ok(Some("b".to_owned()))
        );
        assert_eq!(
            read(r#"{"a": "b", "a": "c"}"#),
            Err("an object with two different values of `a`".to_owned())
        );
        assert!(read(r#"{"a": "b", "a": 1}"#).is_err());
    }

    #[test]
    fn a_hostile_text_is_read_in_bounded_time() {
        for piece in [
            "{\n",
            "{\"a\":\n",
            "{\"a\":[{\n",
            "{}\n",
            "```\n",
            "{\"a\":1,\n",
        ] {
            assert_eq!(found(&(piece.repeat(5_000) + "]}")), None, "{piece}");
        }
    }
}
