//! The tool calls of a conversation: each is reported once, however often it is announced.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value;

use super::teller::Teller;
use ananke_trace::trace::{Change, ResultContent, is_same_json};

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct CallLog {
    calls: IndexMap<String, LoggedCall>,
}

/// The calls in the parts of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallParts {
    /// They are taken.
    Taken,
    /// They are known, since the message came before.
    Known,
}

#[derive(Debug)]
struct LoggedCall {
    name: String,
    result: Option<Value>,
    is_denied: bool,
}

impl CallLog {
    /// A call, unless it is known.
    pub(super) fn call(&mut self, id: String, name: String, args: &Value, teller: &mut Teller<'_>) {
        let id = if id.is_empty() {
            format!("call-{}", self.calls.len() + 1)
        } else {
            id
        };
        if self.calls.contains_key(&id) {
            return;
        }
        let wire = || Cow::Borrowed(id.as_str());
        teller.tell(Change::CallOpened {
            id: wire(),
            name: Cow::Borrowed(&name),
            subagent: None,
        });
        if !args.is_null() {
            teller.tell(Change::CallArgs {
                id: wire(),
                delta: args.to_string().into(),
            });
        }
        teller.tell(Change::CallArgsDone { id: wire() });
        self.calls.insert(
            id,
            LoggedCall {
                name,
                result: None,
                is_denied: false,
            },
        );
    }

    /// A result, unless it is that which the call has. Without an id, it is that of the last call to the tool.
    pub(super) fn result(
        &mut self,
        id: String,
        name: &str,
        result: Value,
        is_error: Option<bool>,
        teller: &mut Teller<'_>,
    ) {
        let of_name = |calls: &IndexMap<String, LoggedCall>| {
            let mut open = calls
                .iter()
                .rev()
                .filter(|(_, call)| call.result.is_none() && call.name == name);
            open.next().map(|(id, _)| id.clone())
        };
        let id = if id.is_empty() {
            of_name(&self.calls).unwrap_or_default()
        } else {
            id
        };
        if let Some(call) = self.calls.get_mut(&id) {
            if call
                .result
                .as_ref()
                .is_some_and(|known| is_same_json(known, &result))
            {
                return;
            }
            call.result = Some(result.clone());
        }
        let result = match result {
            Value::String(text) => ResultContent::Text(text.into()),
            value => ResultContent::Json(value),
        };
        teller.tell(Change::CallAnswered {
            id: id.into(),
            result,
            is_error,
        });
    }

    /// The call was denied.
    pub(super) fn deny(&mut self, id: &str, teller: &mut Teller<'_>) {
        let known = self.calls.get_mut(id);
        if known.is_some_and(|call| !std::mem::replace(&mut call.is_denied, true)) {
            teller.tell(Change::CallFailed {
                id: id.into(),
                is_denied: true,
            });
        }
    }
}
