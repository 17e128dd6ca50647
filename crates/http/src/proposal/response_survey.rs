//! The places in the events of a response that may be text, calls and results, each with the path that leads to it.
//!
//! **Invariant:** every path is one that the reader of paths reads: keys and values that it could not express are passed over.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::event::ResponseEvent;
use super::super::modes::StreamForm;
use super::field_use::is_one_of;

/// The keys that say the kind of an event, or of an item of a list.
const KINDS: [&str; 6] = ["type", "event", "kind", "role", "message_type", "part_kind"];

/// The authors of messages that are no answer.
const USERS: [&str; 3] = ["user", "human", "system"];

/// The kinds of items that have text, so that the condition is written also where all items are of this kind.
const SPEAKERS: &str = "ai assistant assistant_message model bot text output_text AIMessageChunk";

/// Words in a kind whose text is none of the answer.
const ASIDE: &str = "tool function think reason error status progress metadata log ping debug";

/// The keys that have text, from the most to the least likely.
pub(super) const TEXTS: &str =
    "text content delta token answer output reply response message result chunk data";

/// The keys that name a tool, that have its arguments, its result, the id of a call, and say that it failed.
const NAMES: &str = "name tool_name toolName tool function_name functionName toolCallName tool_call_name function action";
const ARGUMENTS: &str = "args arguments input parameters params tool_args toolArgs tool_input toolInput tool_kwargs kwargs inputs \
    rawInput action_input function_args with";
const RESULTS: &str = "result output response observation tool_result toolResult toolOutput tool_output tool_return return_value \
    content value results";
const IDS: &str = "tool_call_id toolCallId tool_use_id toolUseId call_id callId id run_id";
const FAILURES: &str = "tool_call_error is_error isError failed error";

/// The words in a kind, or in a key, of what is about tools.
const TOOL_WORDS: [&str; 2] = ["tool", "function"];

/// The deepest value that is looked at.
const DEPTH: usize = 12;

/// The longest key and the longest kind that a path has.
const LONGEST_NAME: usize = 64;

/// The most places that are kept, since an answer may be made to have many.
const MOST_HITS: usize = 5_000;

/// A text, and where it is.
pub(super) struct TextHit {
    pub(super) path: String,
    /// The last key; empty if the text is the event itself.
    pub(super) key: String,
    pub(super) event: usize,
    pub(super) text: String,
}

/// An object that may be a call, a piece of one, or a result, with the keys by which it is read.
pub(super) struct CallHit {
    pub(super) path: String,
    pub(super) event: usize,
    pub(super) name: Option<(String, String)>,
    pub(super) args: Option<(String, Value)>,
    pub(super) id: Option<(String, String)>,
    pub(super) index: Option<String>,
    pub(super) result: Option<(String, Value)>,
    pub(super) failure: Option<String>,
}

/// All that was found.
#[derive(Default)]
pub(super) struct ResponseSurvey {
    pub(super) texts: Vec<TextHit>,
    pub(super) calls: Vec<CallHit>,
    /// The condition of each event on its kind; empty if events have no kinds.
    pub(super) kinds: Vec<String>,
    /// The keys of lists that say the kind of an item, by the path of the list without conditions.
    lists: BTreeMap<String, ItemKinds>,
}

/// The key that says the kind of an item of a list, and the kinds.
struct ItemKinds {
    key: &'static str,
    values: BTreeSet<Option<String>>,
}

/// A place in an event.
#[derive(Clone)]
struct SurveyPlace {
    /// The path as it is written.
    path: String,
    /// The same without conditions.
    plain: String,
    depth: usize,
    /// Whether text here is none of the answer.
    is_aside: bool,
}

impl ResponseSurvey {
    /// Looks through events; `inputs` are what the user said, which an answer may repeat.
    pub(super) fn of(events: &[&ResponseEvent], form: StreamForm, inputs: &[&str]) -> Self {
        let mut survey = Self::default();
        for event in events {
            survey.find_kinds(&event.value, "", 0);
        }
        // A document is one event, so that nothing distinguishes it.
        survey.kinds = if form == StreamForm::Json {
            vec![String::new(); events.len()]
        } else {
            event_conditions(events)
        };
        for (number, event) in events.iter().enumerate() {
            let path = survey.kinds[number].clone();
            let is_aside =
                is_aside(&path) || USERS.iter().any(|user| path == format!("[?role={user}]"));
            let place = SurveyPlace {
                path,
                plain: String::new(),
                depth: 0,
                is_aside,
            };
            survey.value(&event.value, "", &place, number, inputs);
        }
        survey
    }

    /// Finds by which keys the items of lists differ.
    fn find_kinds(&mut self, value: &Value, plain: &str, depth: usize) {
        if depth > DEPTH {
            return;
        }
        match value {
            Value::Object(keys) => {
                for (key, value) in keys {
                    self.find_kinds(value, &format!("{plain}.{key}"), depth + 1);
                }
            }
            Value::Array(items) => {
                let mut kind_key = None;
                for item in items {
                    if let Value::Object(keys) = item
                        && let Some((key, _)) = kind_in(keys)
                    {
                        kind_key = kind_key.or(Some(key));
                    }
                }
                if let Some(key) = kind_key {
                    let kinds = self.lists.entry(plain.to_owned()).or_insert(ItemKinds {
                        key,
                        values: BTreeSet::new(),
                    });
                    let key = kinds.key;
                    for item in items {
                        let kind = text_of(item, key).map(str::to_owned);
                        kinds.values.insert(kind);
                    }
                }
                for item in items {
                    self.find_kinds(item, &format!("{plain}[]"), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn value(
        &mut self,
        value: &Value,
        key: &str,
        place: &SurveyPlace,
        event: usize,
        inputs: &[&str],
    ) {
        if place.depth > DEPTH || self.texts.len() + self.calls.len() > MOST_HITS {
            return;
        }
        match value {
            Value::String(text) => {
                let is_text = key.is_empty() || is_one_of(key, TEXTS);
                if is_text && !place.is_aside && !inputs.contains(&text.as_str()) {
                    self.texts.push(TextHit {
                        path: whole_or(&place.path),
                        key: key.to_owned(),
                        event,
                        text: text.clone(),
                    });
                }
            }
            Value::Object(keys) => self.object(keys, place, event, inputs),
            Value::Array(items) => self.list(items, place, event, inputs),
            _ => {}
        }
    }

    fn object(
        &mut self,
        keys: &Map<String, Value>,
        place: &SurveyPlace,
        event: usize,
        inputs: &[&str],
    ) {
        let hit = call_hit(keys, place, event);
        let is_call = hit.is_some();
        self.calls.extend(hit);
        for (key, value) in keys {
            if !is_plain_key(key) {
                continue;
            }
            let dot = if place.path.is_empty() { "" } else { "." };
            let inner = SurveyPlace {
                path: format!("{}{dot}{key}", place.path),
                plain: format!("{}.{key}", place.plain),
                depth: place.depth + 1,
                // What a tool got or gave is no text of the agent.
                is_aside: place.is_aside || is_call,
            };
            self.value(value, key, &inner, event, inputs);
        }
    }

    fn list(&mut self, items: &[Value], place: &SurveyPlace, event: usize, inputs: &[&str]) {
        let mut kind_key = "";
        let mut varies = false;
        if let Some(kinds) = self.lists.get(&place.plain) {
            kind_key = kinds.key;
            varies = kinds.values.len() > 1;
        }
        let mut after = String::new();
        let mut first = 0;
        let last = items.iter().rposition(|item| is_of_user(item, kind_key));
        if let Some(last) = last
            && let Some(user) = text_of(&items[last], kind_key)
        {
            // The conversation so far comes back: only what follows the last message of the user is new.
            after = format!("[>{kind_key}={user}]");
            first = last + 1;
        }
        for item in &items[first..] {
            let condition = match text_of(item, kind_key) {
                // The condition is there too if all items are alike now, since others may follow in the next response.
                Some(kind) if is_plain_value(kind) && (varies || is_one_of(kind, SPEAKERS)) => {
                    format!("[?{kind_key}={kind}]")
                }
                // What follows the last message of the user is a list no more.
                _ if after.is_empty() => "[*]".to_owned(),
                _ => String::new(),
            };
            let inner = SurveyPlace {
                is_aside: place.is_aside || is_aside(&condition),
                path: format!("{}{after}{condition}", place.path),
                plain: format!("{}[]", place.plain),
                depth: place.depth + 1,
            };
            // A text in a list has no key of its own, so that nothing says what it is.
            if !item.is_string() {
                self.value(item, "", &inner, event, inputs);
            }
        }
    }
}

/// The path, or that of the event itself.
fn whole_or(path: &str) -> String {
    if path.is_empty() {
        "$".to_owned()
    } else {
        path.to_owned()
    }
}

/// The conditions on the kinds of events: by their name, else by the first key whose texts differ, else by `partial`.
fn event_conditions(events: &[&ResponseEvent]) -> Vec<String> {
    let names: BTreeSet<_> = events.iter().map(|event| &event.name).collect();
    let mut kinds = BTreeSet::new();
    let mut kind_key = None;
    for key in KINDS {
        kinds.clear();
        kinds.extend(events.iter().map(|event| text_of(&event.value, key)));
        if kinds.len() > 1 {
            kind_key = Some(key);
            break;
        }
    }
    let partial = events.iter().filter(|event| is_partial(event)).count();
    let has_both = partial > 0 && partial < events.len();

    let mut conditions = Vec::new();
    for event in events {
        conditions.push(if names.len() > 1 {
            // Events without a name that a path can have get no condition, because the condition would not be read.
            match &event.name {
                Some(name) if is_plain_value(name) => format!("[?@event={name}]"),
                _ => String::new(),
            }
        } else if let Some(key) = kind_key {
            match text_of(&event.value, key) {
                Some(kind) if is_plain_value(kind) => format!("[?{key}={kind}]"),
                _ => format!("[?!{key}]"),
            }
        } else if has_both {
            let mark = if is_partial(event) { "" } else { "!" };
            format!("[?{mark}partial]")
        } else {
            String::new()
        });
    }
    conditions
}

/// The text under a key.
fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// Whether an event has a piece of what a later one has as a whole.
fn is_partial(event: &ResponseEvent) -> bool {
    event.value.get("partial") == Some(&Value::Bool(true))
}

/// The object as a call, a piece of one, or a result; `None` if it is none.
fn call_hit(keys: &Map<String, Value>, place: &SurveyPlace, event: usize) -> Option<CallHit> {
    let mut hit = CallHit {
        path: whole_or(&place.path),
        event,
        name: text_under(keys, NAMES),
        args: value_under(keys, ARGUMENTS),
        id: text_under(keys, IDS),
        index: None,
        result: value_under(keys, RESULTS),
        failure: None,
    };
    // A key with something else than yes or no is a result, since servers name their errors differently.
    for key in FAILURES.split(' ') {
        if let Some(Value::Bool(_) | Value::Null) = keys.get(key)
            && hit.failure.is_none()
        {
            hit.failure = Some(key.to_owned());
        }
    }
    // Pieces of arguments are joined by their index, because later pieces have neither an id nor a name.
    if keys.contains_key("index") {
        hit.index = Some("index".to_owned());
    }
    add_inner_call(&mut hit, keys);
    // The kind of an item, or the key that it is under, says that it is about a tool.
    let last_key = place.plain.rsplit('.').next().unwrap_or_default();
    let last_key = last_key.to_ascii_lowercase();
    let mut is_tool_kind = false;
    let mut is_under_tool = false;
    for word in TOOL_WORDS {
        is_tool_kind |= kind_has(keys, word) || ends_condition_with(&place.path, word);
        is_under_tool |= last_key.contains(word);
    }
    let names_call = match &hit.id {
        Some((key, _)) => key != "id" && key != "run_id",
        None => false,
    };
    let has_arguments = matches!(
        &hit.args,
        Some((_, Value::Object(_) | Value::String(_) | Value::Null))
    );
    // A list of tools declares them: only arguments, or its kind, make an item of it a call.
    let is_call = hit.name.is_some() && (has_arguments || is_tool_kind);
    let is_piece = hit.index.is_some() && matches!(&hit.args, Some((_, Value::String(_))));
    // A message may have an id and a text too, so that only what is about a tool is a result.
    let is_answer = hit.result.is_some() && (is_tool_kind || is_under_tool || names_call);
    if is_call || is_piece || is_answer {
        Some(hit)
    } else {
        None
    }
}

/// Adds the name and the arguments that are one object below the rest of a call.
fn add_inner_call(hit: &mut CallHit, keys: &Map<String, Value>) {
    // Chat completions and their relatives have the name one object below the id, and some have it below the result.
    for outer in ["function", "action", "tool", "call"] {
        let Some(Value::Object(inner)) = keys.get(outer) else {
            continue;
        };
        let own_id = text_under(inner, IDS);
        let is_apart = own_id.is_none() || outer == "action" && hit.result.is_some();
        if is_apart
            && let Some((name, text)) = text_under(inner, NAMES)
            && let Some((args, value)) = value_under(inner, ARGUMENTS)
        {
            hit.name = Some((format!("{outer}.{name}"), text));
            hit.args = Some((format!("{outer}.{args}"), value));
            if hit.id.is_none() {
                hit.id = own_id.map(|(id, text)| (format!("{outer}.{id}"), text));
            }
        }
    }
}

/// The first of `wanted` that has a text which is not empty.
fn text_under(keys: &Map<String, Value>, wanted: &str) -> Option<(String, String)> {
    for key in wanted.split(' ') {
        if let Some(Value::String(text)) = keys.get(key)
            && !text.is_empty()
        {
            return Some((key.to_owned(), text.clone()));
        }
    }
    None
}

/// The first of `wanted` that has a value which is not null, else the first that is null.
fn value_under(keys: &Map<String, Value>, wanted: &str) -> Option<(String, Value)> {
    let mut first_null = None;
    for key in wanted.split(' ') {
        match keys.get(key) {
            None => {}
            Some(Value::Null) => first_null = first_null.or(Some(key)),
            Some(value) => return Some((key.to_owned(), value.clone())),
        }
    }
    Some((first_null?.to_owned(), Value::Null))
}

/// The first key of an object that says its kind.
fn kind_in(keys: &Map<String, Value>) -> Option<(&'static str, &str)> {
    for key in KINDS {
        if let Some(Value::String(kind)) = keys.get(key) {
            return Some((key, kind));
        }
    }
    None
}

fn kind_has(keys: &Map<String, Value>, word: &str) -> bool {
    match kind_in(keys) {
        Some((_, kind)) => kind.to_ascii_lowercase().contains(word),
        None => false,
    }
}

/// Whether a path ends with a condition whose value has the word.
fn ends_condition_with(path: &str, word: &str) -> bool {
    match path.rsplit_once('=') {
        Some((_, value)) => value.ends_with(']') && value.to_ascii_lowercase().contains(word),
        None => false,
    }
}

fn is_of_user(item: &Value, key: &str) -> bool {
    text_of(item, key).is_some_and(|author| USERS[..2].contains(&author))
}

/// Whether what a condition leads to is something else than the answer.
fn is_aside(condition: &str) -> bool {
    let Some((_, kind)) = condition.split_once('=') else {
        return false;
    };
    let kind = kind.to_ascii_lowercase();
    let kind = kind.trim_end_matches(']');
    USERS.contains(&kind) || ASIDE.split(' ').any(|word| kind.contains(word))
}

/// Whether a path can have this key.
fn is_plain_key(key: &str) -> bool {
    let mut letters = key.chars();
    let is_plain = letters.all(|letter| letter.is_alphanumeric() || "_- @/".contains(letter));
    is_plain && !key.is_empty() && key.len() <= LONGEST_NAME
}

/// Whether a condition can have this value.
fn is_plain_value(value: &str) -> bool {
    let mut letters = value.chars();
    let is_plain = letters.all(|it| it.is_ascii_alphanumeric() || "_-.:/".contains(it));
    is_plain && !value.is_empty() && value.len() <= LONGEST_NAME
}
