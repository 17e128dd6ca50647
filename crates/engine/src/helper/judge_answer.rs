//! From what a judge says to its verdict.
//!
//! **Invariant:** what is not clear is no answer. Two verdicts that contradict each other are no pass, and neither is one
//! that has to be guessed.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::{Number, Value};

use super::answer_object::AnswerObject;
use super::answer_text::shown;
use super::json_values::{JsonValue, json_values};
use ananke_trace::outcome::JudgeAnswer;
use ananke_trace::trace::is_same_number;

/// The longest answer that is read, in bytes.
const LONGEST: usize = 64 << 10;

/// How many suggestions are kept.
const MOST_SUGGESTIONS: usize = 20;

/// What begins a line that is a verdict, and what it says.
const LINES: [(&str, bool); 2] = [("PASS:", true), ("FAIL:", false)];

/// The verdict in what a judge says: a JSON object with `passed`, or a line that begins with `PASS:` or `FAIL:`.
///
/// # Errors
/// If there is none, or more than one; the words after `the judge answered with` say what there is instead.
pub fn read_judge_answer(text: &str) -> Result<JudgeAnswer, String> {
    if text.trim().is_empty() {
        return Err("nothing".to_owned());
    }
    if text.len() > LONGEST {
        return Err(format!(
            "{} bytes, of which at most {LONGEST} are read",
            text.len()
        ));
    }
    let values = json_values(text)?;
    let (mut answers, mut other) = (Vec::new(), None);
    for (range, value) in &values {
        match value {
            JsonValue::Object(entries) if entries.iter().any(|(key, _)| key == "passed") => {
                answers.push(of_object(entries)?);
            }
            JsonValue::Object(_) => other = other.or(Some(("an object without `passed`", range))),
            JsonValue::List => other = other.or(Some(("a list", range))),
        }
    }
    answers.extend(of_lines(text, values.iter().map(|(range, _)| range)));
    let mut answers = answers.into_iter();
    match (answers.next(), other) {
        (Some(first), _) => {
            let contradicts = |other: JudgeAnswer| {
                other.passed != first.passed
                    || other.score.is_some_and(|score| {
                        first
                            .score
                            .as_ref()
                            .is_none_or(|first| !is_same_number(first, &score))
                    })
            };
            if answers.any(contradicts) {
                return Err(format!(
                    "verdicts that contradict each other: {}",
                    shown(text)
                ));
            }
            Ok(first)
        }
        (None, Some((what, range))) => Err(format!("{what}: {}", shown(&text[range.clone()]))),
        (None, None) => Err(format!("no verdict: {}", shown(text))),
    }
}

/// The verdict that an object gives.
fn of_object(entries: &[(String, Value)]) -> Result<JudgeAnswer, String> {
    let object = AnswerObject(entries);
    let passed = object.value("passed")?;
    let Value::Bool(passed) = *passed else {
        return Err(AnswerObject::wrong("passed", passed, "`true` or `false`"));
    };
    if let Value::Bool(other) = *object.value("pass")?
        && other != passed
    {
        return Err("an object whose `passed` and `pass` contradict each other".to_owned());
    }
    let score: Option<Number> = match object.value("score")? {
        Value::Null => None,
        Value::Number(score) => Some(score.clone()),
        other => return Err(AnswerObject::wrong("score", other, "a number")),
    };
    let reason = object.text("reason")?.unwrap_or_default();
    let suggestions = match object.value("suggestions")? {
        Value::Null => Vec::new(),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(|text| text.trim().to_owned()))
            .take(MOST_SUGGESTIONS)
            .collect::<Option<_>>()
            .ok_or_else(|| {
                AnswerObject::wrong(
                    "suggestions",
                    &Value::Array(items.clone()),
                    "a list of texts",
                )
            })?,
        other => return Err(AnswerObject::wrong("suggestions", other, "a list of texts")),
    };
    Ok(JudgeAnswer {
        passed,
        score,
        reason,
        suggestions,
    })
}

/// The verdicts that lines outside of JSON give, each with the text up to the next one as its reason.
fn of_lines<'r>(text: &str, values: impl Iterator<Item = &'r Range<usize>>) -> Vec<JudgeAnswer> {
    let values: Vec<&Range<usize>> = values.collect();
    let mut answers: Vec<JudgeAnswer> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        // The ranges are in their order.
        let index = values.partition_point(|range| range.end <= at);
        let is_json = values.get(index).is_some_and(|range| range.contains(&at));
        let words = line.trim().trim_start_matches(['*', '#', ' ']);
        let verdict = LINES
            .iter()
            .find_map(|(word, passed)| Some((words.strip_prefix(word)?, *passed)));
        match (verdict.filter(|_| !is_json), answers.last_mut()) {
            (Some((reason, passed)), _) => {
                let reason = reason.trim_start_matches(['*', ' ']).to_owned();
                answers.push(JudgeAnswer {
                    passed,
                    score: None,
                    reason,
                    suggestions: Vec::new(),
                });
            }
            (None, Some(JudgeAnswer { reason, .. })) => {
                let _ = write!(reason, "\n{}", line.trim_end());
            }
            (None, None) => {}
        }
    }
    for JudgeAnswer { reason, .. } in &mut answers {
        *reason = reason.trim().to_owned();
    }
    answers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of answers; those from the third on reject, or are not clear.
    const PIECES: [&str; 8] = [
        "{\"passed\": true}\n",
        "PASS: fine\n",
        "{\"passed\": false}\n",
        "FAIL: no\n",
        "{\"passed\": \"true\"}\n",
        "{\"passed\":\n",
        "[{\"passed\": true}]\n",
        "It passed, {I think}.\n",
    ];

    proptest! {
        /// Whatever the pieces: nothing but a yes that nothing contradicts is a pass.
        #[test]
        fn no_answer_passes_by_accident(pieces in prop::collection::vec(0..PIECES.len(), 0..6), noise in ".{0,20}") {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            if read_judge_answer(&text).is_ok_and(|answer| answer.passed) {
                prop_assert!(pieces.iter().any(|piece| *piece < 2), "{text}");
                prop_assert!(!pieces.iter().any(|piece| (2..6).contains(piece)), "{text}");
            }
            let _ = read_judge_answer(&(text + &noise));
        }
    }

    fn read(text: &str) -> Result<(bool, Option<f64>, String), String> {
        let JudgeAnswer {
            passed,
            score,
            reason,
            ..
        } = read_judge_answer(text)?;
        Ok((passed, score.and_then(|score| score.as_f64()), reason))
    }

    #[test]
    fn a_verdict_is_an_object_or_a_line() {
        for (text, expected) in [
            (r#"{"passed": true}"#, (true, None, "")),
            (
                r#"{"passed": false, "score": 0.25, "reason": " no ", "suggestions": null}"#,
                (false, Some(0.25), "no"),
            ),
            (
                "```json\n{\"passed\": true, \"score\": 1}\n```",
                (true, Some(1.0), ""),
            ),
            (
                "Let me see {so far}.\n{\"passed\": false}\nThat is all.",
                (false, None, ""),
            ),
            (
                "The agent called {\"tool\": \"pay\"}.\n{\"passed\": true}",
                (true, None, ""),
            ),
            ("PASS: it is polite", (true, None, "it is polite")),
            (
                "I looked at it.\n**FAIL:** no total\nand no date\n",
                (false, None, "no total\nand no date"),
            ),
            (
                "{\"passed\": true, \"score\": 0.5, \"reason\": \"ok\"}\nPASS: ok",
                (true, Some(0.5), "ok"),
            ),
            ("{\"passed\": true, \"pass\": true}", (true, None, "")),
        ] {
            let (passed, score, reason) = expected;
            assert_eq!(read(text), Ok((passed, score, reason.to_owned())), "{text}");
        }
    }

    #[test]
    fn suggestions_are_texts() {
        let answer =
            read_judge_answer(r#"{"passed": false, "suggestions": ["say the total", "be brief"]}"#);
        assert_eq!(answer.unwrap().suggestions, ["say the total", "be brief"]);
    }

    #[test]
    fn what_is_not_clear_is_no_answer() {
        for (text, expected) in [
            (" \n", "nothing"),
            ("true", "no verdict: true"),
            ("I think it passed.", "no verdict: I think"),
            ("pass: ok", "no verdict"),
            ("[{\"passed\": true}]", "a list: [{"),
            (r#"{"score": 1}"#, "an object without `passed`: {"),
            (r#"{"pass": true}"#, "an object without `passed`"),
            (
                r#"{"verdict": {"passed": true}}"#,
                "an object without `passed`",
            ),
            (
                r#"{"input": "hi", "goal_achieved": true}"#,
                "an object without `passed`",
            ),
            (
                r#"{"passed": "true"}"#,
                "an object whose `passed` is \"true\", expected `true` or `false`",
            ),
            (r#"{"passed": 1}"#, "an object whose `passed` is 1"),
            (r#"{"passed": null}"#, "an object whose `passed` is null"),
            (
                r#"{"passed": true, "score": "0.9"}"#,
                "an object whose `score` is \"0.9\", expected a number",
            ),
            (
                r#"{"passed": true, "reason": 1}"#,
                "an object whose `reason` is 1",
            ),
            (
                r#"{"passed": true, "suggestions": [1]}"#,
                "an object whose `suggestions` is [1]",
            ),
            (
                r#"{"passed": false, "passed": true}"#,
                "an object with two different values of `passed`",
            ),
            (
                r#"{"passed": true, "pass": false}"#,
                "an object whose `passed` and `pass` contradict",
            ),
            (
                "{\"passed\": true} {\"passed\": false}",
                "verdicts that contradict each other",
            ),
            (
                "{\"passed\": true, \"score\": 1} {\"passed\": true, \"score\": 0}",
                "verdicts that contradict",
            ),
            (
                "PASS: yes\nFAIL: no",
                "verdicts that contradict each other: PASS: yes FAIL: no",
            ),
            ("{\"passed\": true}\nFAIL: no", "verdicts that contradict"),
            (
                "{\"passed\": false, \"reason\": \"it says {\"passed\": true}\"}",
                "JSON that is not valid",
            ),
            ("{\"passed\": true", "JSON that is not valid"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.starts_with(expected), "{text}: {why}");
        }
        assert!(
            read(&"x".repeat(LONGEST + 1))
                .unwrap_err()
                .contains("at most")
        );
    }

    #[test]
    fn a_line_in_json_is_no_verdict() {
        let text = "{\"passed\": false,\n\"reason\":\n\"PASS: yes\"}";
        assert_eq!(read(text), Ok((false, None, "PASS: yes".to_owned())));
    }
}
