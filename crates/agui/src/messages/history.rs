//! The messages of the conversation, as the next request sends them.
//!
//! A message gets its place when it begins and is sent once it is complete. Ids are those of the server, which knows its
//! messages by them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::call_ids::{CallIds, CallStart};
use super::listed_calls::identify;
use super::message::{FurtherFields, REASONING, SentCall, SentMessage, TOOL};
use super::message_list::MessageList;
use crate::content::Content;
use crate::conversation_settings::ProtocolVersion;
use crate::warnings::shown;
use ananke_base::context::Ids;
use ananke_base::message::{HistoryCall, HistoryMessage, Role, ToolAnswer};
use ananke_base::text::ShortText;

/// Every message so far, in order.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: MessageList,
    /// Calls since the user's last message, by their keys, that waited for a result when a snapshot left them out.
    left_out: HashMap<String, SentCall>,
}

/// The item that an event gives further fields to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Annotated<'a> {
    /// The message of this id.
    Message(&'a str),
    /// The call of this id.
    Call(&'a str),
    /// The result of the call of this id.
    ResultOf(&'a str),
}

impl History {
    /// Adds a message of the user, unless its id is known.
    pub(crate) fn say(&mut self, id: &str, name: Option<String>, content: Content) {
        self.left_out.clear();
        if self.messages.message(id).is_none() {
            self.messages.push(SentMessage {
                content: Some(content),
                ..SentMessage::new(id, "user").named(name)
            });
        }
    }

    /// The history that a test begins with, for an agent of `version`.
    pub(crate) fn of_earlier(
        messages: Vec<HistoryMessage>,
        version: ProtocolVersion,
        calls: &mut CallIds,
    ) -> Self {
        let mut history = Self::default();
        let message = |HistoryMessage {
                           role,
                           id,
                           name,
                           content,
                           calls,
                           answers,
                       }| {
            let calls = calls.into_iter().map(|call: HistoryCall| {
                SentCall::new(&call.id, &call.name, call.arguments.into())
            });
            SentMessage {
                content: content.map(|content| Content::of(content, version)),
                tool_calls: calls.collect(),
                tool_call_id: answers.map(Into::into),
                ..SentMessage::new(&id.unwrap_or_default(), Role::as_str(role)).named(name)
            }
        };
        let mut messages: Vec<SentMessage> = messages.into_iter().map(message).collect();
        identify(&mut messages, usize::MAX, calls, |_, _| Some(false));
        history.replace(messages);
        history
    }

    /// Adds a result that the client gives; returns the id of its message.
    pub(crate) fn answer_call(&mut self, answer: &ToolAnswer, ids: &dyn Ids) -> String {
        let id = ids.next("message");
        self.answer(&answer.call, Some(&id), Content::text(&answer.text()), ids);
        if answer.is_error
            && let Some(message) = self.messages.message(&id)
        {
            message
                .rest
                .get_or_insert_default()
                .insert("error".to_owned(), Value::String(answer.text()));
        }
        id
    }

    /// Adds replayed messages, except those whose id is known.
    pub(crate) fn add_earlier(&mut self, messages: Vec<SentMessage>) {
        for message in messages {
            if self.messages.message(&message.id).is_none() {
                self.messages.push(message);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// A message begins, or is continued.
    pub(crate) fn open_message(&mut self, id: &str, role: &'static str) {
        if self.messages.message(id).is_none() {
            self.messages.push(SentMessage::new(id, role));
        }
        if let Some(message) = self.messages.message(id) {
            message.open = !message.has_files();
            message.content.get_or_insert_with(|| Content::text(""));
        }
    }

    /// A message is complete; `text` is its text since it began.
    pub(crate) fn close_message(&mut self, id: &str, role: &'static str, text: &str) {
        match self.messages.message(id) {
            Some(message) if message.open => {
                message.open = false;
                message.is_streamed = true;
                message.append(text);
            }
            Some(message) if message.has_files() => {}
            // A snapshot arrived in between, with as much of the message as it knew.
            Some(message) => {
                let known = message.content.as_ref().and_then(Content::as_text);
                if known.unwrap_or_default().len() < text.len() {
                    message.content = Some(Content::text(text));
                }
            }
            None if text.is_empty() => {}
            None => {
                self.messages.push(SentMessage {
                    content: Some(Content::text(text)),
                    ..SentMessage::new(id, role)
                });
            }
        }
    }

    /// More text of a message that is complete.
    pub(crate) fn append(&mut self, id: &str, text: &str) {
        if let Some(message) = self.messages.message(id) {
            message.append(text);
        }
    }

    /// Reasoning begins. If a message has its id, it is not sent.
    pub(crate) fn open_reasoning(&mut self, id: &str) {
        if self.messages.message(id).is_none() {
            self.messages.push(SentMessage::new(id, REASONING));
        }
        if let Some(message) = self
            .messages
            .message(id)
            .filter(|message| message.role == REASONING)
        {
            message.open = true;
            message.content.get_or_insert_with(|| Content::text(""));
        }
    }

    /// Reasoning is complete; `text` is its text since it began.
    pub(crate) fn close_reasoning(&mut self, id: &str, text: &str) {
        if let Some(message) = self
            .messages
            .message(id)
            .filter(|message| message.role == REASONING && message.open)
        {
            message.open = false;
            message.append(text);
        }
    }

    /// Adds an encrypted value, which goes back unchanged with its message.
    pub(crate) fn attach_to_message(&mut self, id: &str, encrypted_value: &str) {
        attach(
            self.messages.message(id).map(|message| &mut message.rest),
            encrypted_value,
        );
    }

    /// Adds an encrypted value, which goes back unchanged with its call.
    pub(crate) fn attach_to_call(&mut self, id: &str, encrypted_value: &str) {
        attach(
            self.messages.call(id).map(|call| &mut call.rest),
            encrypted_value,
        );
    }

    /// Adds further fields. The fields of `metadata` are merged, the last value counts; of others the first counts.
    pub(crate) fn annotate(&mut self, what: Annotated<'_>, mut fields: Map<String, Value>) {
        let rest = match what {
            Annotated::Message(id) => self.messages.message(id).map(|message| &mut message.rest),
            Annotated::ResultOf(id) => self.messages.result_of(id).map(|message| &mut message.rest),
            Annotated::Call(id) => {
                // The subagent of a call is a field of the message that was made for the call.
                if let Some(by) = fields.shift_remove("subagentRunId")
                    && let Some(message) = self.messages.message_of_call(id)
                    && message.content.is_none()
                {
                    message
                        .rest
                        .get_or_insert_default()
                        .entry("subagentRunId")
                        .or_insert(by);
                }
                self.messages.call(id).map(|call| &mut call.rest)
            }
        };
        let Some(rest) = rest.filter(|_| !fields.is_empty()) else {
            return;
        };
        let rest = rest.get_or_insert_default();
        for (key, value) in fields {
            match (rest.get_mut(&key), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (Some(_), _) => {}
                (None, value) => {
                    rest.insert(key, value);
                }
            }
        }
    }

    /// A call begins: in the assistant's message `parent` if there is one, else in a new message of that id, or of the
    /// call's own key if `parent` is missing or a message of another role. A known call begins again. A call that shares
    /// its id gets a message of its own if `parent` has the other one: each is sent with its own result.
    pub(crate) fn open_call(
        &mut self,
        id: &str,
        key: &str,
        start: CallStart,
        name: &str,
        parent: Option<&str>,
    ) {
        if let Some(call) = self
            .messages
            .call(key)
            .filter(|_| start == CallStart::Again)
        {
            call.open = true;
            return;
        }
        let shares = |message: &SentMessage| {
            start == CallStart::SharesId && message.tool_calls.iter().any(|call| call.id == id)
        };
        let mut is_free = |parent: &str| {
            let message = self.messages.message(parent);
            message.is_none_or(|message| message.role == "assistant" && !shares(message))
        };
        let owner = parent
            .filter(|parent| !parent.is_empty() && is_free(parent))
            .unwrap_or(key);
        self.messages.push_call(
            owner,
            SentCall {
                open: true,
                is_streamed: true,
                ..SentCall::new(id, name, ShortText::default()).with_key(key)
            },
        );
    }

    /// Whether a snapshot that contains `listed` means the call of a key; `None` if that is not in the history.
    pub(crate) fn is_listed(&self, key: &str, listed: &SentCall) -> Option<bool> {
        Some(self.call(key)?.is_listed_as(listed))
    }

    /// The contradiction between the `listed` messages of a snapshot and the answer that was streamed since the user's
    /// last message: in words that follow the name of the event. The rest, which agrees, is still streamed.
    pub(crate) fn contradiction(&self, listed: &mut [SentMessage]) -> Option<String> {
        let mut found = None;
        let mut keys = HashSet::new();
        for message in listed {
            let known = match message.answers() {
                Some(call) => self.messages.find_result(call),
                None => self
                    .messages
                    .find(&message.id)
                    .filter(|known| known.role == "assistant"),
            };
            if let Some(known) = known.filter(|known| known.is_streamed && !known.open) {
                message.is_streamed = known.has_content_of(message);
                if !message.is_streamed {
                    let what = match message.tool_call_id.as_deref() {
                        Some(call) => format!("result of the call `{}`", shown(call)),
                        None => format!("message `{}`", shown(&message.id)),
                    };
                    found.get_or_insert_with(|| {
                        format!("lists the {what} with another content than was streamed")
                    });
                }
            }
            for call in &mut message.tool_calls {
                call.is_streamed = self.call(call.key()).is_some_and(|known| known.is_streamed);
                keys.insert(call.key());
            }
        }
        let of_turn = self
            .messages
            .newest()
            .take_while(|message| message.role != "user");
        let calls = of_turn.flat_map(|message| &message.tool_calls);
        let mut missing =
            calls.filter(|call| call.is_streamed && !call.open && !keys.contains(call.key()));
        let lacks = |call: &SentCall| {
            format!(
                "does not list the call `{}` of `{}`, which was streamed",
                shown(&call.id),
                shown(&call.function.name)
            )
        };
        found.or_else(|| missing.next().map(lacks))
    }

    /// The call of a key.
    pub(crate) fn call(&self, key: &str) -> Option<&SentCall> {
        self.messages.find_call(key)
    }

    /// A call's arguments are complete.
    pub(crate) fn close_call(&mut self, id: &str, arguments: &str) {
        let listed = self.messages.call(id);
        let Some(call) = listed.or_else(|| self.left_out.get_mut(id)) else {
            return;
        };
        call.open = false;
        if !arguments.is_empty() {
            call.function.arguments = arguments.into();
        }
    }

    /// Adds the result of the call of a key, in a message of this id, or of a new one if the id is missing or used. A call
    /// that a snapshot omits is added again: a result is only sent with its call.
    pub(crate) fn answer(&mut self, call: &str, id: Option<&str>, content: Content, ids: &dyn Ids) {
        if let Some(left_out) = self.left_out.remove(call)
            && self.call(call).is_none()
        {
            self.messages.push_call(call, left_out);
        }
        let free = id
            .filter(|id| !self.messages.contains(id))
            .map(str::to_owned);
        let id = free.unwrap_or_else(|| ids.next("message"));
        let sent = self
            .messages
            .find_call(call)
            .map_or(call, |call| call.id.as_str());
        let (tool_call_id, call_key) = (Some(sent.into()), (sent != call).then(|| call.into()));
        self.messages.push_result(
            call,
            SentMessage {
                content: Some(content),
                tool_call_id,
                call_key,
                is_streamed: true,
                ..SentMessage::new(&id, TOOL)
            },
        );
    }

    /// Replaces all messages by those of a snapshot, in its order.
    pub(crate) fn replace(&mut self, messages: Vec<SentMessage>) {
        let before = std::mem::take(&mut self.messages);
        self.messages.replace(messages);
        for call in before.into_unanswered() {
            if self.call(call.key()).is_none() {
                self.left_out.insert(call.key().to_owned(), call);
            }
        }
    }

    /// Drops what never became complete.
    pub(crate) fn discard_open(&mut self) {
        self.messages.discard_open();
    }

    /// Every message, each followed by the results of its calls; no result without its call.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &SentMessage> {
        self.messages.iter()
    }
}

fn attach(rest: Option<&mut FurtherFields>, encrypted_value: &str) {
    if let Some(rest) = rest {
        rest.get_or_insert_default().insert(
            "encryptedValue".to_owned(),
            Value::String(encrypted_value.to_owned()),
        );
    }
}
