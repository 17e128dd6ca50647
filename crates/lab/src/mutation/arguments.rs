//! Changes to the arguments of calls.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::calls::{about, level, require};
use super::other_value::{identifier, identifiers, other, retyped};
use super::tape_index::{TapeIndex, TapedCall};
use super::{Mutation, mutation::SnapshotEdit, rule_text::yaml_text};
use ananke_base::source::received_json;
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_trace::trace::{Change, ResultContent};

/// The number of arguments of a call that are changed.
const MOST: usize = 6;

/// The argument that no tool has.
const NEW: &str = "ananke_mutant";

/// A call with its arguments.
struct CallArguments<'t> {
    call: &'t TapedCall,
    items: &'t [TapeItem],
    args: Map<String, Value>,
}

/// All changes to arguments.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let known = known_identifiers(index);
    let calls = index.calls.iter().filter_map(|call| {
        let args = call.arguments()?;
        Some(CallArguments { call, items, args })
    });
    calls.flat_map(|call| call.mutations(&known)).collect()
}

impl CallArguments<'_> {
    fn mutations(&self, known: &[String]) -> Vec<Mutation> {
        let args = self.args.iter().take(MOST);
        let of_args = args.flat_map(|(key, value)| self.of_argument(key, value, known));
        of_args.chain(self.with_new()).collect()
    }

    fn of_argument(
        &self,
        key: &str,
        value: &Value,
        known: &[String],
    ) -> impl Iterator<Item = Mutation> {
        let name = &self.call.name;
        let replaced = |operator, new: Value, what: &str| {
            let words = format!("argument `{key}` of `{name}` {what}: {new} instead of {value}");
            self.instead(operator, key, Some(new), words)
        };
        let changed = if let Some(own) = identifier(value) {
            let swapped = known
                .iter()
                .find(|known| *known != own)
                .map_or_else(|| other(value), |other| json!(other));
            let what = "is that of something else";
            replaced(MutationOperator::SwapIdentifier, swapped, what)
        } else {
            let operator = MutationOperator::ChangeArgument;
            replaced(operator, other(value), "has another value")
        };
        let operator = MutationOperator::RetypeArgument;
        let with_other_type = replaced(operator, retyped(value), "has another type");
        let words = format!("argument `{key}` of `{name}` is missing");
        let dropped = self.instead(MutationOperator::DropArgument, key, None, words);
        [changed, with_other_type, dropped].into_iter().flatten()
    }

    /// The call with another value of an argument, or without the argument.
    fn instead(
        &self,
        operator: MutationOperator,
        key: &str,
        value: Option<Value>,
        words: String,
    ) -> Option<Mutation> {
        let known = json!({ key: yaml_text(&self.args[key]) });
        let rule = require(&self.call.name, [("args", known)]);
        let mutation = self.changed(operator, with(&self.args, key, value), words)?;
        Some(Mutation {
            argument: Some(key.to_owned()),
            ..mutation.noticed_by(level(self.call), rule)
        })
    }

    /// The call with an argument that no tool has.
    fn with_new(&self) -> Option<Mutation> {
        let name = &self.call.name;
        let words = format!("`{name}` has one more argument, `{NEW}`");
        let args = with(&self.args, NEW, Some(json!(true)));
        let added = self.changed(MutationOperator::AddArgument, args, words)?;
        let known = yaml_text(&Value::Object(self.args.clone()));
        let rule = require(name, [("args", known), ("exact", json!(true))]);
        Some(added.noticed_by(level(self.call), rule))
    }

    /// The call with other arguments; `None` if its arguments are not on the tape.
    fn changed(
        &self,
        operator: MutationOperator,
        args: Map<String, Value>,
        words: String,
    ) -> Option<Mutation> {
        let call = self.call;
        let text = Value::Object(args).to_string();
        let (opened, rest) = call.parts.split_first()?;
        let args_parts = rest.iter().filter(|at| {
            matches!(
                self.items[**at],
                TapeItem::Change(_, Change::CallArgs { .. })
            )
        });
        let mut args_parts = args_parts.copied();
        let first = args_parts.next();
        let TapeItem::Change(at, _) = self.items[first.unwrap_or(*opened)] else {
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
