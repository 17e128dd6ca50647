//! Changes to the results of calls that the agent's side executes.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::calls::{about, level, require};
use super::other_value::{other, other_text};
use super::rule_text::{escaped, yaml_text};
use super::tape_index::{TapeIndex, TapedCall};
use super::{Mutation, mutation::SnapshotEdit};
use ananke_base::{context::At, source::received_json};
use ananke_conversation::TapeItem;
use ananke_model::model::MutationOperator;
use ananke_trace::trace::{Change, ResultContent};

/// A call with the item that answers it.
struct AnsweredCall<'t> {
    call: &'t TapedCall,
    at: usize,
    moment: At,
    result: &'t ResultContent<'static>,
    is_error: Option<bool>,
}

/// All changes to results. What the client answers is the test's own.
pub(super) fn mutations(index: &TapeIndex, items: &[TapeItem]) -> Vec<Mutation> {
    let calls = index.calls.iter();
    let answered = calls.filter_map(|call| AnsweredCall::of(call, items));
    answered.flat_map(|call| call.mutations()).collect()
}

impl<'t> AnsweredCall<'t> {
    fn of(call: &'t TapedCall, items: &[TapeItem]) -> Option<Self> {
        let (at, result) = call.result.as_ref()?;
        match items[*at] {
            TapeItem::Change(moment, Change::CallAnswered { is_error, .. }) => Some(Self {
                call,
                at: *at,
                moment,
                result,
                is_error,
            }),
            _ => None,
        }
    }

    fn mutations(&self) -> Vec<Mutation> {
        let mut found = Vec::new();
        if !self.call.has_failed {
            found.extend([self.failed(), self.denied()]);
        }
        found.extend(self.with_other_values());
        found
    }

    fn failed(&self) -> Mutation {
        let operator = MutationOperator::ResultError;
        let text = "error: it failed".to_owned();
        let succeeds = require(&self.call.name, [("is_error", json!(false))]);
        self.answered(operator, text, Some(true), "is an error")
            .noticed_by(level(self.call), succeeds)
    }

    fn denied(&self) -> Mutation {
        let (id, name) = (&self.call.id, &self.call.name);
        let denied = Change::CallFailed {
            id: Cow::Owned(id.clone()),
            is_denied: true,
        };
        let words = format!("the call to `{name}` is denied");
        let executed = require(name, [("status", json!("executed"))]);
        about(MutationOperator::ResultDenied, self.call, words)
            .with(self.at + 1, vec![TapeItem::Change(self.moment, denied)])
            .in_snapshots(SnapshotEdit::NoResult(id.clone()))
            .noticed_by(level(self.call), executed)
    }

    /// The result empty, and with another value.
    fn with_other_values(&self) -> Vec<Mutation> {
        let name = &self.call.name;
        let (rule, new) = match (self.value(), self.result) {
            (Some(value), _) => (
                require(name, [("result", yaml_text(&value))]),
                other(&value).to_string(),
            ),
            (None, ResultContent::Text(said)) => {
                let pattern = format!("^{}$", escaped(said));
                let rule = require(name, [("result_match", json!(pattern))]);
                (rule, other_text(said))
            }
            (None, _) => return Vec::new(),
        };
        let mut found = Vec::new();
        let is_empty = matches!(self.result, ResultContent::Text(text) if text.is_empty());
        if !is_empty {
            let operator = MutationOperator::ResultEmpty;
            found.push(self.answered(operator, String::new(), self.is_error, "is empty"));
        }
        let operator = MutationOperator::ResultValue;
        found.push(self.answered(operator, new, self.is_error, "has another value"));
        let noticed = |mutation: Mutation| mutation.noticed_by(level(self.call), rule.clone());
        found.into_iter().map(noticed).collect()
    }

    /// The result as JSON, if it is not plain text.
    fn value(&self) -> Option<Value> {
        match self.result {
            ResultContent::Json(value) | ResultContent::Structured { value, .. } => {
                Some(value.clone())
            }
            ResultContent::Text(text) => received_json::read(text)
                .ok()
                .map(|read| read.value)
                .filter(|value: &Value| value.is_object() || value.is_array()),
        }
    }

    /// The call with another result.
    fn answered(
        &self,
        operator: MutationOperator,
        text: String,
        is_error: Option<bool>,
        what: &str,
    ) -> Mutation {
        let (call, id) = (self.call, &self.call.id);
        let words = format!("the result of `{}` {what}", call.name);
        let mut mutation = about(operator, call, words);
        mutation.site.data.push((call.result_text(), text.clone()));
        let change = Change::CallAnswered {
            id: Cow::Owned(id.clone()),
            result: ResultContent::Text(Cow::Owned(text)),
            is_error,
        };
        mutation
            .instead(self.at, TapeItem::Change(self.moment, change))
            .in_snapshots(SnapshotEdit::NoResult(id.clone()))
    }
}
