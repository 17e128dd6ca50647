//! Changes to the results of calls that the agent's side executes.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::calls::{about, level, require};
use super::other_value::{other, other_text};
use super::rule_text::{escaped, yaml_text};
use super::tape_index::{TapeIndex, TapedCall, text_of};
use super::{Mutation, mutation::SnapshotEdit};
use ananke_base::source::received_json;
use ananke_engine::engine::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_trace::trace::{Change, ResultContent};

/// All changes to results. What the client answers is the test's own.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let answered = index.calls.iter().filter(|call| call.result.is_some());
    answered.flat_map(|call| of_call(call, items)).collect()
}

fn of_call(call: &TapedCall, items: &[TapeItem]) -> Vec<Mutation> {
    let Some((at, result)) = &call.result else {
        return Vec::new();
    };
    let TapeItem::Change(moment, Change::CallAnswered { is_error, .. }) = &items[*at] else {
        return Vec::new();
    };
    let id = || Cow::Owned(call.id.clone());
    let name = &call.name;
    let answered =
        |operator, result: ResultContent<'static>, is_error: Option<bool>, what: &str| {
            let gone = (call.result_text(), text_of(&result));
            let change = Change::CallAnswered {
                id: id(),
                result,
                is_error,
            };
            let mut mutation = about(operator, call, format!("the result of `{name}` {what}"));
            mutation.site.data.push(gone);
            mutation
                .instead(*at, TapeItem::Change(*moment, change))
                .in_snapshots(SnapshotEdit::NoResult(call.id.clone()))
        };
    let text = |text: &str| ResultContent::Text(Cow::Owned(text.to_owned()));
    let mut found = Vec::new();
    if !call.has_failed {
        let succeeds = require(name, [("is_error", json!(false))]);
        let failed = answered(
            MutationOperator::ResultError,
            text("error: it failed"),
            Some(true),
            "is an error",
        );
        let denied = Change::CallFailed {
            id: id(),
            is_denied: true,
        };
        let denied = about(
            MutationOperator::ResultDenied,
            call,
            format!("the call to `{name}` is denied"),
        )
        .with(at + 1, vec![TapeItem::Change(*moment, denied)])
        .in_snapshots(SnapshotEdit::NoResult(call.id.clone()))
        .noticed_by(level(call), require(name, [("status", json!("executed"))]));
        found.push(failed.noticed_by(level(call), succeeds));
        found.push(denied);
    }
    let value = match result {
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => Some(value.clone()),
        ResultContent::Text(text) => received_json::read(text)
            .ok()
            .map(|read| read.value)
            .filter(|value: &Value| value.is_object() || value.is_array()),
    };
    let (rule, new) = if let Some(value) = &value {
        (
            require(name, [("result", yaml_text(value))]),
            text(&other(value).to_string()),
        )
    } else {
        let ResultContent::Text(said) = result else {
            return found;
        };
        let pattern = format!("^{}$", escaped(said));
        (
            require(name, [("result_match", json!(pattern))]),
            text(&other_text(said)),
        )
    };
    let is_empty = matches!(result, ResultContent::Text(text) if text.is_empty());
    if !is_empty {
        let empty = answered(
            MutationOperator::ResultEmpty,
            text(""),
            *is_error,
            "is empty",
        );
        found.push(empty.noticed_by(level(call), rule.clone()));
    }
    let changed = answered(
        MutationOperator::ResultValue,
        new,
        *is_error,
        "has another value",
    );
    found.push(changed.noticed_by(level(call), rule));
    found
}
