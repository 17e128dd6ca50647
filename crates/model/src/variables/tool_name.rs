//! Names of tools that no rule has as they are, and the entries of rules that select such tools (SPEC 13).

use serde_json::{Map, Value, json};

use ananke_base::source::printable;
use ananke_base::text::TextForm;

/// The error in the name of a tool that contains what no name does: whitespace, control characters and invisible characters.
pub fn tool_name_problem(name: &str) -> Option<String> {
    let what = if name.contains(char::is_whitespace) {
        "whitespace"
    } else if name.contains(char::is_control) {
        "a control character"
    } else if visible(name) != name {
        "an invisible character"
    } else {
        return None;
    };
    Some(format!(
        "the name of a tool contains {what}: `{}`",
        printable(name)
    ))
}

/// The keys of an entry in a rule that select the calls to the tool `name`: `name`, or `name_match` if rules refuse the name.
pub fn call_keys(name: &str) -> Map<String, Value> {
    let (key, value) = match tool_name_problem(name) {
        None => ("name", json!(name)),
        Some(_) => ("name_match", json!(exact_pattern(name))),
    };
    Map::from_iter([(key.to_owned(), value)])
}

/// A pattern that matches this name alone, without the control characters that patterns must not contain.
fn exact_pattern(name: &str) -> String {
    let escaped = regex_syntax::escape(name);
    let printable = escaped.chars().map(|sign| {
        if sign.is_control() {
            format!("\\x{{{:x}}}", u32::from(sign))
        } else {
            sign.to_string()
        }
    });
    format!("^{}$", printable.collect::<String>())
}

/// The name without characters that are not visible.
pub(super) fn visible(name: &str) -> String {
    let form = TextForm {
        is_composed: false,
        is_visible: true,
    };
    form.apply(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_rules_refuse_is_selected_by_a_pattern() {
        for (name, expected) in [
            ("pay", json!({ "name": "pay" })),
            ("two words", json!({ "name_match": "^two words$" })),
            ("a.b\u{1b} ", json!({ "name_match": "^a\\.b\\x{1b} $" })),
            (
                "zero\u{200b}width",
                json!({ "name_match": "^zero\u{200b}width$" }),
            ),
        ] {
            assert_eq!(Value::Object(call_keys(name)), expected, "{name:?}");
        }
    }
}
