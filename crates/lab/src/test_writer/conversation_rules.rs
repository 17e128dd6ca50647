//! The rules that are proposed for a turn: the tools that were called, with which arguments and in which order.
//!
//! Flows in: the trace of a conversation. Flows out: an `assert` block for each turn. **Invariant:** what the agent said is
//! no part of it.

use serde_json::{Map, Value, json};

use super::argument_rule::ArgumentRule;
use super::text_with_references::{has_unreferenced_secret, node_with_references};
use ananke_agents::{Capabilities, Capability};
use ananke_base::source::Node;
use ananke_model::variables::call_keys;
use ananke_trace::trace::{Args, RunEnd, ToolCall, Trace, TurnRanges, is_same_json};

/// The most calls of a turn that become rules.
const MOST_CALLS: usize = 50;

/// The rules of `turn`, after the user has said `said`, about everything that the target shows. A rule about something else is an error
/// of the file.
pub(super) fn rules_of(
    trace: &Trace,
    turn: &TurnRanges,
    said: &[String],
    shown: Capabilities,
) -> Node {
    let calls: Vec<&ToolCall> = turn
        .calls
        .clone()
        .filter(|index| trace.is_live(*index))
        .map(|index| &trace.calls[index])
        .collect();
    let mut rules = Map::new();
    if !calls.is_empty() {
        rules.insert(
            "tools".to_owned(),
            json!({ "require": required(&calls, said) }),
        );
    } else if shown.has(Capability::ToolCalls) {
        rules.insert("tools".to_owned(), json!({ "allow_only": [] }));
    }
    let steps = steps(&calls);
    if steps.len() > 1 {
        rules.insert(
            "sequence".to_owned(),
            json!({ "mode": "in_order", "steps": steps }),
        );
    }
    let end = trace.exchanges[turn.exchanges.clone()]
        .last()
        .and_then(|exchange| exchange.run_end.as_ref());
    if let Some(RunEnd::Interrupted(_)) = end {
        rules.insert("outcome".to_owned(), json!("interrupted"));
    }
    node_with_references(&Value::Object(rules))
}

/// The entries of `require`; one that occurs several times has a count.
fn required(calls: &[&ToolCall], said: &[String]) -> Vec<Value> {
    let mut entries: Vec<(Value, usize)> = Vec::new();
    for call in calls.iter().take(MOST_CALLS) {
        let entry = entry(call, said);
        match entries
            .iter_mut()
            .find(|(known, _)| is_same_json(known, &entry))
        {
            Some((_, count)) => *count += 1,
            None => entries.push((entry, 1)),
        }
    }
    let counted = entries.into_iter().map(|(mut entry, count)| {
        if count > 1 {
            entry["count"] = json!({ "min": count });
        }
        entry
    });
    counted.collect()
}

/// A call with the arguments that are the same next time, and patterns for the others.
fn entry(call: &ToolCall, said: &[String]) -> Value {
    let mut entry = Value::Object(call_keys(&call.name));
    // Without it, a call that fails would satisfy the rule for one that does not, and the other way round.
    match call.result() {
        Some(result) if result.is_denied => entry["status"] = json!("denied"),
        Some(result) if result.is_error == Some(true) => entry["is_error"] = json!(true),
        _ => {}
    }
    let Args::Json(Value::Object(args)) = call.args() else {
        return entry;
    };
    let mut patterns = Map::new();
    let same = same_part(args, "", said, &mut patterns);
    if !same.is_empty() {
        entry["args"] = Value::Object(same);
    }
    if !patterns.is_empty() {
        entry["args_match"] = Value::Object(patterns);
    }
    entry
}

/// The part of `args` that is compared as it is; the rest goes to `patterns`, by path.
fn same_part(
    args: &Map<String, Value>,
    path: &str,
    said: &[String],
    patterns: &mut Map<String, Value>,
) -> Map<String, Value> {
    let mut same = Map::new();
    for (key, value) in args {
        let is_simple = !key.is_empty()
            && key
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let inner = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        match value {
            Value::Object(keys) if keys.is_empty() => {}
            Value::Object(keys) if is_simple => {
                let kept = same_part(keys, &inner, said, patterns);
                if !kept.is_empty() {
                    same.insert(key.clone(), Value::Object(kept));
                }
            }
            // Part of a list or of a strange key: there is no path to it.
            Value::Object(_) | Value::Array(_) => {
                if !varies(value, said) {
                    same.insert(key.clone(), value.clone());
                }
            }
            scalar => match ArgumentRule::of(scalar, said) {
                _ if has_marker(scalar) => {}
                ArgumentRule::Same => _ = same.insert(key.clone(), value.clone()),
                ArgumentRule::Matches(pattern) if is_simple => {
                    _ = patterns.insert(inner, json!(pattern));
                }
                ArgumentRule::Matches(_) => {}
            },
        }
    }
    same
}

/// Whether a part of `value` varies, or has no value in a file.
fn varies(value: &Value, said: &[String]) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| varies(item, said)),
        Value::Object(keys) => keys.values().any(|value| varies(value, said)),
        scalar => has_marker(scalar) || ArgumentRule::of(scalar, said) != ArgumentRule::Same,
    }
}

/// Whether a text has the marker of a secret in it that no variable has.
fn has_marker(value: &Value) -> bool {
    value.as_str().is_some_and(has_unreferenced_secret)
}

/// The calls of which each began after the one before it had its result.
fn steps(calls: &[&ToolCall]) -> Vec<Value> {
    let mut steps = Vec::new();
    let mut ended = None;
    for call in calls.iter().take(MOST_CALLS) {
        if ended.is_none_or(|ended| call.order > ended) {
            steps.push(json!({ "call": call.name.as_str() }));
            ended = Some(call.result().map_or(call.order, |result| result.order));
        }
    }
    steps
}
