//! The values of a test that differ from run to run, such as its thread: a recording has the names of their variables instead.
//!
//! Flows in: the variables that are known so far. Flows out: texts with `${NAME}` instead of a value, and texts with the values of
//! this run instead of `${NAME}`. A `${` that was there before is written `$${`, as in a test.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

use crate::compared_request::{TextChange, change_text, change_texts, change_value};
use crate::model_recording::{RecordedFrame, RecordedModelCall};
use ananke_agents::{ServedFrame, ServedResponse};
use ananke_model::variables::literal;
use ananke_trace::trace::{ModelAnswer, ModelRequest};

/// The fewest characters of a value that is looked for: shorter ones are parts of other texts by accident.
const SHORTEST: usize = 6;

/// The most characters of a value that is looked for.
const LONGEST: usize = 1000;

/// The references of a recorded text, and what is not one.
static REFERENCES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\$\{|\$\{([^{}]+)\}").ok());

/// The variables of a test whose values differ from run to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaneValues {
    plain: ValueTexts,
    /// The same values as they are inside of JSON.
    in_json: ValueTexts,
}

/// The texts of values, and the names of their variables.
#[derive(Clone, Debug, Default)]
struct ValueTexts {
    of_names: HashMap<String, String>,
    names: HashMap<String, String>,
    /// A search for values and beginnings of references; `None` if there are no values.
    search: Option<Regex>,
}

impl LaneValues {
    /// Variables with their values. If two have the same value, it has the name of the first one.
    pub(crate) fn new(variables: &[(String, String)]) -> Self {
        let mut in_json = Vec::new();
        for (name, value) in variables {
            let quoted = Value::from(value.as_str()).to_string();
            in_json.push((name.clone(), quoted[1..quoted.len() - 1].to_owned()));
        }
        Self {
            plain: ValueTexts::new(variables),
            in_json: ValueTexts::new(&in_json),
        }
    }

    /// The request with names instead of values.
    pub(crate) fn put_back_request(&self, request: &ModelRequest) -> ModelRequest {
        let mut request = request.clone();
        change_texts(&mut request, &mut |text| self.plain.put_back(text));
        request
    }

    /// The text with names instead of values.
    pub(crate) fn put_back_text(&self, text: &str) -> String {
        self.plain.put_back(text).into_owned()
    }

    /// The text, which is JSON or has no escapes, with names instead of values.
    pub(crate) fn put_back_json(&self, text: &str) -> String {
        self.in_json.put_back(text).into_owned()
    }

    /// The call with names instead of values. It has no frames if they do not show where the answer has a value; `read` is how its
    /// API reads them.
    pub(crate) fn put_back(
        &self,
        mut call: RecordedModelCall,
        read: fn(&str, ServedResponse) -> Option<ModelAnswer>,
    ) -> RecordedModelCall {
        call.request = self.put_back_request(&call.request);
        let before = call.answer.clone();
        change_answer(&mut call.answer, &mut |text| self.plain.put_back(text));
        for frame in &mut call.frames {
            change_text(&mut frame.text, &mut |text| self.in_json.put_back(text));
        }
        // A stream may have a value in pieces, which no frame shows: the replay would then send the value of the recorded run.
        if call.answer != before
            && read(&call.path, response_of(&call)).as_ref() != Some(&call.answer)
        {
            call.frames.clear();
        }
        call
    }

    /// The recorded call with the values of this run.
    pub(crate) fn filled(&self, call: &RecordedModelCall) -> RecordedModelCall {
        let mut call = call.clone();
        change_answer(&mut call.answer, &mut |text| self.plain.filled(text));
        for RecordedFrame { text, .. } in &mut call.frames {
            change_text(text, &mut |text| self.in_json.filled(text));
        }
        call
    }
}

impl ValueTexts {
    fn new(variables: &[(String, String)]) -> Self {
        let mut texts = Self::default();
        let mut searched: Vec<&str> = Vec::new();
        for (name, value) in variables {
            texts.of_names.insert(name.clone(), value.clone());
            let length = value.chars().count();
            if (SHORTEST..=LONGEST).contains(&length) && !texts.names.contains_key(value) {
                texts.names.insert(value.clone(), name.clone());
                searched.push(value);
            }
        }
        if searched.is_empty() {
            return texts;
        }
        // The first alternative that matches counts, so that a value comes before those that it begins with.
        searched.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let mut pattern = r"\$\{".to_owned();
        for value in searched {
            pattern.push('|');
            pattern.push_str(&regex::escape(value));
        }
        texts.search = Regex::new(&pattern).ok();
        texts
    }

    /// The text with names instead of values.
    fn put_back<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Without a value there is nothing to find, but a `${` of the text has to survive the replay.
        let Some(search) = &self.search else {
            return if text.contains("${") {
                Cow::Owned(literal(text))
            } else {
                Cow::Borrowed(text)
            };
        };
        search.replace_all(text, |found: &Captures<'_>| {
            let value = &found[0];
            let Some(name) = self.names.get(value) else {
                return literal(value);
            };
            if let Some(whole) = found.get(0)
                && is_whole_word(text, whole.start(), whole.end())
            {
                format!("${{{name}}}")
            } else {
                value.to_owned()
            }
        })
    }

    /// The text with values instead of names. A name that is not known stays.
    fn filled<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(references) = &*REFERENCES else {
            return Cow::Borrowed(text);
        };
        references.replace_all(text, |found: &Captures<'_>| match found.get(1) {
            None => "${".to_owned(),
            Some(name) => match self.of_names.get(name.as_str()) {
                Some(value) => value.clone(),
                None => found[0].to_owned(),
            },
        })
    }
}

/// Whether no letter and no digit continues the part of a text, but for the letter of an escape such as `\n`.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let mut before = text[..start].chars().rev();
    let is_begun = match before.next() {
        Some(character) if character.is_alphanumeric() => before.next() != Some('\\'),
        _ => false,
    };
    let is_continued = text[end..].starts_with(char::is_alphanumeric);
    !is_begun && !is_continued
}

/// The response that the frames of a call are.
fn response_of(call: &RecordedModelCall) -> ServedResponse {
    let mut frames = Vec::new();
    // The moments of frames say nothing about what they mean.
    for frame in &call.frames {
        frames.push(ServedFrame {
            after: std::time::Duration::ZERO,
            bytes: frame.text.clone().into(),
        });
    }
    ServedResponse::new(200, &call.content_type, frames)
}

/// Changes the text, the reasoning and the arguments of calls, because a model repeats values in each of them.
fn change_answer(answer: &mut ModelAnswer, with: &mut TextChange<'_>) {
    change_text(&mut answer.text, with);
    change_text(&mut answer.reasoning, with);
    for call in &mut answer.calls {
        change_value(&mut call.args, with);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model_recording::tests::call;

    fn values(pairs: &[(&str, &str)]) -> LaneValues {
        let mut variables = Vec::new();
        for (name, value) in pairs {
            variables.push(((*name).to_owned(), (*value).to_owned()));
        }
        LaneValues::new(&variables)
    }

    fn response(text: &str) -> String {
        json!({ "text": text }).to_string()
    }

    /// The answer with the text of the last frame.
    fn read(_: &str, response: ServedResponse) -> Option<ModelAnswer> {
        let last = response.frames.into_iter().next_back()?;
        let document: Value = serde_json::from_slice(&last.bytes).ok()?;
        Some(ModelAnswer {
            text: document["text"].as_str()?.to_owned(),
            ..ModelAnswer::default()
        })
    }

    #[test]
    fn whole_values_have_the_names_of_their_variables() {
        let known = values(&[
            ("THREAD_ID", "thread-1"),
            ("LONG", "thread-1-long"),
            ("SAME", "thread-1"),
            ("SHORT", "abc"),
        ]);
        for (text, expected) in [
            ("in thread-1.", "in ${THREAD_ID}."),
            ("thread-1-long", "${LONG}"),
            ("thread-12 athread-1 abc", "thread-12 athread-1 abc"),
            ("thread-1/thread-1", "${THREAD_ID}/${THREAD_ID}"),
            ("echo ${HOME} $${HOME}", "echo $${HOME} $$${HOME}"),
        ] {
            assert_eq!(known.plain.put_back(text), expected);
            assert_eq!(known.plain.filled(expected), text);
        }
        // Without a value, the text is the same again as well.
        let none = LaneValues::default();
        assert_eq!(none.plain.put_back("${A} $${B}"), "$${A} $$${B}");
        assert_eq!(none.plain.filled("$${A} ${B}"), "${A} ${B}");
    }

    #[test]
    fn a_replay_sends_the_values_of_its_run() {
        let mut recorded = call("a");
        recorded.answer.text = "Your \"thread\" is\nthread-1".to_owned();
        recorded.answer.usage = None;
        recorded.frames[0].text = response(&recorded.answer.text);
        let put_back = values(&[("THREAD_ID", "thread-1")]).put_back(recorded.clone(), read);
        assert_eq!(put_back.answer.text, "Your \"thread\" is\n${THREAD_ID}");
        let filled = values(&[("THREAD_ID", "t\"2")]).filled(&put_back);
        assert_eq!(filled.answer.text, "Your \"thread\" is\nt\"2");
        assert_eq!(filled.frames[0].text, response(&filled.answer.text));
        let same = values(&[("THREAD_ID", "thread-1")]).filled(&put_back);
        assert_eq!(same.frames, recorded.frames);
    }

    #[test]
    fn a_stream_with_a_value_in_pieces_has_no_frames() {
        let mut recorded = call("a");
        recorded.answer.text = "thread-1".to_owned();
        recorded.frames = Vec::new();
        for piece in ["thre", "ad-1"] {
            recorded.frames.push(RecordedFrame {
                at_us: 1,
                text: response(piece),
            });
        }
        let put_back = values(&[("THREAD_ID", "thread-1")]).put_back(recorded, read);
        assert_eq!(put_back.answer.text, "${THREAD_ID}");
        assert!(put_back.frames.is_empty());
    }

    #[test]
    fn values_of_any_size_are_bounded() {
        let long = "x".repeat(100_000);
        let known = values(&[("LONG", &long), ("ID", "order-77")]);
        assert_eq!(known.plain.put_back("order-77"), "${ID}");
        assert_eq!(known.plain.put_back(&long), long.as_str());
    }
}
