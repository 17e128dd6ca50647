//! The listeners to the events of an answer: the history that the next request sends, and the trace.
//!
//! Events begin, continue and end messages, calls and reasoning in several forms; both hear of it in one.

use std::borrow::Cow;

use super::event_kind::{EventRef, ItemKind};
use super::sequence::EventOrderRule;
use super::thread_state::ThreadState;
use super::warnings::{Warnings, shown};
use crate::messages::CallStart;
use ananke_base::source::received_json::is_json;
use ananke_trace::trace::{Change, MessageKind, Unread};

/// The listener to changes of the trace.
pub(super) type ChangeListener<'t> = dyn FnMut(Change<'_>) + Send + 't;

/// The listeners of one event.
pub(super) struct Listeners<'a, 't> {
    /// The event.
    pub(super) at: EventRef,
    pub(super) conversation: &'a mut ThreadState,
    pub(super) warnings: &'a mut Warnings,
    pub(super) tell: &'a mut ChangeListener<'t>,
}

impl Listeners<'_, '_> {
    /// A message begins; `role` is that of the protocol.
    pub(super) fn message_begins(&mut self, id: &str, role: &'static str, subagent: Option<&str>) {
        self.conversation.history.open_message(id, role);
        let role = match role {
            "user" => MessageKind::User,
            "system" | "developer" => MessageKind::System,
            _ => MessageKind::Assistant,
        };
        (self.tell)(Change::MessageOpened {
            id: id.into(),
            role,
            subagent: named(subagent),
        });
    }

    /// Text of an open message; the history takes it when the message ends.
    pub(super) fn message_text(&mut self, id: &str, delta: &str) {
        (self.tell)(Change::MessageText {
            id: id.into(),
            delta: delta.into(),
        });
    }

    /// Text of a message that has ended.
    pub(super) fn late_text(&mut self, id: &str, delta: &str) {
        self.conversation.history.append(id, delta);
        self.message_text(id, delta);
    }

    /// A call begins with the event, as part of the message `parent`, if it names one.
    pub(super) fn call_begins(
        &mut self,
        id: &str,
        name: &str,
        parent: Option<&str>,
        subagent: Option<&str>,
    ) {
        let ThreadState { calls, history, .. } = &mut *self.conversation;
        let begun = calls.begin(id, |key| {
            history
                .call(key)
                .is_none_or(|call| call.function.name == name)
        });
        let key = calls.key(id);
        history.open_call(id, key, begun, name, parent);
        (self.tell)(Change::CallOpened {
            id: key.into(),
            name: name.into(),
            subagent: named(subagent),
        });
        if begun == CallStart::SharesId {
            self.shares_id("begins", id);
        }
    }

    /// The event begins or lists another call with the id of a known one.
    pub(super) fn shares_id(&mut self, does: &str, id: &str) {
        let id = shown(id);
        let words =
            format!("{does} another call with the id `{id}`: it is counted as a call of its own");
        self.violation(EventOrderRule::CallIdShared, &words);
    }

    /// The event ends or lists a call whose arguments no rule can look into.
    pub(super) fn arguments_are_no_object(&mut self, does: &str, id: &str) {
        let id = shown(id);
        let words = format!(
            "{does} the call `{id}`, whose arguments are not a JSON object: no rule finds an argument in them"
        );
        self.violation(EventOrderRule::ArgumentsNotObject, &words);
    }

    /// The event violates a rule; `words` follow the name of the event.
    pub(super) fn violation(&mut self, rule: EventOrderRule, words: &str) {
        let at = self.at;
        let message = Cow::Owned(format!("{at} {words}"));
        (self.tell)(Change::Violation {
            rule: rule.as_str(),
            message,
            events: vec![at.number],
        });
    }

    /// Arguments of a call; the history takes them when they are complete.
    pub(super) fn call_args(&mut self, id: &str, delta: &str) {
        let key = self.conversation.calls.key(id);
        (self.tell)(Change::CallArgs {
            id: key.into(),
            delta: delta.into(),
        });
    }

    /// A piece of a call that nothing began, and whose tool is not known.
    pub(super) fn unstarted_call(&mut self, id: &str) {
        let unread = Unread::call(id, "pieces of it came, but the call never started");
        (self.tell)(Change::Unread(unread));
    }

    /// The result of a call to this tool is all that came of it.
    pub(super) fn arguments_are_missing(&mut self, tool: &str) {
        let unread = Unread::arguments(tool, "only the result of the call is there");
        (self.tell)(Change::Unread(unread));
    }

    /// Reasoning begins, of which the trace hears with its first text.
    pub(super) fn reasoning_begins(&mut self, id: &str) {
        self.conversation.history.open_reasoning(id);
    }

    /// Text of reasoning.
    pub(super) fn reasoning_text(&mut self, id: &str, delta: &str, subagent: Option<&str>) {
        if !delta.is_empty() {
            (self.tell)(Change::Reasoning {
                id: id.into(),
                delta: delta.into(),
                subagent: named(subagent),
            });
        }
    }

    /// An item ends; `text` is its text, or that of its arguments, since it began.
    pub(super) fn ends(&mut self, kind: ItemKind, id: &str, role: &'static str, text: &str) {
        let ThreadState { calls, history, .. } = &mut *self.conversation;
        match kind {
            ItemKind::Message => {
                history.close_message(id, role, text);
                (self.tell)(Change::MessageClosed { id: id.into() });
            }
            ItemKind::Call => {
                let key = calls.key(id);
                history.close_call(key, text);
                (self.tell)(Change::CallArgsDone { id: key.into() });
                if !is_object(text) {
                    self.arguments_are_no_object("ends", id);
                }
            }
            ItemKind::Reasoning | ItemKind::ReasoningSpan => history.close_reasoning(id, text),
        }
    }
}

/// Whether the arguments of a call are a JSON object; nothing and `null` are none.
pub(super) fn is_object(arguments: &str) -> bool {
    let arguments = arguments.trim();
    arguments.is_empty() || arguments == "null" || arguments.starts_with('{') && is_json(arguments)
}

fn named(subagent: Option<&str>) -> Option<Cow<'_, str>> {
    subagent.filter(|id| !id.is_empty()).map(Cow::Borrowed)
}
