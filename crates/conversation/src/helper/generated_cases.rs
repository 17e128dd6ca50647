//! From what a generator answers to test cases.
//!
//! **Invariant:** what is not clearly a list of cases is none, and no more cases are taken than a person would read.

use serde_json::{Map, Value};

use super::answer_text::shown;
use super::json_values::json_values;

/// The most cases that a generator may give (SPEC 9).
pub const MOST_CASES: usize = 10_000;

/// The keys of an object under which the cases are.
const LISTS: [&str; 2] = ["cases", "test_cases"];

/// The cases in what an agent says: a list of objects, an object with `cases` or `test_cases`, one case, or a case per
/// object; as the whole text, in a fenced block, or between sentences.
///
/// # Errors
/// If there are none, or more than [`MOST_CASES`]; the words after `the generator answered with` say what there is.
pub fn read_generated_cases(text: &str) -> Result<Vec<Value>, String> {
    if text.trim().is_empty() {
        return Err("nothing".to_owned());
    }
    if let Ok(value) = serde_json::from_str(text) {
        return cases_of(value);
    }
    let mut values = Vec::new();
    for (range, _) in json_values(text)? {
        // What is read as JSON of one kind is JSON.
        values.extend(serde_json::from_str::<Value>(&text[range]));
    }
    match values.len() {
        0 => Err(format!("no cases: {}", shown(text))),
        1 => cases_of(values.remove(0)),
        // A case per line.
        _ => cases_of(Value::Array(values)),
    }
}

/// The cases that a value is, or has.
///
/// # Errors
/// As [`read_generated_cases`].
pub fn cases_of(value: Value) -> Result<Vec<Value>, String> {
    let cases = match value {
        Value::Array(cases) => cases,
        Value::Object(mut fields) => match LISTS.iter().find(|key| fields.contains_key(**key)) {
            Some(key) => match fields.remove(*key) {
                Some(Value::Array(cases)) => cases,
                _ => return Err(format!("an object whose `{key}` is not a list")),
            },
            None if is_case(&fields) => vec![Value::Object(fields)],
            None => {
                return Err(format!(
                    "an object without `cases`: {}",
                    shown(&Value::Object(fields).to_string())
                ));
            }
        },
        other => return Err(format!("no cases: {}", shown(&other.to_string()))),
    };
    if cases.is_empty() {
        return Err("an empty list of cases".to_owned());
    }
    if cases.len() > MOST_CASES {
        return Err(format!(
            "{} cases, of which at most {MOST_CASES} are taken",
            cases.len()
        ));
    }
    match cases.iter().find(|case| !case.is_object()) {
        Some(other) => Err(format!(
            "a list with something that is not a case: {}",
            shown(&other.to_string())
        )),
        None => Ok((1..)
            .zip(cases)
            .map(|(number, case)| with_id(case, number))
            .collect()),
    }
}

/// Whether an object is a case, and not what a case is in.
fn is_case(fields: &Map<String, Value>) -> bool {
    ["id", "input", "messages", "turns"]
        .iter()
        .any(|key| fields.contains_key(*key))
}

/// The case, with an `id` by its place if it has none.
fn with_id(case: Value, number: usize) -> Value {
    let Value::Object(fields) = case else {
        return case;
    };
    if fields.contains_key("id") {
        return Value::Object(fields);
    }
    let mut named = Map::new();
    named.insert("id".to_owned(), format!("generated-{number}").into());
    named.extend(fields);
    Value::Object(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Result<Vec<String>, String> {
        let id = |case: &Value| case["id"].as_str().unwrap_or_default().to_owned();
        read_generated_cases(text).map(|cases| cases.iter().map(id).collect())
    }

    #[test]
    fn cases_are_a_list_an_object_or_one_case() {
        for (text, expected) in [
            (
                r#"[{"id": "a", "input": "x"}, {"input": "y"}]"#,
                &["a", "generated-2"][..],
            ),
            (r#"{"cases": [{"id": "a"}], "count": 1}"#, &["a"]),
            (r#"{"test_cases": [{"id": "a"}]}"#, &["a"]),
            (r#"{"id": "a", "input": "x"}"#, &["a"]),
            (r#"{"input": "x"}"#, &["generated-1"]),
            (
                "Here they are:\n```json\n[{\"id\": \"a\"}]\n```\nHave fun!",
                &["a"],
            ),
            ("```\n{\"cases\": [{\"id\": \"a\"}]}\n```", &["a"]),
            ("{\"id\": \"a\"}\n{\"id\": \"b\"}\n", &["a", "b"]),
        ] {
            assert_eq!(
                ids(text).as_deref(),
                Ok(expected
                    .iter()
                    .map(|id| (*id).to_owned())
                    .collect::<Vec<_>>()
                    .as_slice()),
                "{text}"
            );
        }
    }

    #[test]
    fn anything_else_is_no_list_of_cases() {
        for (text, expected) in [
            ("  ", "nothing"),
            ("Sure, I can do that.", "no cases: Sure,"),
            ("\"text\"", "no cases: \"text\""),
            ("[]", "an empty list"),
            ("[1, 2]", "a list with something that is not a case: 1"),
            (r#"{"cases": {}}"#, "an object whose `cases` is not a list"),
            (
                r#"{"answer": 42}"#,
                "an object without `cases`: {\"answer\":42}",
            ),
            ("So: {\"cases\": [", "JSON that is not valid"),
        ] {
            let why = ids(text).unwrap_err();
            assert!(why.starts_with(expected), "{text}: {why}");
        }
        let many = format!("[{}]", vec!["{}"; 100_000].join(","));
        assert_eq!(
            ids(&many).unwrap_err(),
            "100000 cases, of which at most 10000 are taken"
        );
        assert_eq!(
            ids(&format!("[{}]", vec!["{}"; MOST_CASES].join(","))).map(|ids| ids.len()),
            Ok(MOST_CASES)
        );
    }
}
