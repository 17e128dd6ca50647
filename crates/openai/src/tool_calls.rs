//! Puts the calls of one response together: servers do not agree on how a fragment says which call it belongs to.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::chat_message::ChatCall;
use super::chunk::CallFragment;

/// The calls of one response.
#[derive(Default)]
pub(super) struct ToolCalls {
    calls: Vec<StreamedCall>,
}

/// A call as far as it has arrived.
struct StreamedCall {
    index: Option<u64>,
    /// The server's id, if it has sent one.
    id: Option<String>,
    /// What reports and answers know it by: no other call of the conversation has it.
    key: String,
    name: Option<String>,
    arguments: String,
}

/// What a fragment means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallChange {
    /// A call begins: its key and the name of its tool.
    Begins(String, String),
    /// More of the arguments of the call with this key.
    Arguments(String, String),
}

impl ToolCalls {
    /// Takes a fragment; `used` are the keys of the conversation so far.
    pub(super) fn take(
        &mut self,
        fragment: &CallFragment<'_>,
        used: &mut HashSet<String>,
    ) -> Vec<CallChange> {
        let position = self.position(fragment).unwrap_or_else(|| {
            self.calls.push(StreamedCall::begin(fragment, used));
            self.calls.len() - 1
        });
        let call = &mut self.calls[position];
        if call.id.is_none() {
            call.id = fragment.id.map(str::to_owned);
        }
        let mut changes = Vec::new();
        if let (None, Some(name)) = (&call.name, fragment.name) {
            call.name = Some(name.to_owned());
            changes.push(CallChange::Begins(call.key.clone(), name.to_owned()));
            if !call.arguments.is_empty() {
                changes.push(CallChange::Arguments(
                    call.key.clone(),
                    call.arguments.clone(),
                ));
            }
        }
        let more = match fragment.arguments {
            Some(Value::String(text)) => text.clone(),
            // Some servers send the arguments as they are, and all at once.
            Some(value) if call.arguments.is_empty() => value.to_string(),
            _ => String::new(),
        };
        if !more.is_empty() {
            call.arguments.push_str(&more);
            if call.name.is_some() {
                changes.push(CallChange::Arguments(call.key.clone(), more));
            }
        }
        changes
    }

    /// The keys of the calls that have begun.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.calls
            .iter()
            .filter(|call| call.name.is_some())
            .map(|call| call.key.as_str())
    }

    /// Whether a call never got the name of its tool.
    pub(super) fn has_nameless(&self) -> bool {
        self.calls.iter().any(|call| call.name.is_none())
    }

    /// The calls as the next request sends them, each with its key.
    pub(super) fn into_calls(self) -> Vec<(String, ChatCall)> {
        let sent = |call: StreamedCall| {
            let id = call.id.unwrap_or_else(|| call.key.clone());
            (
                call.key,
                ChatCall::new(id, call.name.unwrap_or_default(), call.arguments),
            )
        };
        self.calls.into_iter().map(sent).collect()
    }

    /// The call that a fragment continues.
    fn position(&self, fragment: &CallFragment<'_>) -> Option<usize> {
        let is_same = |call: &StreamedCall| {
            // Parallel calls under one id differ in their index, and begin with a name.
            let is_parallel = fragment.name.is_some() && call.index != fragment.index;
            call.id.as_deref() == fragment.id && !is_parallel
        };
        if fragment.id.is_some()
            && let Some(known) = self.calls.iter().rposition(is_same)
        {
            return Some(known);
        }
        let position = match fragment.index {
            Some(index) => self
                .calls
                .iter()
                .rposition(|call| call.index == Some(index))?,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = &self.calls[position];
        // An id that is new begins a call, even at an index that is known.
        let is_other_id = fragment.id.is_some() && call.id.is_some();
        let is_other_name = match (&call.name, fragment.name) {
            (Some(known), Some(name)) => known != name || call.is_complete(),
            _ => false,
        };
        (!is_other_id && !is_other_name).then_some(position)
    }
}

impl StreamedCall {
    fn begin(fragment: &CallFragment<'_>, used: &mut HashSet<String>) -> Self {
        let wanted = fragment
            .id
            .map_or_else(|| format!("call_{}", used.len()), str::to_owned);
        let mut key = wanted.clone();
        for number in 2.. {
            if used.insert(key.clone()) {
                break;
            }
            key = format!("{wanted}#{number}");
        }
        let id = fragment.id.map(str::to_owned);
        Self {
            index: fragment.index,
            id,
            key,
            name: None,
            arguments: String::new(),
        }
    }

    fn is_complete(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }
}
