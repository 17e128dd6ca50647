//! A file of message lists: one list, a list of objects with `messages`, or an object per line.
//!
//! **Invariant:** of a file of lines only the places of its conversations are in memory, and the one that is read.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

use crate::verify::conventions::{Conventions, MessageSpeaker};
use crate::verify::conversation_builder::ConversationBuilder;
use crate::verify::message_items::MessageItem;
use crate::verify::trace_file::{TraceError, unreadable};
use ananke_base::source::reason;
use ananke_engine::observed::ObservedConversation;
use ananke_trace::outcome::Problem;
use ananke_trace::trace::{Fact, Facts, RunEnd};

/// What lists of messages show.
const SHOWN: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::Text,
    Fact::UserText,
]);

/// The longest document that is read at once, in bytes.
const LONGEST: u64 = 64 << 20;

/// What a conversation is called if it has no name of its own.
const ID_KEYS: [&str; 3] = ["id", "conversation_id", "thread_id"];

/// Where a conversation is: the document, and its place if the document is a list of conversations.
#[derive(Debug)]
struct ListPlace {
    id: String,
    offset: u64,
    length: u64,
    element: Option<usize>,
}

/// A file of message lists.
#[derive(Debug)]
pub(super) struct MessageLists {
    path: PathBuf,
    shown: String,
    places: Vec<ListPlace>,
}

/// The messages of a conversation: a list, or an object with lists.
fn messages(document: &Value) -> Option<Vec<Value>> {
    let list = |value: &Value| value.as_array().cloned();
    match document {
        Value::Array(messages) if messages.iter().all(is_message) => Some(messages.clone()),
        Value::Object(object) => {
            if let Some(messages) = object.get("messages") {
                return list(messages);
            }
            let input = match object.get("input")? {
                Value::String(text) => vec![serde_json::json!({ "role": "user", "content": text })],
                input => list(input)?,
            };
            let output = object.get("output").and_then(list).unwrap_or_default();
            Some([input, output].concat())
        }
        _ => None,
    }
}

fn is_message(value: &Value) -> bool {
    value.get("role").is_some() || value.get("type").is_some()
}

fn id_of(document: &Value, number: usize) -> String {
    let named = ID_KEYS.iter().find_map(|key| document.get(key)?.as_str());
    named
        .filter(|name| !name.is_empty())
        .map_or_else(|| number.to_string(), str::to_owned)
}

impl MessageLists {
    /// Finds the conversations of the file at `path`, which messages call `shown`.
    ///
    /// # Errors
    /// If it cannot be read, or has something else in it.
    pub(super) fn open(path: &Path, shown: &str) -> Result<Self, TraceError> {
        let file = File::open(path).map_err(|error| unreadable(shown, reason(&error)))?;
        let mut documents = Deserializer::from_reader(BufReader::with_capacity(1 << 18, file))
            .into_iter::<IgnoredAny>();
        let mut read = Self {
            path: path.to_owned(),
            shown: shown.to_owned(),
            places: Vec::new(),
        };
        let mut offset = 0;
        while let Some(document) = documents.next() {
            document.map_err(|error| TraceError {
                message: format!("{shown}:{}: it is not JSON: {error}", error.line()),
                help: Some(
                    "name a file with a list of messages, or with an object with `messages` on each line"
                        .to_owned(),
                ),
            })?;
            let end = documents.byte_offset() as u64;
            read.add(offset, end - offset)?;
            offset = end;
        }
        if read.places.is_empty() {
            return Err(TraceError {
                message: format!("{shown}: there are no messages in it"),
                help: None,
            });
        }
        Ok(read)
    }

    fn add(&mut self, offset: u64, length: u64) -> Result<(), TraceError> {
        let document = self.document(offset, length)?;
        let number = self.places.len() + 1;
        if messages(&document).is_some_and(|messages| !messages.is_empty()) {
            self.places.push(ListPlace {
                id: id_of(&document, number),
                offset,
                length,
                element: None,
            });
            return Ok(());
        }
        let elements = document.as_array().filter(|list| !list.is_empty());
        let is_list =
            elements.is_some_and(|list| list.iter().all(|element| messages(element).is_some()));
        let Some(elements) = elements.filter(|_| is_list) else {
            let message = format!(
                "{}: conversation {number} is not a list of messages, nor an object with `messages`",
                self.shown
            );
            return Err(TraceError {
                message,
                help: None,
            });
        };
        for (element, conversation) in elements.iter().enumerate() {
            let id = id_of(conversation, number + element);
            self.places.push(ListPlace {
                id,
                offset,
                length,
                element: Some(element),
            });
        }
        Ok(())
    }

    fn document(&self, offset: u64, length: u64) -> Result<Value, TraceError> {
        if length > LONGEST {
            let message = format!(
                "{}: a conversation is longer than {} MiB",
                self.shown,
                LONGEST >> 20
            );
            return Err(TraceError {
                message,
                help: Some("write a conversation on each line".to_owned()),
            });
        }
        let read = || -> std::io::Result<Value> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(offset))?;
            Ok(serde_json::from_reader(BufReader::new(file.take(length)))?)
        };
        read().map_err(|error| unreadable(&self.shown, reason(&error)))
    }

    /// The ids of its conversations.
    pub(super) fn ids(&self) -> Vec<String> {
        self.places.iter().map(|place| place.id.clone()).collect()
    }

    /// The conversation at this place among them.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub(super) fn conversation(&self, index: usize) -> Result<ObservedConversation, Problem> {
        let ListPlace {
            id,
            offset,
            length,
            element,
        } = &self.places[index];
        let document = self
            .document(*offset, *length)
            .map_err(TraceError::problem)?;
        let own = element.map_or(Some(&document), |element| document.get(element));
        Ok(conversation(
            id,
            &own.and_then(messages).unwrap_or_default(),
        ))
    }
}

/// The conversation of a list of messages: each message of the user begins a turn.
fn conversation(id: &str, messages: &[Value]) -> ObservedConversation {
    let names = &Conventions::known().messages;
    let mut builder = ConversationBuilder::new(id);
    let mut before = Vec::new();
    let mut is_asking = false;
    for item in messages
        .iter()
        .flat_map(|message| names.items(message, MessageSpeaker::User))
    {
        match item {
            MessageItem::Asks(text) => {
                if builder.has_turns() {
                    builder.end_turn(0, RunEnd::Finished);
                } else {
                    builder.remember(std::mem::take(&mut before));
                }
                builder.begin_turn(0, text.as_deref());
                is_asking = true;
            }
            item if is_asking => builder.does(0, vec![item], None),
            item => before.push(item),
        }
    }
    if builder.has_turns() {
        builder.end_turn(0, RunEnd::Finished);
    } else {
        builder.begin_turn(0, None);
        builder.does(0, before, None);
        builder.end_turn(0, RunEnd::Finished);
    }
    if !builder.are_answers_judged() {
        builder.lacks(Fact::CallEnds);
    }
    builder.finish(SHOWN | Facts::of(&[Fact::CallEnds]))
}
