//! Puts the calls of one response together: servers do not agree on how a fragment says which call it belongs to.

use std::collections::HashSet;

use serde_json::Value;

use super::chat_message::ChatCall;
use super::chunk::CallFragment;
use ananke_base::message::ToolDeclaration;
use ananke_base::source::received_json::{HalfJoiner, SentText, is_json, without_marks};

/// The calls of one response.
pub(super) struct ToolCalls<'t> {
    declared: &'t [ToolDeclaration],
    calls: Vec<StreamedCall>,
}

/// A call as far as it has arrived.
struct StreamedCall {
    index: Option<u64>,
    /// The server's id, if it has sent one.
    id: Option<String>,
    /// The key of the call in reports and answers: no other call of the conversation has it.
    key: String,
    /// The name of its tool so far: some servers send it in pieces.
    name: String,
    /// Whether it has begun: its name is whole.
    has_begun: bool,
    /// Whether its end has been reported.
    has_ended: bool,
    arguments: String,
    joiner: HalfJoiner,
}

/// The change that a fragment makes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallChange {
    /// A call begins: its key and the name of its tool.
    Begins(String, String),
    /// More of the arguments of the call with this key.
    Arguments(String, String),
    /// The arguments of the call with this key are complete.
    Ends(String),
    /// Half of a surrogate pair is alone in arguments.
    HasLoneHalf,
    /// The result of the call with this key, which the server has executed.
    Answered(String, String),
}

impl<'t> ToolCalls<'t> {
    /// No calls so far, of these tools.
    pub(super) fn new(declared: &'t [ToolDeclaration]) -> Self {
        Self {
            declared,
            calls: Vec::new(),
        }
    }

    /// Whether a fragment begins a call.
    pub(super) fn is_new(&self, fragment: &CallFragment<'_>) -> bool {
        self.position(fragment).is_none()
    }

    /// Takes a fragment; `used` are the keys of the conversation so far.
    pub(super) fn take(
        &mut self,
        fragment: &CallFragment<'_>,
        used: &mut HashSet<String>,
    ) -> Vec<CallChange> {
        let mut changes = Vec::new();
        let position = if let Some(position) = self.position(fragment) {
            position
        } else {
            // A new call shows that the names of those before are whole.
            self.begin_all(&mut changes);
            let call = StreamedCall::new(fragment.index, fragment.id.as_deref(), used);
            self.calls.push(call);
            self.calls.len() - 1
        };

        // Id and name may come late, and the name in pieces.
        let call = &mut self.calls[position];
        if call.id.is_none() {
            call.id = fragment.id.as_deref().map(str::to_owned);
        }
        if let Some(name) = fragment.name
            && !call.has_begun
            && call.name != name
        {
            call.name.push_str(name);
        }

        let more = match fragment.arguments {
            Some(Value::String(text)) => SentText::new(text.as_str(), fragment.halves),
            // Some servers send the arguments as they are, and all at once.
            Some(value) if call.arguments.is_empty() => {
                SentText::new(without_marks(value).to_string(), fragment.halves)
            }
            _ => SentText::whole(""),
        };
        let (more, is_lone) = call.joiner.join(more);
        if is_lone {
            changes.push(CallChange::HasLoneHalf);
        }
        call.arguments.push_str(&more);
        // A call begins once its name is whole, because rules look at the name, and one that is violated stops the run.
        let has_begun = call.has_begun;
        if !call.arguments.is_empty() || is_whole(&call.name, self.declared) {
            call.begin(&mut changes);
        }
        if has_begun && !more.is_empty() {
            changes.push(CallChange::Arguments(call.key.clone(), more.into_owned()));
        }

        if let Some(result) = &fragment.result
            && !call.name.is_empty()
        {
            call.end(&mut changes);
            let mut is_lone = false;
            let result = result.clone().alone(|| is_lone = true).into_owned();
            if is_lone {
                changes.push(CallChange::HasLoneHalf);
            }
            changes.push(CallChange::Answered(call.key.clone(), result));
        }
        changes
    }

    /// Begins the calls whose names could still have become longer.
    pub(super) fn begin_all(&mut self, changes: &mut Vec<CallChange>) {
        for call in &mut self.calls {
            call.begin(changes);
        }
    }

    pub(super) fn end_all(&mut self) -> Vec<CallChange> {
        let mut changes = Vec::new();
        for call in &mut self.calls {
            call.end(&mut changes);
        }
        changes
    }

    /// Ends the call with this key.
    pub(super) fn end(&mut self, key: &str) -> Vec<CallChange> {
        let mut changes = Vec::new();
        if let Some(call) = self.calls.iter_mut().rfind(|call| call.key == key) {
            call.end(&mut changes);
        }
        changes
    }

    /// The keys of the calls that have begun.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.calls
            .iter()
            .filter(|call| call.has_begun)
            .map(|call| call.key.as_str())
    }

    /// The key of the newest call with the server's `id`. Without such a call: of the first call without an id to `tool` that is
    /// not `answered`. Without id and tool: of the only call that is not answered.
    pub(super) fn key_of(
        &self,
        id: Option<&str>,
        tool: Option<&str>,
        answered: &HashSet<String>,
    ) -> Option<String> {
        if let Some(id) = id {
            let mut newest_first = self.calls.iter().rev();
            let call = newest_first.find(|call| call.key == id || call.id.as_deref() == Some(id));
            if let Some(call) = call {
                return Some(call.key.clone());
            }
        }

        let calls = self.calls.iter();
        let mut open = calls.filter(|call| !answered.contains(&call.key));
        if let Some(tool) = tool {
            // An id that no call has may be that of a call which came without one.
            let call =
                open.find(|call| call.name == tool && (id.is_none() || call.id.is_none()))?;
            return Some(call.key.clone());
        }

        // A result that names nothing can only be that of the one call that waits for it; any other choice would be a guess.
        let only = open.next()?;
        if id.is_some() || open.next().is_some() {
            return None;
        }
        Some(only.key.clone())
    }

    /// Adds a call to `tool` of which only the result came. Returns its key.
    pub(super) fn add_answered(
        &mut self,
        id: Option<&str>,
        tool: &str,
        used: &mut HashSet<String>,
    ) -> String {
        let call = StreamedCall {
            name: tool.to_owned(),
            ..StreamedCall::new(None, id, used)
        };
        let key = call.key.clone();
        self.calls.push(call);
        key
    }

    /// The keys of the calls that never got the name of their tool.
    pub(super) fn nameless(&self) -> impl Iterator<Item = &str> {
        let nameless = self.calls.iter().filter(|call| call.name.is_empty());
        nameless.map(|call| call.key.as_str())
    }

    /// The calls as the next request sends them, each with its key.
    pub(super) fn into_calls(self) -> Vec<(String, ChatCall)> {
        let mut calls = Vec::new();
        for call in self.calls {
            let id = call.id.unwrap_or_else(|| call.key.clone());
            let sent = ChatCall::new(id, call.name, call.arguments);
            calls.push((call.key, sent));
        }
        calls
    }

    /// The call that a fragment continues; `None` if it begins one.
    fn position(&self, fragment: &CallFragment<'_>) -> Option<usize> {
        // The index decides before the id, because gateways make up an id for each fragment.
        let candidate = match fragment.index {
            Some(index) => self
                .calls
                .iter()
                .rposition(|call| call.index == Some(index)),
            None => self.calls.len().checked_sub(1),
        };

        // An id that the candidate does not have is that of an earlier call, or says nothing.
        let candidate_id = match candidate {
            Some(at) => self.calls[at].id.as_deref(),
            None => None,
        };
        if fragment.id.is_some() && fragment.id.as_deref() != candidate_id {
            let earlier = self.calls.iter().rposition(|call| {
                // Parallel calls under one id differ in their index, and begin with a name.
                let may_be_same = fragment.name.is_none() || call.index == fragment.index;
                may_be_same && call.id.as_deref() == fragment.id.as_deref()
            });
            if earlier.is_some() {
                return earlier;
            }
        }

        // Without a name a fragment only continues. With one it begins a call, unless that of the candidate is not over: some
        // servers send a name in pieces, or repeat it with each fragment.
        let call = &self.calls[candidate?];
        let Some(name) = fragment.name else {
            return candidate;
        };
        let is_other = if let Some(id) = fragment.id.as_deref()
            && let Some(known) = call.id.as_deref()
        {
            id != known
        } else {
            call.has_ended || call.has_begun && (call.name != name || is_json(&call.arguments))
        };
        if is_other { None } else { candidate }
    }
}

/// Whether a name is that of a tool, and not the start of another one's.
fn is_whole(name: &str, declared: &[ToolDeclaration]) -> bool {
    let mut tools = declared.iter().filter(|tool| tool.name.starts_with(name));
    let Some(first) = tools.next() else {
        return false;
    };
    !name.is_empty() && first.name == name && tools.next().is_none()
}

impl StreamedCall {
    fn new(index: Option<u64>, id: Option<&str>, used: &mut HashSet<String>) -> Self {
        let wanted = match id {
            Some(id) => id.to_owned(),
            None => format!("call_{}", used.len()),
        };
        // Servers use ids again in later answers, so that the key of a call may need a number.
        let mut key = wanted.clone();
        for number in 2.. {
            if used.insert(key.clone()) {
                break;
            }
            key = format!("{wanted}#{number}");
        }
        Self {
            index,
            id: id.map(str::to_owned),
            key,
            name: String::new(),
            has_begun: false,
            has_ended: false,
            arguments: String::new(),
            joiner: HalfJoiner::default(),
        }
    }

    /// Begins the call, unless it has begun or has no name. What has arrived of its arguments comes with it.
    fn begin(&mut self, changes: &mut Vec<CallChange>) {
        if self.name.is_empty() || std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        changes.push(CallChange::Begins(self.key.clone(), self.name.clone()));
        if !self.arguments.is_empty() {
            changes.push(CallChange::Arguments(
                self.key.clone(),
                self.arguments.clone(),
            ));
        }
    }

    /// Ends the call, unless it has ended or has no name.
    fn end(&mut self, changes: &mut Vec<CallChange>) {
        // Half of a surrogate pair that waited for the other half is sent as it is, since nothing follows.
        let lone = self.joiner.finish();
        self.arguments.extend(lone);
        let has_begun = self.has_begun;
        self.begin(changes);
        if let Some(lone) = lone {
            changes.push(CallChange::HasLoneHalf);
            if has_begun {
                changes.push(CallChange::Arguments(self.key.clone(), lone.into()));
            }
        }
        if self.has_begun && !std::mem::replace(&mut self.has_ended, true) {
            changes.push(CallChange::Ends(self.key.clone()));
        }
    }
}
