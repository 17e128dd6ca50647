//! The assertions of a case file in its own words: the evaluated rules of a test in, an entry per assertion out.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use ananke_base::diagnostic::{Place, SourceFile};
use ananke_base::source::parse_json;
use ananke_engine::cases::is_case_file;
use ananke_trace::outcome::Outcome;

/// An assertion of a case, as it is written, and its result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CaseAssertion")]
pub(crate) struct CaseAssertionView {
    /// The type as it is written: `contains`, `tool_called`. An assertion without one, and `expected`, are `equals`.
    #[serde(rename = "type")]
    kind: String,
    /// All other fields as they are written.
    #[serde(flatten)]
    fields: Map<String, Value>,
    /// Whether it passed.
    passed: bool,
    /// The finding if it failed, and the author's own `message` if it passed; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// The evaluated assertions of a case, in the order in which they are written; `None` if the test is not a case.
pub(crate) fn case_assertions(outcome: &Outcome) -> Option<Vec<CaseAssertionView>> {
    if !is_case_file(Path::new(&outcome.test.path)) {
        return None;
    }
    let held = outcome.all_passed();
    let held = held.map(|held| (&held.place, &held.written, None));
    let failures = outcome.all_failures();
    let failures = failures.map(|(_, failure)| {
        (
            &failure.place,
            &failure.written,
            Some(failure.message.as_str()),
        )
    });
    let mut all: Vec<_> = failures
        .chain(held)
        .filter(|(place, ..)| is_of(place, outcome))
        .collect();
    all.sort_by_key(|(place, ..)| (place.line, place.column));
    // An assertion may be several rules: it failed if one of them did.
    all.dedup_by(|other, first| other.0 == first.0);
    Some(
        all.into_iter()
            .map(|(_, written, finding)| view(written, finding))
            .collect(),
    )
}

/// Whether a rule is written in the case file: others apply to a case as well, such as those of its target.
fn is_of(place: &Place, outcome: &Outcome) -> bool {
    *place.file == *outcome.test.file
}

fn view(written: &str, finding: Option<&str>) -> CaseAssertionView {
    let mut fields = match value(written) {
        Value::Object(fields) => fields,
        expected => Map::from_iter([("value".to_owned(), expected)]),
    };
    if let Some(expected) = fields.shift_remove("expected") {
        fields.insert("value".to_owned(), expected);
    }
    let text = |field: Option<Value>| field.and_then(|field| field.as_str().map(str::to_owned));
    let own = text(fields.shift_remove("message"));
    fields.shift_remove("passed");
    CaseAssertionView {
        kind: text(fields.shift_remove("type")).unwrap_or_else(|| "equals".to_owned()),
        passed: finding.is_none(),
        message: finding.map(str::to_owned).or(own),
        fields,
    }
}

/// A part of a case as a value: `expected` with its key as an object, and what is truncated as text.
fn value(written: &str) -> Value {
    let read = |text: String| parse_json(&Arc::new(SourceFile::new("", "", text))).0;
    let node = read(written.to_owned()).or_else(|| read(format!("{{{written}}}")));
    node.map_or_else(|| Value::from(written), |node| node.to_json())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_assertion_is_shown_as_it_is_written() {
        let cases = [
            (
                "\"Bye\"",
                None,
                json!({"type": "equals", "value": "Bye", "passed": true}),
            ),
            (
                "\"expected\": {\"type\": 1}",
                None,
                json!({"type": "equals", "value": {"type": 1}, "passed": true}),
            ),
            (
                "{\"value\": null}",
                Some("no"),
                json!({"type": "equals", "value": null, "passed": false, "message": "no"}),
            ),
            (
                "{\"type\": \"regex\",\n// why\n\"pattern\": \"\\ud83d\\ude00\", \"negate\": true, \"message\": \"own\"}",
                None,
                json!({"type": "regex", "pattern": "😀", "negate": true, "passed": true, "message": "own"}),
            ),
            (
                "{\"type\": \"contains\", \"passed\": 5, \"message\": \"own\"}",
                Some("own"),
                json!({"type": "contains", "passed": false, "message": "own"}),
            ),
            (
                "{\"type\": … 5 more",
                None,
                json!({"type": "equals", "value": "{\"type\": … 5 more", "passed": true}),
            ),
        ];
        for (written, finding, expected) in cases {
            let shown = serde_json::to_value(view(written, finding)).expect("JSON");
            assert_eq!(shown, expected, "{written}");
        }
    }
}
