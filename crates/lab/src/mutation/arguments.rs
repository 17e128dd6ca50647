//! Changes to the arguments of calls.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::calls::{about, level, require};
use super::other_value::{identifier, identifiers, other, retyped};
use super::tape_index::{TapeIndex, TapedCall};
use super::{Mutation, mutation::SnapshotEdit, rule_text::yaml_text};
use ananke_base::source::received_json;
use ananke_engine::engine::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_trace::trace::{Change, ResultContent};

/// The number of arguments of a call that are changed.
const MOST: usize = 6;

/// The argument that no tool has.
const NEW: &str = "ananke_mutant";

/// All changes to arguments.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let known = known_identifiers(index);
    let mut found = Vec::new();
    for call in &index.calls {
        let Some(args) = call.arguments() else {
            continue;
        };
        for (key, value) in args.iter().take(MOST) {
            let replaced = |operator, new: Value, what: &str| {
                let words = format!(
                    "argument `{key}` of `{}` {what}: {} instead of {}",
                    call.name, new, value
                );
                let args = with(&args, key, Some(new));
                noticed(
                    changed(operator, call, items, &args, words),
                    call,
                    key,
                    value,
                )
            };
            if let Some(own) = identifier(value) {
                let swapped = known
                    .iter()
                    .find(|known| *known != own)
                    .map_or_else(|| other(value), |other| json!(other));
                found.extend(replaced(
                    MutationOperator::SwapIdentifier,
                    swapped,
                    "is that of something else",
                ));
            } else {
                found.extend(replaced(
                    MutationOperator::ChangeArgument,
                    other(value),
                    "has another value",
                ));
            }
            found.extend(replaced(
                MutationOperator::RetypeArgument,
                retyped(value),
                "has another type",
            ));
            let words = format!("argument `{key}` of `{}` is missing", call.name);
            let dropped = changed(
                MutationOperator::DropArgument,
                call,
                items,
                &with(&args, key, None),
                words,
            );
            found.extend(noticed(dropped, call, key, value));
        }
        let words = format!("`{}` has one more argument, `{NEW}`", call.name);
        let added = changed(
            MutationOperator::AddArgument,
            call,
            items,
            &with(&args, NEW, Some(json!(true))),
            words,
        );
        let keys = [
            ("args", yaml_text(&Value::Object(args))),
            ("exact", json!(true)),
        ];
        let rule = require(&call.name, keys);
        found.extend(added.map(|added| added.noticed_by(level(call), rule)));
    }
    found
}

/// The identifiers that arguments and results have, in their order.
fn known_identifiers(index: &TapeIndex) -> Vec<String> {
    let mut known = Vec::new();
    for call in &index.calls {
        identifiers(
            &call.arguments().map(Value::Object).unwrap_or_default(),
            &mut known,
        );
        match &call.result {
            Some((_, ResultContent::Json(value) | ResultContent::Structured { value, .. })) => {
                identifiers(value, &mut known);
            }
            Some((_, ResultContent::Text(text))) => {
                let read = received_json::read(text).unwrap_or_default();
                identifiers(&read.value, &mut known);
            }
            None => {}
        }
    }
    known
}

fn with(args: &Map<String, Value>, key: &str, value: Option<Value>) -> Map<String, Value> {
    let mut args = args.clone();
    match value {
        Some(value) => drop(args.insert(key.to_owned(), value)),
        None => drop(args.remove(key)),
    }
    args
}

fn noticed(
    mutation: Option<Mutation>,
    call: &TapedCall,
    key: &str,
    value: &Value,
) -> Option<Mutation> {
    let rule = require(&call.name, [("args", json!({ key: yaml_text(value) }))]);
    let mutation = mutation?.noticed_by(level(call), rule);
    Some(Mutation {
        argument: Some(key.to_owned()),
        ..mutation
    })
}

/// The call with other arguments; `None` if its arguments are not on the tape.
fn changed(
    operator: MutationOperator,
    call: &TapedCall,
    items: &[TapeItem],
    args: &Map<String, Value>,
    words: String,
) -> Option<Mutation> {
    let text = Value::Object(args.clone()).to_string();
    let (opened, rest) = call.parts.split_first()?;
    let args_parts = rest
        .iter()
        .filter(|at| matches!(items[**at], TapeItem::Change(_, Change::CallArgs { .. })));
    let mut args_parts = args_parts.copied();
    let first = args_parts.next();
    let TapeItem::Change(at, _) = items[first.unwrap_or(*opened)] else {
        return None;
    };
    let new = Change::CallArgs {
        id: Cow::Owned(call.id.clone()),
        delta: Cow::Owned(text.clone()),
    };
    let new = TapeItem::Change(at, new);
    let mutation = about(operator, call, words).without(args_parts);
    let mutation = match first {
        Some(first) => mutation.instead(first, new),
        None => mutation.with(opened + 1, vec![new]),
    };
    Some(mutation.in_snapshots(SnapshotEdit::Arguments(call.id.clone(), text)))
}
