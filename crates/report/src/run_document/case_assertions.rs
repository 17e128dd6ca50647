//! The assertions of a case file in its own words: the evaluated rules of a test in, an entry per assertion out.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use ananke_base::diagnostic::Place;
use ananke_base::source::is_case_file;
use ananke_trace::outcome::{CaseWords, ComparedValue, Outcome};

/// An assertion of a case, as it is written, and its result.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "CaseAssertion")]
pub(crate) struct CaseAssertionView {
    /// The type as it is written: `contains`, `tool_called`. An assertion without one, and `expected`, are `equals`.
    #[serde(rename = "type")]
    kind: String,
    /// All other fields as they are written.
    #[serde(flatten)]
    fields: Map<String, Value>,
    /// `state` if it was evaluated on the state that the agent sent, since its message has no JSON; omitted otherwise.
    #[schemars(extend("x-since" = "1.1"))]
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    looked_in: Option<ComparedValue>,
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
    let held = held.map(|held| (held, None));
    let failures = outcome.all_failures();
    let failures = failures.map(|(_, failure)| (failure, Some(failure.message.as_str())));
    let mut all: Vec<_> = failures
        .chain(held)
        .filter(|(result, _)| is_of(&result.place, outcome))
        .collect();
    all.sort_by_key(|(result, _)| (result.place.line, result.place.column));
    // An assertion may be several rules: it failed if one of them did.
    all.dedup_by(|(other, _), (first, _)| other.place == first.place);
    let views = all.into_iter().map(|(result, finding)| CaseAssertionView {
        looked_in: result
            .is_about_state_instead()
            .then_some(ComparedValue::State),
        ..view(&result.written, finding)
    });
    Some(views.collect())
}

/// Whether a rule is written in the case file: others apply to a case as well, such as those of its target.
fn is_of(place: &Place, outcome: &Outcome) -> bool {
    *place.file == *outcome.test.file
}

fn view(written: &str, finding: Option<&str>) -> CaseAssertionView {
    let CaseWords { kind, mut fields } = CaseWords::of(written);
    let own = fields.shift_remove("message");
    let own = own.and_then(|own| own.as_str().map(str::to_owned));
    fields.shift_remove("passed");
    CaseAssertionView {
        kind,
        looked_in: None,
        passed: finding.is_none(),
        message: finding.map(str::to_owned).or(own),
        fields,
    }
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
