//! Texts of a conversation as a test file writes them: what was said is data, and what was secret is a reference.

use serde_json::{Map, Value};

use ananke_base::source::{Node, NodeValue};
use ananke_model::variables::is_name;

/// The text before and after the name of a secret in a recording.
const MARKER: (&str, &str) = ("<secret:", ">");

/// A text as a test file writes it: `${` is escaped, and the marker of a variable's secret is a reference to it.
pub(crate) fn text_with_references(text: &str) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(MARKER.0) {
        let (before, marked) = rest.split_at(start);
        written.push_str(&before.replace("${", "$${"));
        let name = marked[MARKER.0.len()..]
            .split_once(MARKER.1)
            .map(|(name, _)| name);
        let name = name.filter(|name| is_reference(name));
        if let Some(name) = name {
            written.extend(["${", name, "}"]);
            rest = &marked[MARKER.0.len() + name.len() + MARKER.1.len()..];
        } else {
            written.push_str(MARKER.0);
            rest = &marked[MARKER.0.len()..];
        }
    }
    written.push_str(&rest.replace("${", "$${"));
    written
}

/// Whether a text has the marker of a secret that no variable has: a file cannot refer to it.
pub(crate) fn has_unreferenced_secret(text: &str) -> bool {
    let mut names = text
        .split(MARKER.0)
        .skip(1)
        .filter_map(|rest| rest.split_once(MARKER.1));
    names.any(|(name, _)| !is_reference(name))
}

/// Whether a secret of this name is the value of a variable: others are headers, or match a pattern of the config.
fn is_reference(name: &str) -> bool {
    name.split('.')
        .next()
        .is_some_and(|first| is_name(first) && first != "redact")
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '.'))
}

/// The same for every text of a value.
pub(crate) fn node_with_references(value: &Value) -> Node {
    let mut node = Node::of_json(value);
    escape(&mut node);
    node
}

/// The same for variables.
pub(crate) fn map_with_references(variables: &Map<String, Value>) -> Node {
    node_with_references(&Value::Object(variables.clone()))
}

fn escape(node: &mut Node) {
    match &mut node.value {
        NodeValue::String(text) => *text = text_with_references(text),
        NodeValue::List(items) => items.iter_mut().for_each(escape),
        NodeValue::Map(entries) => entries
            .iter_mut()
            .for_each(|entry| escape(&mut entry.value)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_data_and_what_was_secret_is_a_reference() {
        for (said, written) in [
            ("O-7", "O-7"),
            ("costs ${PRICE} or $3", "costs $${PRICE} or $3"),
            ("my code is <secret:CODE>.", "my code is ${CODE}."),
            (
                "<secret:ENV.KEY><secret:LOGIN.token>",
                "${ENV.KEY}${LOGIN.token}",
            ),
            ("<secret:redact.1>", "<secret:redact.1>"),
            ("<secret:x-api-key>", "<secret:x-api-key>"),
            ("<secret: <secret:A>", "<secret: ${A}"),
            ("<secret:A", "<secret:A"),
        ] {
            assert_eq!(text_with_references(said), written);
        }
    }

    #[test]
    fn a_secret_of_no_variable_cannot_be_written() {
        for (text, expected) in [
            ("<secret:A> <secret:redact.1>", true),
            ("<secret:x-api-key>", true),
            ("<secret:A>", false),
            ("", false),
        ] {
            assert_eq!(has_unreferenced_secret(text), expected, "{text}");
        }
    }
}
