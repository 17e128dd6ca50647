//! The parts of a call that a rule looks at, and the form in which a failure shows the call.

use serde_json::Value;

use super::RuleScope;
use crate::describe::short;
use ananke_trace::outcome::{
    ComparedValue, FocusedJson, JsonFocus, ValueDifference, brief, focused,
};
use ananke_trace::trace::{Args, ToolCall, ToolResult, Trace};

/// A result of at most so many bytes that is compared is shown as JSON, so that `"42"` is not taken for `42`.
const QUOTED: usize = 60;

/// The most values that differ and are named in a headline.
const MOST_NAMED: usize = 2;

/// The parts of a call that a rule looks at, and the mismatches in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallFocus {
    /// Places in its arguments.
    pub(crate) args: Vec<JsonFocus>,
    /// Places in its result.
    pub(crate) result: Vec<JsonFocus>,
    /// The mismatches of the call at no place, or at one that cannot be shown.
    pub(crate) words: Vec<String>,
}

impl CallFocus {
    /// The call at `index`, shortened to the focus: `call 2 of 3, #5: ship({"method": "standard" ≠ "express"}) → ok`, with its
    /// turn unless that is `scope`. Calls to the same tool are counted in the whole test. Empty if there is no such call.
    pub(crate) fn shown(
        &self,
        trace: &Trace,
        scope: RuleScope,
        index: usize,
        remark: &str,
    ) -> String {
        let Some(call) = trace.calls.get(index) else {
            return String::new();
        };
        let is_same = |other: &&ToolCall| other.name == call.name;
        let number = trace.calls[..=index].iter().filter(is_same).count();
        let count = number + trace.calls[index + 1..].iter().filter(is_same).count();
        let number = if count > 1 {
            format!(" {number} of {count},")
        } else {
            String::new()
        };
        let words = if self.words.is_empty() {
            String::new()
        } else {
            format!(": {}", self.words.join("; "))
        };
        format!(
            "call{number} {}{remark}: {}({}) → {}{words}",
            scope.event(trace, call.first_event),
            short(&call.name),
            self.args(call),
            self.result(call)
        )
    }

    fn args(&self, call: &ToolCall) -> String {
        let text = call.args_text.trim();
        match call.args() {
            Args::Json(value) if !(text.is_empty() && self.args.is_empty()) => {
                focused(value, &self.args).text
            }
            _ => short(text),
        }
    }

    fn result(&self, call: &ToolCall) -> String {
        let text = match call.result() {
            None => "(no result)".to_owned(),
            Some(result) if result.text.is_empty() => "(empty result)".to_owned(),
            Some(result) => match result.structured() {
                Some(value) if value.is_object() || value.is_array() => {
                    return focused(value, &self.result).text;
                }
                Some(value) if !self.result.is_empty() && result.text.len() <= QUOTED => {
                    brief(value)
                }
                _ => short(&result.text),
            },
        };
        FocusedJson::of_text(text, &self.result).text
    }

    /// The values of `call` that are not what is expected, as a part of a sentence about the call; `None` if there are many, or
    /// if it is not about values.
    pub(crate) fn differing(&self, call: &ToolCall) -> Option<String> {
        let differences: Vec<ValueDifference> = self.differences(call).collect();
        if !self.words.is_empty() || !(1..=MOST_NAMED).contains(&differences.len()) {
            return None;
        }
        let parts: Vec<String> = differences.iter().map(in_words).collect();
        Some(parts.join(", and "))
    }

    /// The values of `call` that are not what is expected, without the call's event.
    pub(crate) fn differences(&self, call: &ToolCall) -> impl Iterator<Item = ValueDifference> {
        let args = match call.args() {
            Args::Json(value) => Some(value.clone()),
            Args::Malformed(_) => None,
        };
        let result = call.result().map(ToolResult::value);
        [
            (ComparedValue::Arguments, &self.args, args),
            (ComparedValue::Result, &self.result, result),
        ]
        .into_iter()
        .flat_map(move |(of, places, whole)| {
            places
                .iter()
                .filter_map(move |JsonFocus { path, expected }| {
                    let found = whole.as_ref().and_then(|whole| at(whole, path));
                    Some(ValueDifference {
                        event: None,
                        of,
                        path: path.clone(),
                        expected: expected.clone()?,
                        actual: found.map(brief),
                    })
                })
        })
    }
}

/// The difference in a call in words: `` was called with `currency` "USD", expected "EUR" ``.
fn in_words(difference: &ValueDifference) -> String {
    let ValueDifference {
        of,
        expected,
        actual,
        ..
    } = difference;
    let place = match difference.path().as_str() {
        "" => String::new(),
        path => format!("`{}` ", short(path)),
    };
    match (of, actual) {
        (ComparedValue::Result, Some(actual)) => {
            let with = if place.is_empty() { "" } else { "with " };
            format!("answered {with}{place}{actual}, expected {expected}")
        }
        (ComparedValue::Result, None) if place.is_empty() => {
            format!("has no result, expected {expected}")
        }
        (ComparedValue::Result, None) => {
            format!("answered without {}, expected {expected}", place.trim_end())
        }
        (_, Some(actual)) => format!("was called with {place}{actual}, expected {expected}"),
        (_, None) => format!(
            "was called without {}, expected {expected}",
            place.trim_end()
        ),
    }
}

/// The value in `whole` that a path leads to.
fn at<'v>(whole: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(whole, |value, key| match value {
        Value::Object(entries) => entries.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    })
}
