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

/// The remedy for a text that is a call where the name of a tool is expected, as in `delete_order(order_id="O-7")`, or that has quotes
/// of its own; `None` if it may be a name.
pub fn call_as_name(text: &str) -> Option<String> {
    let is_quote = |sign: char| "\"'`".contains(sign);
    let text = text.trim();
    let bare = text.trim_matches(is_quote);
    let at = bare.find(|sign: char| is_quote(sign) || "(){}=".contains(sign));
    let name = bare[..at.unwrap_or(bare.len())]
        .trim_end_matches(|sign: char| sign.is_whitespace() || sign == ':');
    if name.is_empty() || name == text || text.contains("${") || tool_name_problem(name).is_some() {
        return None;
    }
    Some(match at {
        None => format!("write `{name}`"),
        Some(_) => format!(
            "write `{name}`; a call with certain arguments is an entry of `require` or `forbid_calls`: `{{ name: {name}, args: {{ … }} }}`"
        ),
    })
}

/// The keys of an entry in a rule that select the calls to the tool `name`: `name`, or `name_match` if rules refuse the name or warn of
/// it.
pub fn call_keys(name: &str) -> Map<String, Value> {
    let (key, value) = match tool_name_problem(name).or_else(|| call_as_name(name)) {
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
    fn a_call_where_a_name_is_expected_has_a_remedy() {
        let entry = |name: &str| {
            format!(
                "write `{name}`; a call with certain arguments is an entry of `require` or `forbid_calls`: \
                 `{{ name: {name}, args: {{ … }} }}`"
            )
        };
        for (text, expected) in [
            (
                "delete_order(order_id=\"O-7\")",
                Some(entry("delete_order")),
            ),
            (
                "delete_order (order_id = 'O-7')",
                Some(entry("delete_order")),
            ),
            ("delete_order()", Some(entry("delete_order"))),
            ("delete_order{id: 7}", Some(entry("delete_order"))),
            ("delete_order: { id: 7 }", Some(entry("delete_order"))),
            ("order_id=O-7", Some(entry("order_id"))),
            ("\"delete_order\"", Some("write `delete_order`".to_owned())),
            ("`delete_order`", Some("write `delete_order`".to_owned())),
            ("delete_order", None),
            ("shop:delete.order-2", None),
            ("(?i)delete", None),
            ("two words(x)", None),
            ("${TOOL}", None),
            ("\"\"", None),
        ] {
            assert_eq!(call_as_name(text), expected, "{text}");
        }
    }

    #[test]
    fn a_name_that_rules_refuse_is_selected_by_a_pattern() {
        for (name, expected) in [
            ("pay", json!({ "name": "pay" })),
            ("pay(card)", json!({ "name_match": "^pay\\(card\\)$" })),
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
