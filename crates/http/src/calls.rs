//! The calls of a turn, put together from the items of its events, and the ids of all calls of a conversation.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::mapping::{CallMapping, CompiledPick, ResultMapping};
use super::modes::CallMode;
use super::other_arguments::{covers, key_of_arguments, other_name};
use super::path::Searched;
use super::seen_keys::key_list;
use super::step_condition::is_given;
use ananke_base::context::Ids;
use ananke_base::source::printable;
use ananke_base::source::received_json::{self, HalfJoiner, Halves, SentText};
use ananke_model::variables::as_text;
use ananke_trace::trace::{Change, Fact, ResultContent, Unread, facts_of_item};

/// The calls of a conversation, by the ids that the agent gives them.
#[derive(Debug, Default)]
pub(crate) struct KnownCalls {
    /// The key of the newest call with an id: a result may come in a later turn.
    by_id: HashMap<String, String>,
    /// The keys that were given, since an agent may use an id a second time, and the number of the call of each.
    keys: HashMap<String, usize>,
    /// The calls without a result, from the oldest: number, key and name.
    open: BTreeMap<usize, (String, String)>,
    /// The numbers of those to each tool, since a response may have very many calls.
    open_to: HashMap<String, BTreeSet<usize>>,
}

impl KnownCalls {
    /// The key of the call with this id that waits for an answer since an earlier turn.
    fn waiting(&self, id: Option<&str>) -> Option<String> {
        let key = self.by_id.get(id?)?;
        let number = self.keys.get(key)?;
        if self.open.contains_key(number) {
            Some(key.clone())
        } else {
            None
        }
    }

    /// Whether a call with this id was read.
    pub(crate) fn has_id(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The key of a new call: its id, unless an earlier call has it.
    fn add(&mut self, id: Option<&str>, name: &str, ids: &dyn Ids) -> String {
        let key = match id {
            Some(id) if !self.keys.contains_key(id) => id.to_owned(),
            Some(_) | None => ids.next("call"),
        };
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), key.clone());
        }
        let number = self.keys.len();
        self.keys.insert(key.clone(), number);
        self.open.insert(number, (key.clone(), name.to_owned()));
        self.open_to
            .entry(name.to_owned())
            .or_default()
            .insert(number);
        key
    }

    /// Takes it that a call gets no result any more, so that a result without an id is not for it.
    pub(crate) fn close(&mut self, key: &str) {
        if let Some(number) = self.keys.get(key)
            && let Some((_, name)) = self.open.remove(number)
            && let Some(numbers) = self.open_to.get_mut(&name)
        {
            numbers.remove(number);
        }
    }

    /// The call that a result answers: that with its id, else the oldest open call to its tool, else the oldest open call.
    fn answered_by(&self, id: Option<&str>, name: Option<&str>) -> Option<&str> {
        if let Some(id) = id {
            return self.by_id.get(id).map(String::as_str);
        }
        let number = match name {
            Some(name) => self.open_to.get(name)?.first()?,
            None => self.open.keys().next()?,
        };
        let (key, _) = self.open.get(number)?;
        Some(key)
    }
}

/// A call that later items may be about, since servers send a call again as it grows.
#[derive(Debug)]
struct TurnCall {
    key: String,
    name: String,
    id: Option<String>,
    /// The arguments as a whole, which are reported late, because a later item may replace them.
    args: Option<Value>,
    joiner: HalfJoiner,
    /// The arguments that came in pieces.
    pieces: String,
    /// The key under which an item has arguments that no path reads.
    other_arguments: Option<String>,
    is_complete: bool,
    result: Option<Value>,
}

/// The calls of a turn, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct TurnCalls {
    calls: Vec<TurnCall>,
    /// The positions of the calls by their keys, their ids, and their indices, of which the newest call has one that is used again.
    by_key: HashMap<String, usize>,
    by_id: HashMap<String, usize>,
    by_index: HashMap<String, usize>,
}

impl TurnCalls {
    /// Takes an item of `response.calls`, whose event has texts with these halves of characters.
    ///
    /// # Errors
    /// If it is a call without a name; the text follows `event 3 `.
    pub(crate) fn take(
        &mut self,
        item: Searched<'_>,
        mapping: &CallMapping,
        halves: Halves,
        known: &mut KnownCalls,
        ids: &dyn Ids,
        report: &mut dyn FnMut(Change<'_>),
    ) -> Result<(), String> {
        let id = text_in(mapping.id.as_ref(), item);
        let index = text_in(mapping.index.as_ref(), item);
        let name = name_in(mapping, item)?;
        let args = value_in(mapping.args.as_ref(), item);
        let mut position = self.position(id.as_deref(), index.as_deref(), mapping);
        // Servers leave the name and the id out of later pieces of arguments, so that these go to the call that began last.
        let is_later_piece = name.is_none() && id.is_none() && mapping.mode == CallMode::Delta;
        if position.is_none() && is_later_piece {
            position = self.calls.len().checked_sub(1);
        }
        let position = if let Some(position) = position {
            position
        } else if let Some(key) = known.waiting(id.as_deref()) {
            // A server that sends its whole state says a call again after an interrupt. It is the call of the turn before, which its
            // answer ends.
            if let Some(result) = value_in(mapping.result.as_ref(), item).filter(is_result) {
                let error = failure_in(mapping.error.as_ref(), item);
                answered(&key, result, error, known, report);
            }
            return Ok(());
        } else if let Some(name) = name {
            if let Some(evidence) = other_name(item.value, mapping, &name) {
                report(Change::Unread(Unread::call(&name, evidence)));
            }
            let key = known.add(id.as_deref(), &name, ids);
            self.open(key, name, id, index, report)
        } else if args.is_none() && id.is_none() && !may_be_call(item.value) {
            // Streams have items that only say how far a call is.
            return Ok(());
        } else {
            return Err(format!(
                "has an item of {} in which `response.calls.name` finds nothing: {}. It has: {}",
                mapping.at.words(),
                mapping.name.words(),
                key_list(item.value)
            ));
        };
        self.calls[position].add(item, args, mapping, halves, known, report);
        Ok(())
    }

    /// Begins a call, and returns its position.
    fn open(
        &mut self,
        key: String,
        name: String,
        id: Option<String>,
        index: Option<String>,
        report: &mut dyn FnMut(Change<'_>),
    ) -> usize {
        report(Change::CallOpened {
            id: Cow::Borrowed(&key),
            name: Cow::Borrowed(&name),
            subagent: None,
        });
        let position = self.calls.len();
        // Later items find the call by any of these, because servers repeat only one of them in each.
        self.by_key.insert(key.clone(), position);
        if let Some(id) = &id {
            self.by_id.insert(id.clone(), position);
        }
        if let Some(index) = index {
            self.by_index.insert(index, position);
        }
        self.calls.push(TurnCall {
            key,
            name,
            id,
            args: None,
            joiner: HalfJoiner::default(),
            pieces: String::new(),
            other_arguments: None,
            is_complete: false,
            result: None,
        });
        position
    }

    /// The call of the turn that an item with this id or index is about.
    fn position(
        &self,
        id: Option<&str>,
        index: Option<&str>,
        mapping: &CallMapping,
    ) -> Option<usize> {
        if let Some(id) = id {
            return self.by_id.get(id).copied();
        }
        if let Some(index) = index
            && mapping.mode == CallMode::Delta
        {
            return self.by_index.get(index).copied();
        }
        None
    }

    /// Whether an item of `response.calls` has anything of a call.
    pub(crate) fn is_about_call(item: Searched<'_>, mapping: &CallMapping) -> bool {
        // A result is no sign of a call, because `calls.at` may lead past the call to what it returned.
        let picks = [
            Some(&mapping.name),
            mapping.id.as_ref(),
            mapping.index.as_ref(),
            mapping.args.as_ref(),
        ];
        picks.into_iter().any(|pick| value_in(pick, item).is_some())
    }

    /// Whether the call that an item of `response.results` answers was read.
    pub(crate) fn is_result_known(
        item: Searched<'_>,
        mapping: &ResultMapping,
        known: &KnownCalls,
    ) -> bool {
        let id = text_in(mapping.id.as_ref(), item);
        let name = text_in(mapping.name.as_ref(), item);
        known.answered_by(id.as_deref(), name.as_deref()).is_some()
    }

    /// Takes an item of `response.results`.
    pub(crate) fn take_result(
        &mut self,
        item: Searched<'_>,
        mapping: &ResultMapping,
        known: &mut KnownCalls,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        let id = text_in(mapping.id.as_ref(), item);
        let name = text_in(mapping.name.as_ref(), item);
        let result = match &mapping.result {
            Some(result) => {
                if let Some(hit) = result.first(item) {
                    hit.value.into_owned()
                } else {
                    let reason = format!(
                        "`response.results.result` finds nothing: {}. The item has: {}",
                        result.words(),
                        key_list(item.value)
                    );
                    let id = id.as_deref().or(name.as_deref()).unwrap_or_default();
                    report(Change::Unread(Unread::results(id, reason)));
                    Value::Null
                }
            }
            None => item.value.clone(),
        };
        let error = failure_in(mapping.error.as_ref(), item);
        let Some(key) = known.answered_by(id.as_deref(), name.as_deref()) else {
            // What has a result was called, so that rules about calls do not pass by a wrong path to them.
            let id = id.or(name).unwrap_or_default();
            let reason = "the call is not in the responses so far";
            report(Change::Unread(Unread::results(&id, reason)));
            return report(Change::Unread(Unread::call(
                &id,
                "only its result was read",
            )));
        };
        let key = key.to_owned();
        if let Some(&position) = self.by_key.get(&key) {
            return self.calls[position].answer(result, error, known, report);
        }
        // The call is one of an earlier turn.
        answered(&key, result, error, known, report);
    }

    /// Reports what is still held back: nothing comes after it.
    pub(crate) fn complete_all(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        for call in &mut self.calls {
            call.complete(report);
        }
    }

    /// The keys of the calls without a result.
    pub(crate) fn unanswered(&self) -> impl Iterator<Item = &str> {
        let open = self.calls.iter().filter(|call| call.result.is_none());
        open.map(|call| call.key.as_str())
    }

    /// The call of this turn with this id: its tool, and the arguments that were read.
    pub(crate) fn arguments_of(&self, id: &str) -> Option<(&str, Value)> {
        let call = &self.calls[*self.by_id.get(id)?];
        Some((&call.name, call.reported_args()))
    }

    /// The key of the call with this id, in this turn or an earlier one.
    pub(crate) fn key_of(id: &str, known: &KnownCalls) -> Option<String> {
        known.by_id.get(id).cloned()
    }
}

impl TurnCall {
    /// Takes what an item has of the call; `args` are the arguments that a path finds in it.
    fn add(
        &mut self,
        item: Searched<'_>,
        args: Option<Value>,
        mapping: &CallMapping,
        halves: Halves,
        known: &mut KnownCalls,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        // Arguments that are not read are reported once, when the call is complete, since later items may repeat them.
        if let Some(key) = key_of_arguments(item.value, mapping, args.as_ref()) {
            self.other_arguments = Some(printable(key));
        }
        if let Some(args) = args {
            self.add_args(args, mapping.mode, halves, report);
        }
        let mut result = value_in(mapping.result.as_ref(), item).filter(is_result);
        let error = failure_in(mapping.error.as_ref(), item);
        // A call that failed may have no other result than its error.
        if result.is_none() && error == Some(true) {
            result = value_in(mapping.error.as_ref(), item);
        }
        if let Some(result) = result {
            self.answer(result, error, known, report);
        } else if mapping.mode == CallMode::Whole && self.id.is_none() {
            // No later item can be about it.
            self.complete(report);
        }
    }

    fn add_args(
        &mut self,
        args: Value,
        mode: CallMode,
        halves: Halves,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        let is_piece = mode == CallMode::Delta && args.is_string();
        if let Value::String(piece) = &args
            && is_piece
            && !self.is_complete
        {
            let (delta, _) = self.joiner.join(SentText::new(piece.as_str(), halves));
            if !delta.is_empty() {
                self.pieces.push_str(&delta);
                report(Change::CallArgs {
                    id: Cow::Borrowed(&self.key),
                    delta,
                });
            }
            return;
        }
        if !self.is_complete && self.pieces.is_empty() {
            self.args = Some(args);
        } else if is_piece || !covers(&self.reported_args(), &args) {
            let reason = "the agent sent other arguments after the first ones were complete";
            report(Change::Unread(Unread::arguments(self.name.clone(), reason)));
        }
    }

    /// The arguments as the trace has them.
    fn reported_args(&self) -> Value {
        match &self.args {
            Some(Value::String(text)) => match received_json::read(text) {
                Ok(read) => read.value,
                Err(_) => Value::String(text.clone()),
            },
            Some(args) => args.clone(),
            None => match received_json::read(&self.pieces) {
                Ok(read) => read.value,
                Err(_) => Value::Object(Map::new()),
            },
        }
    }

    /// The arguments are complete.
    fn complete(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        if std::mem::replace(&mut self.is_complete, true) {
            return;
        }
        if let Some(key) = &self.other_arguments {
            let reason = format!(
                "the call has arguments in `{key}`, where `response.calls.args` does not lead"
            );
            report(Change::Unread(Unread::arguments(self.name.clone(), reason)));
        }
        if self.pieces.is_empty() {
            let delta = match &self.args {
                None | Some(Value::Null) => Cow::Borrowed("{}"),
                Some(Value::String(text)) if text.trim().is_empty() => Cow::Borrowed("{}"),
                Some(args) => Cow::Owned(as_text(args)),
            };
            let id = Cow::Borrowed(self.key.as_str());
            report(Change::CallArgs { id, delta });
        }
        let id = Cow::Borrowed(self.key.as_str());
        report(Change::CallArgsDone { id });
    }

    fn answer(
        &mut self,
        result: Value,
        error: Option<bool>,
        known: &mut KnownCalls,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        self.complete(report);
        match &self.result {
            None => {
                answered(&self.key, result.clone(), error, known, report);
                self.result = Some(result);
            }
            // Servers send a call again when they know more of it.
            Some(earlier) if *earlier == result => {}
            Some(_) => {
                let reason = "the agent sent another result after the first one";
                let id = self.id.as_deref().unwrap_or(&self.key);
                report(Change::Unread(Unread::results(id, reason)));
            }
        }
    }
}

/// Reports a result and closes its call, so that a later result without an id answers another one.
fn answered(
    key: &str,
    result: Value,
    is_error: Option<bool>,
    known: &mut KnownCalls,
    report: &mut dyn FnMut(Change<'_>),
) {
    known.close(key);
    report(Change::CallAnswered {
        id: Cow::Borrowed(key),
        result: match result {
            Value::String(text) => ResultContent::Text(Cow::Owned(text)),
            value => ResultContent::Json(value),
        },
        is_error,
    });
}

/// The name of the tool in an item of `response.calls`, if it has one.
///
/// # Errors
/// If there is something else than a text or a number; the text follows `event 3 `.
fn name_in(mapping: &CallMapping, item: Searched<'_>) -> Result<Option<String>, String> {
    let kind = match value_in(Some(&mapping.name), item) {
        None => return Ok(None),
        Some(Value::String(name)) if name.is_empty() => return Ok(None),
        Some(Value::String(name)) => return Ok(Some(name)),
        Some(Value::Number(name)) => return Ok(Some(name.to_string())),
        Some(Value::Null | Value::Bool(_)) => "a Boolean",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    let paths = mapping.name.words();
    Err(format!(
        "has {kind} where `response.calls.name` ({paths}) expects the name of a tool"
    ))
}

/// Keys under which many servers name a tool; `name` alone may be that of anything.
const TOOL_KEYS: [&str; 2] = ["tool", "function"];

/// Whether an item without a name may be a call all the same: a wrong path to its name must not hide it.
fn may_be_call(item: &Value) -> bool {
    match item {
        Value::Object(keys) => {
            let names_tool = TOOL_KEYS
                .iter()
                .any(|key| matches!(keys.get(*key), Some(Value::String(name)) if !name.is_empty()));
            names_tool || facts_of_item(item).has(Fact::Calls)
        }
        other => is_given(other),
    }
}

/// Whether a value in the item of a call is its result: an empty text or null is none yet.
fn is_result(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

/// Whether the call of an item has failed; `None` if the mapping does not say where that is.
fn failure_in(pick: Option<&CompiledPick>, item: Searched<'_>) -> Option<bool> {
    Some(finds_something(pick?, item))
}

/// Whether `pick` finds something that is not false or empty.
fn finds_something(pick: &CompiledPick, item: Searched<'_>) -> bool {
    let hits = pick.find(item, &mut Vec::new());
    hits.iter().any(|hit| is_given(&hit.value))
}

/// The value that `pick` finds first, if it is not null.
pub(crate) fn value_in(pick: Option<&CompiledPick>, item: Searched<'_>) -> Option<Value> {
    let value = pick?.first(item)?.value.into_owned();
    if value.is_null() { None } else { Some(value) }
}

/// The text that `pick` finds first, if it is not empty; a number is a text too.
pub(crate) fn text_in(pick: Option<&CompiledPick>, item: Searched<'_>) -> Option<String> {
    let text = as_text(&value_in(pick, item)?);
    if text.is_empty() { None } else { Some(text) }
}
