//! Puts the calls of one response together: servers do not agree on how a fragment says which call it belongs to.

use serde_json::Value;

use super::chat_message::ChatCall;
use super::chunk::CallFragment;
use ananke_agents::{AnsweredCalls, CallKeys};
use ananke_base::message::ToolDeclaration;
use ananke_base::source::received_json::{HalfJoiner, Oddities, SentText, is_json, without_marks};
use ananke_trace::trace::{Change, ResultContent};

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

impl From<CallChange> for Change<'static> {
    /// The change of the trace. The id of a call in the trace is its key, which is unique in the conversation.
    fn from(change: CallChange) -> Self {
        match change {
            CallChange::Begins(id, name) => Self::CallOpened {
                id: id.into(),
                name: name.into(),
                // Chat completions show no subagents.
                subagent: None,
            },
            CallChange::Arguments(id, delta) => Self::CallArgs {
                id: id.into(),
                delta: delta.into(),
            },
            CallChange::Ends(id) => Self::CallArgsDone { id: id.into() },
            CallChange::Answered(id, result) => Self::CallAnswered {
                id: id.into(),
                result: ResultContent::Text(result.into()),
                // The API does not mark results that are errors.
                is_error: None,
            },
            // Half of a surrogate pair (UTF-16) came without its other half, and was replaced.
            CallChange::HasLoneHalf => Self::Warning(Oddities::HALF.into()),
        }
    }
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

    /// Adds a fragment to its call, and returns the changes that it makes. `keys` are those of all calls of the conversation.
    pub(super) fn take(
        &mut self,
        fragment: &CallFragment<'_>,
        keys: &mut CallKeys,
    ) -> Vec<CallChange> {
        let mut changes = Vec::new();
        let position = if let Some(position) = self.position(fragment) {
            position
        } else {
            // A new call shows that the names of those before are whole.
            self.begin_all(&mut changes);
            let call = StreamedCall::new(fragment.index, fragment.id.as_deref(), keys);
            self.calls.push(call);
            self.calls.len() - 1
        };

        // Id and name may come late. The name may come in pieces, or again with each fragment, so that an equal one is not added.
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

        // Servers cut a text between the halves of a surrogate pair. `halves` is the form in which a text has such halves.
        let piece = match fragment.arguments {
            Some(Value::String(text)) => SentText::new(text.as_str(), fragment.halves),
            // Some servers send the arguments as JSON instead of as a text, and all at once. So a second value repeats them, and
            // is dropped. Without its marks, a number that JSON does not have (NaN) is a text.
            Some(value) if call.arguments.is_empty() => {
                SentText::new(without_marks(value).to_string(), fragment.halves)
            }
            // The fragment has no arguments, or repeats them.
            _ => SentText::whole(""),
        };
        // The joiner keeps a half at the end of the piece until the next piece.
        let (delta, has_lone_half) = call.joiner.join(piece);
        if has_lone_half {
            changes.push(CallChange::HasLoneHalf);
        }
        call.arguments.push_str(&delta);

        // A call begins once its name is whole, because rules look at the name, and one that is violated stops the run. Arguments
        // show that it is whole, and so does a declared tool whose name is the start of no other.
        let had_begun = call.has_begun;
        if !call.arguments.is_empty() || is_whole(&call.name, self.declared) {
            call.begin(&mut changes);
        }
        // A call that begins here reports all its arguments itself.
        if had_begun && !delta.is_empty() {
            changes.push(CallChange::Arguments(call.key.clone(), delta.into_owned()));
        }

        // A server that executes the call itself sends its result with it. A call without a name never begins, so that its result
        // would belong to nothing.
        if let Some(result) = &fragment.result
            && !call.name.is_empty()
        {
            call.end(&mut changes);
            // A result comes as a whole, so that no later piece has the other half of a pair.
            let mut has_lone_half = false;
            let result = result.clone().alone(|| has_lone_half = true).into_owned();
            if has_lone_half {
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

    /// The key of the call that a result answers. An `id` finds the newest call with it. Otherwise the `tool` finds the first of
    /// its calls that is not `answered`. A result with neither belongs to the only call that is not answered.
    pub(super) fn key_of(
        &self,
        id: Option<&str>,
        tool: Option<&str>,
        answered: &AnsweredCalls,
    ) -> Option<String> {
        // Servers use an id again, so that the newest call with it counts. The id may also be the key that the call got here,
        // since the next request sends that for a call without an id.
        if let Some(id) = id {
            let mut newest_first = self.calls.iter().rev();
            let call = newest_first.find(|call| call.key == id || call.id.as_deref() == Some(id));
            if let Some(call) = call {
                return Some(call.key.clone());
            }
        }

        let calls = self.calls.iter();
        let mut open_calls = calls.filter(|call| !answered.contains(&call.key));
        if let Some(tool) = tool {
            // An id that no call has may belong to a call that came without one, but not to a call with another id.
            let call =
                open_calls.find(|call| call.name == tool && (id.is_none() || call.id.is_none()))?;
            return Some(call.key.clone());
        }

        // A result without id and tool can only answer the one call that has no result yet. With an id that no call has, or
        // several such calls, any choice would be a guess.
        let only = open_calls.next()?;
        if id.is_some() || open_calls.next().is_some() {
            return None;
        }
        Some(only.key.clone())
    }

    /// Adds a call to `tool` of which only the result came, and returns its key. It has no index, since only fragments of calls
    /// have one, and its arguments stay empty. `keys` are those of all calls of the conversation.
    pub(super) fn add_answered(
        &mut self,
        id: Option<&str>,
        tool: &str,
        keys: &mut CallKeys,
    ) -> String {
        let call = StreamedCall {
            name: tool.to_owned(),
            ..StreamedCall::new(None, id, keys)
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

    /// The position of the call that a fragment continues; `None` if it begins a call.
    fn position(&self, fragment: &CallFragment<'_>) -> Option<usize> {
        // First the index, because gateways make up an id for each fragment. The newest call with it is the candidate, since
        // servers use an index again. Without an index, fragments come call after call, so that it is the last call.
        let candidate = match fragment.index {
            Some(index) => self
                .calls
                .iter()
                .rposition(|call| call.index == Some(index)),
            None => self.calls.len().checked_sub(1),
        };

        // Then the id. If the candidate has another one, the fragment may continue an earlier call with this id.
        let candidate_id = match candidate {
            Some(at) => self.calls[at].id.as_deref(),
            None => None,
        };
        if fragment.id.is_some() && fragment.id.as_deref() != candidate_id {
            let earlier = self.calls.iter().rposition(|call| {
                // Some servers give parallel calls the same id. Such calls differ in their index, and each begins with a name.
                let may_be_same = fragment.name.is_none() || call.index == fragment.index;
                may_be_same && call.id.as_deref() == fragment.id.as_deref()
            });
            if earlier.is_some() {
                return earlier;
            }
        }

        // Last the name. A fragment without a name continues the candidate.
        let call = &self.calls[candidate?];
        let Some(name) = fragment.name else {
            return candidate;
        };
        // If both have an id, it decides. Otherwise a fragment with a name begins a call if the candidate is complete: it has
        // ended, or another name or whole arguments show that. Until then the fragment continues it, since some servers send a
        // name in pieces, or repeat it with each fragment.
        let begins_call = if let Some(id) = fragment.id.as_deref()
            && let Some(candidate_id) = call.id.as_deref()
        {
            id != candidate_id
        } else {
            call.has_ended || call.has_begun && (call.name != name || is_json(&call.arguments))
        };
        if begins_call { None } else { candidate }
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
    /// A call of which nothing but the index and the server's id has arrived. Its key is added to `keys`.
    fn new(index: Option<u64>, id: Option<&str>, keys: &mut CallKeys) -> Self {
        Self {
            index,
            id: id.map(str::to_owned),
            key: keys.add(id),
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

    /// Ends the call, unless it has ended or has no name, and adds what changes to `changes`.
    fn end(&mut self, changes: &mut Vec<CallChange>) {
        // Half of a surrogate pair that waited for the other half becomes U+FFFD, since nothing follows.
        let lone_half = self.joiner.finish();
        self.arguments.extend(lone_half);
        // A call that has not begun does so now, with all its arguments. A call that had begun gets only the half in addition.
        let had_begun = self.has_begun;
        self.begin(changes);
        if let Some(character) = lone_half {
            changes.push(CallChange::HasLoneHalf);
            if had_begun {
                changes.push(CallChange::Arguments(self.key.clone(), character.into()));
            }
        }
        // A call without a name has not begun even now, and so has no end. The end is reported once.
        if self.has_begun && !self.has_ended {
            self.has_ended = true;
            changes.push(CallChange::Ends(self.key.clone()));
        }
    }
}
