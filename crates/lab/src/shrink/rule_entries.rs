//! The rules of an `assert` block one by one, so that those that do not matter can be omitted.

use ananke_base::source::{Entry, Node, NodeValue};
use ananke_rules::{RuleDecider, RuleNumber, RuleProperties};

/// The number of rules in the block.
pub(super) fn count(block: &Node) -> usize {
    let mut count = 0;
    kept(block, &mut |()| {
        count += 1;
        true
    });
    count
}

/// The block with the rules that `is_kept` accepts, by their number; `None` if none is left.
pub(super) fn with_rules(block: &Node, is_kept: &dyn Fn(usize) -> bool) -> Option<Node> {
    let mut number = 0;
    kept(block, &mut |()| {
        number += 1;
        is_kept(number - 1)
    })
}

/// The block with the rules that `accept` accepts; it is asked for each in its order.
fn kept(block: &Node, accept: &mut dyn FnMut(()) -> bool) -> Option<Node> {
    let mut entries = Vec::new();
    for entry in block.entries() {
        let properties = RuleProperties::of(&entry.key);
        let value = match properties.map(|rule| (rule.decider, rule.number)) {
            // A script or a judge is never part of a shrunk test.
            Some((RuleDecider::Helper, _)) => None,
            Some((_, RuleNumber::One)) => accept(()).then(|| entry.value.clone()),
            Some((_, RuleNumber::Several)) | None => kept_value(&entry.value, 1, accept),
        };
        entries.extend(value.map(|value| Entry {
            value,
            ..entry.clone()
        }));
    }
    if entries.is_empty() {
        None
    } else {
        Some(Node {
            value: NodeValue::Map(entries),
            span: block.span,
        })
    }
}

/// The rules of a key: the keys of a mapping and the items of a list are rules of their own.
fn kept_value(value: &Node, depth: usize, accept: &mut dyn FnMut(()) -> bool) -> Option<Node> {
    let parts = match &value.value {
        // A list without entries is a rule: nothing is allowed.
        NodeValue::List(items) if items.is_empty() => return accept(()).then(|| value.clone()),
        NodeValue::Map(entries) if depth > 0 => {
            let kept = entries.iter().filter_map(|entry| {
                let value = kept_value(&entry.value, depth - 1, accept)?;
                Some(Entry {
                    value,
                    ..entry.clone()
                })
            });
            NodeValue::Map(kept.collect())
        }
        NodeValue::List(items) => {
            NodeValue::List(items.iter().filter(|_| accept(())).cloned().collect())
        }
        _ => return accept(()).then(|| value.clone()),
    };
    let is_empty = match &parts {
        NodeValue::Map(entries) => entries.is_empty(),
        NodeValue::List(items) => items.is_empty(),
        _ => false,
    };
    if is_empty {
        None
    } else {
        Some(Node {
            value: parts,
            span: value.span,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_rule_can_be_omitted() {
        let block = Node::of_json(&json!({
            "tools": { "require": [{ "name": "a", "args": { "x": 1 } }, "b"], "max_calls": 3 },
            "sequence": { "steps": ["a", "b"] },
            "judge": [{ "agent": "j" }],
            "text": { "contains": "x", "not_contains": [] },
        }));
        assert_eq!(count(&block), 6);
        let only =
            |number: usize| with_rules(&block, &|other| other == number).map(|node| node.to_json());
        assert_eq!(only(1), Some(json!({ "tools": { "require": ["b"] } })));
        assert_eq!(only(2), Some(json!({ "tools": { "max_calls": 3 } })));
        assert_eq!(
            only(3),
            Some(json!({ "sequence": { "steps": ["a", "b"] } }))
        );
        assert_eq!(
            only(5),
            Some(json!({ "text": { "not_contains": [] } })),
            "an empty list is a rule"
        );
        assert_eq!(only(9), None);
    }
}
