//! The conversation's messages, as the next request sends them.
//!
//! A message takes its place when it begins and counts once it is complete. Ids are the server's own: it knows its
//! messages by them. Whatever is spoken of is found by its id, since an agent may make a million of anything.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::content::Content;
use crate::context::Ids;
use crate::message::{HistoryCall, HistoryMessage, Role, ToolAnswer};
use crate::model::ProtocolVersion;

/// Every message so far, in order.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Answers to calls stand with the message that made the call.
    messages: Vec<Message>,
    /// Where each id is.
    places: HashMap<String, Place>,
    /// The message and the number of each call.
    calls: HashMap<String, (usize, usize)>,
    /// Where the answer to each call is.
    answers: HashMap<String, Place>,
}

/// Where a message is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// On its own.
    At(usize),
    /// With another one, whose call it answers.
    With(usize, usize),
}

/// The messages that a request sends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Messages<'a> {
    /// All of them.
    All(&'a History),
    /// Those with these ids.
    Only(&'a History, &'a [String]),
}

impl Serialize for Messages<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All(history) => serializer.collect_seq(history.in_order()),
            Self::Only(history, ids) => {
                serializer.collect_seq(history.in_order().filter(|message| ids.contains(&message.id)))
            }
        }
    }
}

/// What something is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The message of an id.
    Message,
    /// The call of an id.
    Call,
    /// The answer to the call of an id.
    AnswerTo,
}

/// Who thoughts are from.
const REASONING: &str = "reasoning";

/// A message as it goes over the wire.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) role: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Content>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
    /// What else a snapshot said of it: it goes back untouched.
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
    /// Text is still to come.
    #[serde(skip)]
    pub(super) open: bool,
    /// The answers to its calls, which follow it.
    #[serde(skip)]
    pub(super) answers: Vec<Message>,
}

/// A tool call of an assistant's message.
#[derive(Debug, Serialize)]
pub(super) struct Call {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: Function,
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
    /// Arguments are still to come.
    #[serde(skip)]
    pub(super) open: bool,
}

/// What is called.
#[derive(Debug, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Message {
    pub(super) fn new(id: &str, role: &str) -> Self {
        Self {
            id: id.to_owned(),
            role: role.to_owned(),
            content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            rest: Map::new(),
            open: false,
            answers: Vec::new(),
        }
    }

    /// The same of somebody with a name.
    fn named(mut self, name: Option<String>) -> Self {
        self.rest.extend(name.map(|name| ("name".to_owned(), Value::String(name))));
        self
    }

    fn append(&mut self, text: &str) {
        match &mut self.content {
            Some(Content::Json(Value::String(content))) => content.push_str(text),
            // An agent that tells the user's words again has nothing to add to them.
            Some(Content::Parts(_)) => {}
            content => *content = Some(Content::text(text)),
        }
    }

    fn has_files(&self) -> bool {
        matches!(self.content, Some(Content::Parts(_)))
    }

    fn is_empty(&self) -> bool {
        self.content.is_none() && self.tool_calls.is_empty()
    }
}

impl Call {
    pub(super) fn new(id: &str, name: &str, arguments: String) -> Self {
        // Without text there are no arguments, which an empty string would not say to a server that parses it.
        let arguments = if arguments.is_empty() { "{}".to_owned() } else { arguments };
        let function = Function { name: name.to_owned(), arguments };
        Self { id: id.to_owned(), kind: "function", function, rest: Map::new(), open: false }
    }
}

impl History {
    /// The user says something; a message that is there already is not said twice.
    pub(super) fn say(&mut self, id: &str, name: Option<String>, content: Content) {
        if self.message(id).is_none() {
            self.push(Message { content: Some(content), ..Message::new(id, "user").named(name) });
        }
    }

    /// What was said before the conversation begins, for an agent of `version`.
    pub(super) fn of_earlier(messages: Vec<HistoryMessage>, version: ProtocolVersion) -> Self {
        let mut history = Self::default();
        let message = |HistoryMessage { role, id, name, content, calls, answers }| {
            let calls =
                calls.into_iter().map(|call: HistoryCall| Call::new(&call.id, &call.name, call.arguments));
            Message {
                content: content.map(|content| Content::of(content, version)),
                tool_calls: calls.collect(),
                tool_call_id: answers,
                ..Message::new(&id.unwrap_or_default(), Role::as_str(role)).named(name)
            }
        };
        history.replace(messages.into_iter().map(message).collect());
        history
    }

    /// A call is answered in the name of the client; gives the id of the message that says so.
    pub(super) fn answer_call(&mut self, answer: &ToolAnswer, ids: &dyn Ids) -> String {
        let id = ids.next("message");
        self.answer(&answer.call, Some(&id), Value::String(answer.text()), ids);
        if answer.is_error
            && let Some(message) = self.message(&id)
        {
            message.rest.insert("error".to_owned(), Value::String(answer.text()));
        }
        id
    }

    /// Messages that were said before; what is there already stays as it is.
    pub(super) fn add_earlier(&mut self, messages: Vec<Message>) {
        for message in messages {
            if self.message(&message.id).is_none() {
                self.push(message);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// A message begins, or goes on.
    pub(super) fn open_message(&mut self, id: &str, role: &str) {
        if self.message(id).is_none() {
            self.push(Message::new(id, role));
        }
        if let Some(message) = self.message(id) {
            message.open = !message.has_files();
            message.content.get_or_insert_with(|| Content::text(""));
        }
    }

    /// A message is complete; `text` is what came since it began.
    pub(super) fn close_message(&mut self, id: &str, role: &str, text: &str) {
        match self.message(id) {
            Some(message) if message.open => {
                message.open = false;
                message.append(text);
            }
            Some(message) if message.has_files() => {}
            // A snapshot came in between and said what it knew of the message.
            Some(message) => {
                let known = message.content.as_ref().and_then(|content| content.json()?.as_str());
                if known.unwrap_or_default().len() < text.len() {
                    message.content = Some(Content::text(text));
                }
            }
            None if text.is_empty() => {}
            None => {
                self.push(Message { content: Some(Content::text(text)), ..Message::new(id, role) });
            }
        }
    }

    /// Text for a message that is complete already.
    pub(super) fn append(&mut self, id: &str, text: &str) {
        if let Some(message) = self.message(id) {
            message.append(text);
        }
    }

    /// Thoughts begin; where their id is that of another message, they have no place of their own.
    pub(super) fn open_thoughts(&mut self, id: &str) {
        if self.message(id).is_none() {
            self.push(Message::new(id, REASONING));
        }
        if let Some(message) = self.message(id).filter(|message| message.role == REASONING) {
            message.open = true;
            message.content.get_or_insert_with(|| Content::text(""));
        }
    }

    /// Thoughts are complete; `text` is what came since they began.
    pub(super) fn close_thoughts(&mut self, id: &str, text: &str) {
        if let Some(message) = self.message(id).filter(|message| message.role == REASONING && message.open) {
            message.open = false;
            message.append(text);
        }
    }

    /// A value that goes back with a call or a message as it came.
    pub(super) fn attach(&mut self, is_of_call: bool, id: &str, encrypted_value: &str) {
        let rest = if is_of_call {
            self.call(id).map(|call| &mut call.rest)
        } else {
            self.message(id).map(|message| &mut message.rest)
        };
        if let Some(rest) = rest {
            rest.insert("encryptedValue".to_owned(), Value::String(encrypted_value.to_owned()));
        }
    }

    /// What is said of a message or call beside its words. Metadata comes together key by key, the last word counts.
    pub(super) fn annotate(&mut self, whose: Whose, id: &str, mut says: Map<String, Value>) {
        let rest = match whose {
            Whose::Message => self.message(id).map(|message| &mut message.rest),
            Whose::AnswerTo => {
                self.answers.get(id).copied().map(|place| self.at(place)).map(|message| &mut message.rest)
            }
            Whose::Call => {
                // Who makes a call is said by the message that was made for it.
                let made = self.calls.get(id).map(|(message, _)| &mut self.messages[*message]);
                if let Some(by) = says.shift_remove("subagentRunId")
                    && let Some(message) = made.filter(|message| message.content.is_none())
                {
                    message.rest.entry("subagentRunId").or_insert(by);
                }
                self.call(id).map(|call| &mut call.rest)
            }
        };
        let Some(rest) = rest else { return };
        for (key, value) in says {
            match (rest.get_mut(&key), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (Some(_), _) => {}
                (None, value) => {
                    rest.insert(key, value);
                }
            }
        }
    }

    /// A call begins: with the assistant's message `parent` where there is one, else with a new message of that id, or
    /// of the call's own id where `parent` says nothing or names somebody else's message. A known call begins anew.
    pub(super) fn open_call(&mut self, id: &str, name: &str, parent: Option<&str>) {
        if let Some(call) = self.call(id) {
            call.open = true;
            name.clone_into(&mut call.function.name);
            return;
        }
        let is_free =
            |message: Option<&mut Message>| message.is_none_or(|message| message.role == "assistant");
        let owner = parent.filter(|parent| !parent.is_empty() && is_free(self.message(parent))).unwrap_or(id);
        let call = Call { open: true, ..Call::new(id, name, String::new()) };
        match self.places.get(owner) {
            Some(Place::At(place)) if self.messages[*place].role == "assistant" => {
                let calls = &mut self.messages[*place].tool_calls;
                self.calls.insert(id.to_owned(), (*place, calls.len()));
                calls.push(call);
            }
            _ => self.push(Message { tool_calls: vec![call], ..Message::new(owner, "assistant") }),
        }
    }

    /// A call's arguments are complete.
    pub(super) fn close_call(&mut self, id: &str, arguments: &str) {
        let Some(call) = self.call(id) else { return };
        call.open = false;
        if !arguments.is_empty() {
            arguments.clone_into(&mut call.function.arguments);
        }
    }

    /// A call is answered, right after the message that made it and earlier answers to it. A second answer to a call
    /// takes the place of the first: models know one answer a call.
    pub(super) fn answer(&mut self, call: &str, id: Option<&str>, content: Value, ids: &dyn Ids) {
        let free = id.filter(|id| !self.places.contains_key(*id)).map(str::to_owned);
        let id = free.unwrap_or_else(|| ids.next("message"));
        let tool_call_id = Some(call.to_owned());
        let content = Some(Content::Json(content));
        let answer = Message { content, tool_call_id, ..Message::new(&id, "tool") };
        match self.answers.get(call).copied() {
            Some(place) => {
                let earlier = std::mem::replace(self.at(place), answer);
                self.places.remove(&earlier.id);
                self.places.insert(id, place);
            }
            None => match self.calls.get(call) {
                Some((owner, _)) => self.push_answer(*owner, answer),
                None => self.push(answer),
            },
        }
    }

    /// The conversation is this, as the agent tells it, in the agent's order.
    pub(super) fn replace(&mut self, messages: Vec<Message>) {
        *self = Self::default();
        for message in messages {
            let call = message.tool_call_id.as_ref().and_then(|call| self.calls.get(call));
            match call {
                // An answer that stands elsewhere stays there.
                Some((owner, _)) if *owner + 1 == self.messages.len() => self.push_answer(*owner, message),
                _ => self.push(message),
            }
        }
    }

    /// What never became complete is no history.
    pub(super) fn discard_open(&mut self) {
        let is_open = |message: &Message| message.open || message.tool_calls.iter().any(|call| call.open);
        if !self.messages.iter().any(is_open) {
            return;
        }
        let mut kept = Vec::with_capacity(self.messages.len());
        for mut message in std::mem::take(&mut self.messages) {
            message.tool_calls.retain(|call| !call.open);
            if std::mem::take(&mut message.open) {
                message.content = None;
            }
            let answers = std::mem::take(&mut message.answers);
            let may_be_empty = !matches!(message.role.as_str(), "assistant" | REASONING);
            if may_be_empty || !message.is_empty() {
                kept.push(message);
            }
            kept.extend(answers);
        }
        self.replace(kept);
    }

    fn in_order(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().flat_map(|message| std::iter::once(message).chain(&message.answers))
    }

    fn push(&mut self, message: Message) {
        let place = self.messages.len();
        for (number, call) in message.tool_calls.iter().enumerate() {
            self.calls.insert(call.id.clone(), (place, number));
        }
        self.note(&message, Place::At(place));
        self.messages.push(message);
    }

    fn push_answer(&mut self, owner: usize, answer: Message) {
        let place = Place::With(owner, self.messages[owner].answers.len());
        self.note(&answer, place);
        self.messages[owner].answers.push(answer);
    }

    fn note(&mut self, message: &Message, place: Place) {
        self.places.insert(message.id.clone(), place);
        if let Some(call) = &message.tool_call_id {
            self.answers.insert(call.clone(), place);
        }
    }

    fn at(&mut self, place: Place) -> &mut Message {
        match place {
            Place::At(place) => &mut self.messages[place],
            Place::With(owner, number) => &mut self.messages[owner].answers[number],
        }
    }

    fn message(&mut self, id: &str) -> Option<&mut Message> {
        let place = *self.places.get(id)?;
        Some(self.at(place))
    }

    fn call(&mut self, id: &str) -> Option<&mut Call> {
        let (message, number) = *self.calls.get(id)?;
        self.messages[message].tool_calls.get_mut(number)
    }
}
