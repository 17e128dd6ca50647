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
    // Otherwise the text has JSON in fenced blocks or between sentences. Each range is valid JSON, so no error is lost here.
    let mut values = Vec::new();
    for (range, _) in json_values(text)? {
        values.extend(serde_json::from_str::<Value>(&text[range]));
    }
    match values.len() {
        0 => Err(format!("no cases: {}", shown(text))),
        1 => cases_of(values.remove(0)),
        // Several values are a case each: models also write one object per line.
        _ => cases_of(Value::Array(values)),
    }
}

/// The cases in a value: a list of objects, an object with such a list, or one case. Each has an id.
///
/// # Errors
/// As [`read_generated_cases`].
pub fn cases_of(value: Value) -> Result<Vec<Value>, String> {
    let cases = match value {
        Value::Array(cases) => cases,
        Value::Object(fields) => list_in(fields)?,
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

    // A case without an id gets one by its place, since reports and filters name tests by their ids.
    let mut named = Vec::with_capacity(cases.len());
    for case in cases {
        let Value::Object(fields) = case else {
            let other = shown(&case.to_string());
            return Err(format!("a list with something that is not a case: {other}"));
        };
        let mut case = Map::new();
        if !fields.contains_key("id") {
            let number = named.len() + 1;
            case.insert("id".to_owned(), format!("generated-{number}").into());
        }
        // The other fields follow, so that the id comes first where a person reads the case.
        case.extend(fields);
        named.push(Value::Object(case));
    }
    Ok(named)
}

/// The cases in an object: the list under one of the keys [`LISTS`], or the object itself if it is the only case.
fn list_in(mut fields: Map<String, Value>) -> Result<Vec<Value>, String> {
    for key in LISTS {
        match fields.remove(key) {
            Some(Value::Array(cases)) => return Ok(cases),
            Some(_) => return Err(format!("an object whose `{key}` is not a list")),
            None => {}
        }
    }
    // An object with one of the keys of a case is a case.
    let mut case_keys = ["id", "input", "messages", "turns"].iter();
    if case_keys.any(|key| fields.contains_key(*key)) {
        return Ok(vec![Value::Object(fields)]);
    }
    let found = shown(&Value::Object(fields).to_string());
    Err(format!("an object without `cases`: {found}"))
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
