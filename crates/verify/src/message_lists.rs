//! The lists of messages in a document, and the items in them: a conversation, or a request to a model with its response.
//!
//! Lines of requests with their responses repeat the history: a line that a longer one begins with is no conversation of its
//! own.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value, json};

use super::conventions::Conventions;
use super::message_item::MessageItem;
use super::message_names::MessageSpeaker;
use super::message_reader::InnerMessages;
use super::same_facts::{arguments_key, merge};
use ananke_trace::trace::{Facts, Unread};

/// The keys of an object that have messages, and who speaks in those that have no role.
const LISTS: [(&str, Option<MessageSpeaker>); 4] = [
    ("messages", None),
    ("contents", None),
    ("input", None),
    ("output", Some(MessageSpeaker::Assistant)),
];

/// A list of messages in a document: what it is called, who speaks, and the messages.
pub(super) type ListedMessages<'v> = (&'static str, Option<MessageSpeaker>, &'v Value);

/// The lists of messages of a conversation: a list, or an object with lists.
pub(super) fn lists(document: &Value) -> Option<Vec<ListedMessages<'_>>> {
    match document {
        Value::Array(messages) if messages.iter().all(is_message) => {
            Some(vec![("messages", None, document)])
        }
        Value::Object(object) => {
            let given = LISTS
                .iter()
                .filter_map(|(key, speaker)| Some((*key, *speaker, object.get(*key)?)));
            let given: Vec<_> = given.filter(|(_, _, value)| !value.is_null()).collect();
            let is_list = |(key, _, value): &ListedMessages<'_>| match value {
                Value::Array(_) => true,
                Value::String(_) | Value::Object(_) => matches!(*key, "input" | "output"),
                _ => false,
            };
            let begins = given.first().is_some_and(|(key, _, _)| *key != "output");
            (begins && given.iter().all(is_list)).then_some(given)
        }
        _ => None,
    }
}

fn is_message(value: &Value) -> bool {
    value.get("role").is_some() || value.get("type").is_some()
}

/// The body of a request, and that of its response, in an invocation log of Amazon Bedrock.
fn logged_bodies(document: &Value) -> Option<Vec<ListedMessages<'_>>> {
    let request = document.pointer("/input/inputBodyJson/messages")?;
    let response = document
        .pointer("/output/outputBodyJson")
        .unwrap_or(&Value::Null);
    let message = response.pointer("/output/message").unwrap_or(response);
    let request = ("input.inputBodyJson.messages", None, request);
    let speaker = Some(MessageSpeaker::Assistant);
    Some(vec![request, ("output.outputBodyJson", speaker, message)])
}

fn list_items((key, speaker, list): &ListedMessages<'_>) -> Vec<MessageItem> {
    let speaker = speaker.or_else(|| list.is_string().then_some(MessageSpeaker::User));
    Conventions::known().items(list, speaker, key, InnerMessages::Ignored)
}

/// The items of a request and those of its response. A response that is no message is unread: it was streamed, or is elsewhere.
fn exchange_items(lists: &[ListedMessages<'_>]) -> [Vec<MessageItem>; 2] {
    let (mut request, mut response) = (Vec::new(), Vec::new());
    for list in lists {
        match list.0 {
            "output.outputBodyJson" if !list.2.is_object() => {
                let unread = Unread::anything("key:output", "it contains no message");
                response.push(MessageItem::Unread(unread));
            }
            "output" | "output.outputBodyJson" => response.extend(list_items(list)),
            _ => request.extend(list_items(list)),
        }
    }
    [request, response]
}

/// The items of a document.
pub(super) fn document_items(document: &Value) -> Vec<MessageItem> {
    if let Some(bodies) = logged_bodies(document) {
        return exchange_items(&bodies).concat();
    }
    let names = Conventions::known();
    let lists = lists(document).unwrap_or_default();
    let mut items: Vec<MessageItem> = Vec::new();
    let has_all = lists.iter().any(|(key, _, _)| *key == "messages");
    for list in &lists {
        let own = list_items(list);
        if has_all && list.0 != "messages" {
            let mut known = items.clone();
            if merge(&mut known, own.clone()).is_empty() {
                // It repeats what the messages say.
                items = known;
                continue;
            }
        }
        items.extend(own);
    }
    for (key, value) in document.as_object().into_iter().flatten() {
        let name = format!("key:{key}");
        let is_read = lists.iter().any(|(list, _, _)| list == key);
        if is_read || names.is_silent(&name) {
            continue;
        }
        let text = value.as_str().filter(|text| {
            let is_said =
                |item: &MessageItem| matches!(item, MessageItem::Says(Some(said)) if said == text);
            names.messages.answer.contains(key) && !items.iter().any(is_said)
        });
        let unread = match text {
            Some(text) => Unread::item(name, &json!({ "text": text })),
            None => Unread::item(name, value),
        };
        if unread.facts != Facts::NONE {
            items.push(MessageItem::Unread(unread));
        }
    }
    items
}

/// The documents of a file that are requests with their responses, by what they contain.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    /// The hash of each request with its response; `None` if the document is no such thing.
    whole: Vec<Option<u64>>,
    /// The hashes of all beginnings of requests.
    beginnings: HashSet<u64>,
}

impl Exchanges {
    /// Adds a document.
    pub(super) fn add(&mut self, document: &Value) {
        let lists = logged_bodies(document).or_else(|| lists(document));
        let lists = lists.unwrap_or_default();
        let is_exchange =
            lists.len() == 2 && lists[0].0.starts_with("input") && lists[1].0.starts_with("output");
        if !is_exchange {
            return self.whole.push(None);
        }
        let [request, response] = exchange_items(&lists);
        let mut hash = 0;
        for item in &request {
            hash = hash_with(hash, item);
            self.beginnings.insert(hash);
        }
        let has_unread = response
            .iter()
            .any(|item| matches!(item, MessageItem::Unread(_)));
        let whole = response.iter().fold(hash, hash_with);
        self.whole
            .push(Some(whole).filter(|whole| *whole != hash && !has_unread));
    }

    /// Whether a longer request begins with the document at this place and its response.
    pub(super) fn is_repeated(&self, place: usize) -> bool {
        let whole = self.whole.get(place).copied().flatten();
        whole.is_some_and(|whole| self.beginnings.contains(&whole))
    }
}

/// The hash of a conversation that goes on with this item.
fn hash_with(hash: u64, item: &MessageItem) -> u64 {
    let fact = match item {
        MessageItem::Instructs | MessageItem::Reasons(_) | MessageItem::Unread(_) => return hash,
        MessageItem::Calls { id, name, args } => {
            let args = arguments_key(args.as_deref().unwrap_or_default());
            format!("{id:?} {name:?} {args}")
        }
        MessageItem::Says(Some(text)) => format!("says {}", text.trim()),
        MessageItem::Answers { id, result, .. } => format!("{id:?} answers {result:?}"),
        other => format!("{other:?}"),
    };
    let mut hasher = DefaultHasher::new();
    (hash, fact).hash(&mut hasher);
    hasher.finish()
}
