//! The messages and calls of an exchange: which are under way and which are complete. What comes out of order is
//! `sequence`'s to tell; here it is kept wherever it is clear.

use std::borrow::Cow;
use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::Value;

use super::conversation::Conversation;
use super::lanes::{Begun, Kind};
use super::thoughts::Thoughts;
use super::warnings::Warnings;
use crate::target::Received;
use crate::trace::{Change, ResultContent, Role};

/// Where changes are told.
pub(super) type Tell<'t> = dyn FnMut(Change<'_>) + Send + 't;

/// What an event may touch beside what is under way.
pub(super) struct Effects<'a, 't> {
    pub(super) conversation: &'a mut Conversation,
    pub(super) warnings: &'a mut Warnings,
    pub(super) tell: &'a mut Tell<'t>,
}

/// The messages and calls of one exchange, by id.
#[derive(Debug, Default)]
pub(super) struct Speech {
    messages: IndexMap<String, OpenMessage>,
    complete_messages: HashSet<String>,
    /// The arguments' text so far of the calls under way.
    calls: IndexMap<String, String>,
    complete_calls: HashSet<String>,
    pub(super) thoughts: Thoughts,
}

#[derive(Debug)]
struct OpenMessage {
    role: &'static str,
    text: String,
}

impl Speech {
    /// The one thing of this kind that is under way, where it is one.
    pub(super) fn only_open(&self, kind: Kind) -> Option<&str> {
        let mut open: Box<dyn Iterator<Item = &String>> = match kind {
            Kind::Message => Box::new(self.messages.keys()),
            Kind::Call => Box::new(self.calls.keys()),
            Kind::Thoughts => return self.thoughts.only_open(),
        };
        open.next().filter(|_| open.next().is_none()).map(String::as_str)
    }

    pub(super) fn is_open(&self, kind: Kind, id: &str) -> bool {
        match kind {
            Kind::Message => self.messages.contains_key(id),
            Kind::Call => self.calls.contains_key(id),
            Kind::Thoughts => self.thoughts.is_open(id),
        }
    }

    /// A message begins; `role` is as sent, and `subagent` says it unless it is empty.
    pub(super) fn open_message(
        &mut self,
        id: &str,
        role: &str,
        subagent: &str,
        effects: &mut Effects<'_, '_>,
    ) {
        if self.is_open(Kind::Message, id) {
            return;
        }
        let (sent, role) = match role {
            "assistant" => ("assistant", Role::Assistant),
            "user" => ("user", Role::User),
            "system" => ("system", Role::System),
            "developer" => ("developer", Role::System),
            other => {
                effects.warnings.add(format!(
                    "the message `{}` has the unknown role `{}`",
                    shown(id),
                    shown(other)
                ));
                ("assistant", Role::Assistant)
            }
        };
        self.messages.insert(id.to_owned(), OpenMessage { role: sent, text: String::new() });
        effects.conversation.history.open_message(id, sent);
        (effects.tell)(Change::MessageOpened { id: Cow::Borrowed(id), role, subagent: named(subagent) });
    }

    /// More text of a message.
    pub(super) fn add_text(&mut self, id: &str, delta: &str, effects: &mut Effects<'_, '_>) {
        if !self.is_open(Kind::Message, id) {
            if self.complete_messages.contains(id) {
                effects.conversation.history.append(id, delta);
            } else {
                self.open_message(id, "assistant", "", effects);
            }
        }
        if let Some(message) = self.messages.get_mut(id) {
            message.text.push_str(delta);
        }
        (effects.tell)(Change::MessageText { id: Cow::Borrowed(id), delta: Cow::Borrowed(delta) });
    }

    /// A message is complete.
    pub(super) fn close_message(&mut self, id: &str, effects: &mut Effects<'_, '_>) {
        let Some((id, message)) = self.messages.swap_remove_entry(id) else { return };
        effects.conversation.history.close_message(&id, message.role, &message.text);
        (effects.tell)(Change::MessageClosed { id: Cow::Borrowed(&id) });
        self.complete_messages.insert(id);
    }

    /// A call begins; `subagent` makes it unless it is empty.
    pub(super) fn open_call(
        &mut self,
        id: &str,
        name: &str,
        parent: Option<&str>,
        subagent: &str,
        effects: &mut Effects<'_, '_>,
    ) {
        if self.is_open(Kind::Call, id) {
            return;
        }
        self.calls.insert(id.to_owned(), String::new());
        effects.conversation.history.open_call(id, name, parent);
        (effects.tell)(Change::CallOpened {
            id: Cow::Borrowed(id),
            name: Cow::Borrowed(name),
            subagent: named(subagent),
        });
    }

    /// More text of a call's arguments.
    pub(super) fn add_arguments(&mut self, id: &str, delta: &str, effects: &mut Effects<'_, '_>) {
        if let Some(arguments) = self.calls.get_mut(id) {
            arguments.push_str(delta);
        } else if !self.complete_calls.contains(id) {
            // Whose arguments they are cannot be told without a name.
            return;
        }
        (effects.tell)(Change::CallArgs { id: Cow::Borrowed(id), delta: Cow::Borrowed(delta) });
    }

    /// A call's arguments are complete.
    pub(super) fn close_call(&mut self, id: &str, effects: &mut Effects<'_, '_>) {
        let Some((id, arguments)) = self.calls.swap_remove_entry(id) else { return };
        effects.conversation.history.close_call(&id, &arguments);
        (effects.tell)(Change::CallArgsDone { id: Cow::Borrowed(&id) });
        self.complete_calls.insert(id);
    }

    /// Ends what chunks began.
    pub(super) fn close(&mut self, begun: &Begun, effects: &mut Effects<'_, '_>) {
        match begun.kind {
            Kind::Message => self.close_message(&begun.id, effects),
            Kind::Call => self.close_call(&begun.id, effects),
            Kind::Thoughts => self.thoughts.close(&begun.id, effects),
        }
    }

    /// The run is finished: whatever is under way is as complete as it will be.
    pub(super) fn close_all(&mut self, effects: &mut Effects<'_, '_>) {
        self.thoughts.close_all(effects);
        let messages: Vec<_> = self.messages.keys().cloned().collect();
        for id in messages {
            self.close_message(&id, effects);
        }
        let calls: Vec<_> = self.calls.keys().cloned().collect();
        for id in calls {
            self.close_call(&id, effects);
        }
    }
}

pub(super) fn named(subagent: &str) -> Option<Cow<'_, str>> {
    Some(Cow::Borrowed(subagent)).filter(|subagent| !subagent.is_empty())
}

/// A tool's answer as a message of the history has it: text or content parts; any other value as its JSON.
pub(super) fn answer_content(result: &ResultContent<'_>) -> Value {
    let is_part = |value: &Value| value.get("type").is_some_and(Value::is_string);
    match result {
        ResultContent::Text(text) => Value::String(text.to_string()),
        ResultContent::Json(Value::Array(parts)) if !parts.is_empty() && parts.iter().all(is_part) => {
            Value::Array(parts.clone())
        }
        ResultContent::Json(value) => Value::String(value.to_string()),
    }
}

/// An id or another short text of the agent's in a warning.
pub(super) fn shown(text: &str) -> String {
    Received::quote(text.as_bytes())
}
