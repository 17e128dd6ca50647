//! The rules of a checkpoint as rules of the turn that reached it.
//!
//! Flows in: an `assert` block, and one that a turn has already. Flows out: one block with the rules of both.

use serde_json::Value;

use ananke_base::source::{Node, NodeValue};
use ananke_rules::{RuleNumber, RuleProperties};

/// Keys that are a text or a list of texts, all of which apply.
const TEXTS: [&str; 4] = ["contains", "must_match", "must_not_match", "not_contains"];

/// The block whose settings apply to all rules in it: two of them with other settings cannot be combined.
const TEXT: &str = "text";

/// These settings.
const SETTINGS: [&str; 2] = ["of", "normalise"];

/// Adds the rules of `other` to `block`.
///
/// # Errors
/// The key that both have and that can be there only once; `block` is as it was then.
pub(super) fn add_rules(block: &mut Node, other: &Node) -> Result<(), String> {
    let mut merged = block.clone();
    add("", &mut merged, other)?;
    *block = merged;
    Ok(())
}

fn add(key: &str, own: &mut Node, other: &Node) -> Result<(), String> {
    if own.to_json() == other.to_json() {
        return Ok(());
    }
    let properties = RuleProperties::of(key);
    if properties.is_some_and(|rule| rule.number == RuleNumber::One) {
        return Err(key.to_owned());
    }
    if key == TEXT
        && SETTINGS
            .iter()
            .any(|setting| json_of(own, setting) != json_of(other, setting))
    {
        return Err(key.to_owned());
    }
    match (&mut own.value, &other.value) {
        (NodeValue::Map(_), NodeValue::Map(entries)) => {
            for entry in entries {
                match own.get_mut(&entry.key) {
                    Some(known) => add(&entry.key, known, &entry.value)?,
                    None => own.set(&entry.key, entry.value.clone()),
                }
            }
            Ok(())
        }
        (NodeValue::List(items), NodeValue::List(others)) => {
            extend(items, others);
            Ok(())
        }
        (NodeValue::String(_) | NodeValue::List(_), NodeValue::String(_) | NodeValue::List(_))
            if TEXTS.contains(&key) =>
        {
            let as_list = |node: &Node| match &node.value {
                NodeValue::List(items) => items.clone(),
                _ => vec![node.clone()],
            };
            let mut items = as_list(own);
            extend(&mut items, &as_list(other));
            own.value = NodeValue::List(items);
            Ok(())
        }
        _ => Err(key.to_owned()),
    }
}

fn json_of(block: &Node, key: &str) -> Option<Value> {
    block.get(key).map(Node::to_json)
}

/// Adds the items that are not there yet.
fn extend(items: &mut Vec<Node>, others: &[Node]) {
    for other in others {
        if !items.iter().any(|item| item.to_json() == other.to_json()) {
            items.push(other.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn added(block: &Value, other: &Value) -> Result<Value, String> {
        let mut node = Node::of_json(block);
        add_rules(&mut node, &Node::of_json(other)).map(|()| node.to_json())
    }

    #[test]
    fn the_rules_of_both_apply() {
        for (block, other, expected) in [
            (
                json!({}),
                json!({ "text": { "contains": "a" } }),
                json!({ "text": { "contains": "a" } }),
            ),
            (
                json!({ "text": { "contains": "a" }, "tools": { "require": ["pay"] } }),
                json!({ "text": { "contains": ["a", "b"] }, "tools": { "require": ["pay", "find"], "forbid": ["x"] } }),
                json!({ "text": { "contains": ["a", "b"] }, "tools": { "require": ["pay", "find"], "forbid": ["x"] } }),
            ),
        ] {
            assert_eq!(added(&block, &other), Ok(expected));
        }
    }

    #[test]
    fn two_of_one_kind_are_refused() {
        for (block, other, key) in [
            (
                json!({ "outcome": "finished" }),
                json!({ "outcome": "interrupted" }),
                "outcome",
            ),
            (
                json!({ "sequence": { "steps": ["a"] } }),
                json!({ "sequence": { "steps": ["b"] } }),
                "sequence",
            ),
            (
                json!({ "text": { "contains": "a" } }),
                json!({ "text": { "contains": "b", "of": "final" } }),
                "text",
            ),
            (
                json!({ "text": { "contains": "a", "normalise": ["nfc"] } }),
                json!({ "text": { "not_contains": "b" } }),
                "text",
            ),
            (
                json!({ "timing": { "max_idle_ms": 1 } }),
                json!({ "timing": { "max_idle_ms": 2 } }),
                "max_idle_ms",
            ),
            (
                json!({ "tools": false }),
                json!({ "tools": { "require": ["a"] } }),
                "tools",
            ),
        ] {
            assert_eq!(added(&block, &other), Err(key.to_owned()), "{block}");
        }
    }
}
