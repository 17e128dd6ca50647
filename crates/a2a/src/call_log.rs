//! The tool calls of a conversation: each is reported once, however often it is announced.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde_json::Value;

use super::teller::Teller;
use ananke_trace::trace::{Change, ResultContent, Unread, is_same_json};

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
    /// Whether the agent wrote no id.
    is_id_made: bool,
    result: Option<Value>,
    is_denied: bool,
}

impl CallLog {
    /// A call, unless it is known. Returns its id.
    pub(super) fn call(
        &mut self,
        id: String,
        name: String,
        args: &Value,
        teller: &mut Teller<'_>,
    ) -> String {
        let is_id_made = id.is_empty();
        let id = if is_id_made {
            format!("call-{}", self.calls.len() + 1)
        } else {
            id
        };
        if self.calls.contains_key(&id) {
            return id;
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
        let call = LoggedCall {
            name,
            is_id_made,
            result: None,
            is_denied: false,
        };
        self.calls.insert(id.clone(), call);
        id
    }

    /// The call that the result of a call to `name` means, if no call has its id: the last one without a result, or one that has
    /// this result already. An id that is written means only a call whose own id is not.
    fn of_name(&self, id: &str, name: &str, result: &Value) -> Option<String> {
        let mut has_this = None;
        for (key, call) in self.calls.iter().rev() {
            if call.name != name || !(id.is_empty() || call.is_id_made) {
                continue;
            }
            match &call.result {
                None => return Some(key.clone()),
                Some(known) if is_same_json(known, result) => has_this = has_this.or(Some(key)),
                Some(_) => {}
            }
        }
        has_this.cloned()
    }

    /// A result, unless it is that which the call has. Without a call, it proves one if it names the tool.
    pub(super) fn result(
        &mut self,
        id: String,
        name: &str,
        result: Value,
        is_error: Option<bool>,
        teller: &mut Teller<'_>,
    ) {
        let known = if self.calls.contains_key(&id) {
            Some(id.clone())
        } else {
            self.of_name(&id, name, &result)
        };
        let id = match known {
            Some(known) => known,
            // A result proves a call to the tool that it names.
            None if !name.is_empty() => {
                let why = "only the result of the call came";
                teller.tell(Change::Unread(Unread::arguments(name, why)));
                self.call(id, name.to_owned(), &Value::Null, teller)
            }
            None => {
                let why = "the call never came";
                return teller.tell(Change::Unread(Unread::results(&id, why)));
            }
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
