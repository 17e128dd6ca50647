//! `--from openai`: a file of message lists as OpenAI's APIs have them, each a conversation: one list, a list of objects with
//! `messages`, or an object per line.
//!
//! **Invariant:** of a file of lines only the places of its conversations are in memory, and the one that is read.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{TraceContext, TraceError, TraceFile, TraceFormat};
use crate::conversation_builder::ConversationBuilder;
use crate::json_documents::{DocumentPlace, JsonDocuments};
use crate::message_item::MessageItem;
use crate::message_lists::{Exchanges, ListedMessages, document_items, lists};
use crate::trace_file::{add_oddities, not_json, unreadable, utf16};
use ananke_base::source::reason;
use ananke_base::source::received_json::{ReceivedJson, read_bytes};
use ananke_conversation::observed::ObservedConversation;
use ananke_trace::outcome::Problem;
use ananke_trace::trace::{Fact, Facts, RunEnd};

/// The facts that lists of messages show.
const SHOWN: Facts = Facts::of(&[
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::Text,
    Fact::UserText,
]);

/// The longest document that is read at once, in bytes.
const LONGEST: u64 = 64 << 20;

/// The keys for the name of a conversation that has none of its own.
const ID_KEYS: [&str; 3] = ["id", "conversation_id", "thread_id"];

/// The place of a conversation: the document, and its place if the document is a list of conversations.
#[derive(Debug)]
struct ListPlace {
    id: String,
    document: DocumentPlace,
    element: Option<usize>,
}

/// A file of message lists.
#[derive(Debug)]
pub(super) struct MessageLists {
    path: PathBuf,
    shown: String,
    places: Vec<ListPlace>,
    exchanges: Exchanges,
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
        let wrong = |error: std::io::Error| unreadable(shown, reason(&error));
        let mut file = BufReader::with_capacity(1 << 18, file);
        if let Some(error) = utf16(file.fill_buf().map_err(wrong)?, shown) {
            return Err(error);
        }
        let mut documents = JsonDocuments::new(file);
        let mut read = Self {
            path: path.to_owned(),
            shown: shown.to_owned(),
            places: Vec::new(),
            exchanges: Exchanges::default(),
        };
        while let Some(place) = documents.next().map_err(wrong)? {
            read.add(place)?;
        }
        if read.places.is_empty() {
            return Err(TraceError {
                message: format!("{shown}: there are no messages in it"),
                help: None,
            });
        }
        // The requests of one conversation are one.
        let exchanges = std::mem::take(&mut read.exchanges);
        let mut place = 0;
        read.places.retain(|_| {
            place += 1;
            !exchanges.is_repeated(place - 1)
        });
        Ok(read)
    }

    fn add(&mut self, place: DocumentPlace) -> Result<(), TraceError> {
        let document = self.document(place)?.value;
        let number = self.places.len() + 1;
        let is_empty =
            |(_, _, list): &ListedMessages<'_>| list.as_array().is_some_and(Vec::is_empty);
        if lists(&document).is_some_and(|lists| !lists.iter().all(is_empty)) {
            self.exchanges.add(&document);
            self.places.push(ListPlace {
                id: id_of(&document, number),
                document: place,
                element: None,
            });
            return Ok(());
        }
        let elements = document.as_array().filter(|list| !list.is_empty());
        let is_list =
            elements.is_some_and(|list| list.iter().all(|element| lists(element).is_some()));
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
            self.exchanges.add(conversation);
            let id = id_of(conversation, number + element);
            self.places.push(ListPlace {
                id,
                document: place,
                element: Some(element),
            });
        }
        Ok(())
    }

    fn document(&self, place: DocumentPlace) -> Result<ReceivedJson, TraceError> {
        if place.length > LONGEST {
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
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(place.offset))?;
            let mut bytes = Vec::new();
            file.take(place.length).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error| unreadable(&self.shown, reason(&error)))?;
        let help =
            "name a file with a list of messages, or with an object with `messages` on each line";
        read_bytes(&bytes).map_err(|error| not_json(&self.shown, place.line, &error, help))
    }

    /// The conversation at this place among them.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    fn read(&self, index: usize) -> Result<ObservedConversation, Problem> {
        let ListPlace {
            id,
            document: place,
            element,
        } = &self.places[index];
        let ReceivedJson {
            value: document,
            oddities,
            ..
        } = self.document(*place).map_err(TraceError::problem)?;
        let own = element.map_or(Some(&document), |element| document.get(element));
        let mut read = conversation(id, own.unwrap_or(&Value::Null));
        add_oddities(&mut read, oddities, &self.shown);
        Ok(read)
    }
}

/// The conversation of a list of messages: each message of the user begins a turn. What comes before the first one is in its
/// turn.
fn conversation(id: &str, document: &Value) -> ObservedConversation {
    let mut builder = ConversationBuilder::new(id).of_single_messages();
    let mut before = Vec::new();
    let items = document_items(document);
    let last_question = items
        .iter()
        .rposition(|item| matches!(item, MessageItem::Asks(_)));
    let mut answer = items
        .iter()
        .skip(last_question.map_or(0, |place| place + 1));
    if !answer.any(MessageItem::is_of_agent) {
        builder.lacks(Fact::Text);
    }
    for item in items {
        match item {
            MessageItem::Asks(text) => {
                if builder.has_turns() {
                    builder.end_turn(0, RunEnd::Finished);
                }
                builder.begin_turn(0, text.as_deref());
                if before.iter().any(MessageItem::is_of_agent) {
                    builder.warn(
                        "what the agent did before the first message of the user is in turn 1"
                            .to_owned(),
                    );
                }
                builder.does(0, std::mem::take(&mut before), None);
            }
            item if builder.has_turns() => builder.does(0, vec![item], None),
            item => before.push(item),
        }
    }
    if !builder.has_turns() {
        builder.begin_turn(0, None);
        builder.does(0, before, None);
    }
    builder.end_turn(0, RunEnd::Finished);
    if !builder.are_answers_judged() {
        builder.lacks(Fact::CallEnds);
    }
    builder.finish(SHOWN | Facts::of(&[Fact::CallEnds]))
}

/// Lists of messages.
pub(crate) struct OpenAiFormat;

impl TraceFormat for OpenAiFormat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn open(
        &self,
        path: &Path,
        shown: &str,
        _: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError> {
        Ok(Box::new(MessageLists::open(path, shown)?))
    }
}

impl TraceFile for MessageLists {
    fn ids(&self) -> Vec<String> {
        self.places.iter().map(|place| place.id.clone()).collect()
    }

    fn conversation(&self, index: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>> {
        Box::pin(std::future::ready(self.read(index)))
    }
}
