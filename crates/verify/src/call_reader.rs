//! Reads calls and results, whatever their keys are called.

use serde_json::{Map, Value, json};

use super::call_result::UnwrappedResult;
use super::message_item::{
    MessageItem, first, inner_json, is_empty_arguments, is_given, others, same_arguments, text_of,
};
use super::message_names::FailureMarks;
use super::message_reader::{InnerMessages, MessagePlace, MessageReader};
use super::same_facts::contradiction;
use super::tool_end::ToolEnd;
use ananke_trace::trace::{Fact, Facts, Unread, UnreadForm};

impl MessageReader<'_> {
    /// Reads a call, with its result if it has one.
    pub(crate) fn call(&mut self, call: &Map<String, Value>, place: MessagePlace<'_>) {
        let names = self.names;
        let id = first(call, &names.call_id).map(text_of);
        let kind = first(call, &names.part_type).and_then(Value::as_str);
        let of_kind = || Some(names.part_kind(kind?)?.1?.to_owned());
        // A name of another kind than a text is not read: the call has none.
        let name = match first(call, &names.name) {
            Some(name) => name.as_str().map(str::to_owned),
            None => of_kind(),
        };
        let name = name.filter(|name| !name.trim().is_empty());
        let args = self.arguments(call, name.as_deref());
        for (other, key) in others(call, &names.name) {
            self.unread(
                &format!("key:{}", place.key(key)),
                &json!({ "name": other, "arguments": "" }),
                None,
            );
        }
        self.items.push(MessageItem::Calls {
            id: id.clone(),
            name: name.clone(),
            args,
        });
        let error = first(call, &names.error).filter(|error| **error != Value::Bool(false));
        let result = first(call, &names.call_result).or(error);
        let end = self.end(call, place);
        let denied = (end == Some(ToolEnd::Denied)).then(|| self.denial(call));
        if let Some(value) = result.cloned().or(denied) {
            let has_error = names.error.iter().any(|key| call.contains_key(key));
            let UnwrappedResult { value, end: inner } = self.conventions.result(value);
            let of_error = match error {
                Some(_) => Some(ToolEnd::Failed),
                None => has_error.then_some(ToolEnd::Succeeded),
            };
            let is_failed = error.is_some().then_some(ToolEnd::Failed);
            self.items.push(MessageItem::Answers {
                id,
                name,
                result: Some(value),
                end: is_failed.or(end).or(inner).or(of_error),
            });
        }
        let read = [&names.arguments, &names.call_result, &names.error];
        self.account(call, &read, place);
    }

    /// The real arguments among several spellings: the first that are not empty. Others that contradict them are unread.
    fn arguments(&mut self, call: &Map<String, Value>, tool: Option<&str>) -> Option<String> {
        let spellings: Vec<String> = (self.names.arguments.iter())
            .filter_map(|key| call.get(key))
            .filter(|value| is_given(value))
            .map(text_of)
            .collect();
        let full = spellings.iter().find(|args| !is_empty_arguments(args));
        let real = full.or(spellings.first())?.clone();
        for other in &spellings {
            if !is_empty_arguments(other) && !same_arguments(Some(other), Some(&real)) {
                let unread = contradiction(tool, other);
                self.items.push(MessageItem::Unread(unread));
            }
        }
        Some(real)
    }

    /// The reason that a call was denied, or an empty text.
    fn denial(&self, call: &Map<String, Value>) -> Value {
        let approval = first(call, &self.names.approval);
        let reason = approval.and_then(|approval| approval.get("reason"));
        reason
            .filter(|reason| reason.is_string())
            .cloned()
            .unwrap_or_else(|| Value::from(""))
    }

    /// Reads the result of a call.
    pub(crate) fn answer(&mut self, answer: &Map<String, Value>, place: MessagePlace<'_>) {
        let names = self.names;
        let result = first(answer, &names.result).or_else(|| first(answer, &names.error));
        for (_, key) in others(answer, &names.result) {
            let id = first(answer, &names.call_id)
                .map(text_of)
                .unwrap_or_default();
            let why = format!("`{key}` is different from other results of the call");
            self.items
                .push(MessageItem::Unread(Unread::results(&id, why).into_owned()));
        }
        let marks = self.failure_marks(answer, place);
        self.answers(answer, result.cloned(), marks, place);
        self.account(answer, &[&names.result, &names.error], place);
    }

    /// The marks of a failure that a result has, by its type, or by the key that has it.
    fn failure_marks(&self, answer: &Map<String, Value>, place: MessagePlace<'_>) -> FailureMarks {
        let names = self.names;
        let kind = first(answer, &names.part_type).and_then(Value::as_str);
        let key = place.path.rsplit('.').next().unwrap_or_default();
        let form = kind.unwrap_or(key);
        if names.keyed_results.of.iter().any(|own| own == form) {
            FailureMarks::Keys
        } else if names.marked_failures.iter().any(|own| own == form) {
            FailureMarks::Always
        } else {
            FailureMarks::Optional
        }
    }

    /// Adds the answer with this result.
    pub(crate) fn answers(
        &mut self,
        answer: &Map<String, Value>,
        result: Option<Value>,
        marks: FailureMarks,
        place: MessagePlace<'_>,
    ) {
        let names = self.names;
        let before = self.items.len();
        let marked = self.end(answer, place);
        let is_read = self.items.len() == before;
        let unmarked = match marks {
            FailureMarks::Always if is_read => Some(ToolEnd::Succeeded),
            _ => None,
        };
        let result = result.map(|value| match marks {
            FailureMarks::Keys => self.conventions.keyed_result(value),
            _ => self.result(value),
        });
        let (value, inner) = match result {
            Some(UnwrappedResult { value, end }) => (Some(value), end),
            None => (None, None),
        };
        let name = first(answer, &names.name).and_then(Value::as_str);
        self.items.push(MessageItem::Answers {
            id: first(answer, &names.call_id).map(text_of),
            name: name.map(str::to_owned),
            result: value,
            end: marked.or(inner).or(unmarked),
        });
    }

    /// A result without what is around it; also one that is a text of JSON, where texts may be.
    fn result(&self, value: Value) -> UnwrappedResult {
        if self.inner == InnerMessages::Read && value.is_string() {
            let inner = inner_json(&value);
            if !inner.is_string() {
                let result = self.conventions.result(inner.clone());
                if result.value != inner {
                    return result;
                }
            }
        }
        self.conventions.result(value)
    }

    /// The end of a call, if a mark in the object says it. A mark of another kind is unread.
    fn end(&mut self, object: &Map<String, Value>, place: MessagePlace<'_>) -> Option<ToolEnd> {
        let names = self.names;
        let mut end = None;
        for key in names
            .is_error
            .iter()
            .filter(|key| object.contains_key(*key))
        {
            match &object[key] {
                Value::Bool(true) => end = end.or(Some(ToolEnd::Failed)),
                Value::Bool(false) => end = end.or(Some(ToolEnd::Succeeded)),
                other => self.unread_end(key, other, place),
            }
        }
        for key in names.status.iter().filter(|key| object.contains_key(*key)) {
            match &object[key] {
                status @ Value::String(_) => end = end.or_else(|| names.end_of_status(status)),
                other => self.unread_end(key, other, place),
            }
        }
        for key in names
            .approval
            .iter()
            .filter(|key| object.contains_key(*key))
        {
            let approval = &object[key];
            match approval.get("approved") {
                Some(Value::Bool(false)) => end = Some(ToolEnd::Denied),
                Some(Value::Bool(true) | Value::Null) => {}
                None if approval.is_object() => {}
                _ => self.unread_end(key, approval, place),
            }
        }
        end
    }

    fn unread_end(&mut self, key: &str, value: &Value, place: MessagePlace<'_>) {
        if !is_given(value) {
            return;
        }
        self.items.push(MessageItem::Unread(Unread {
            name: format!("key:{}", place.key(key)).into(),
            facts: ENDS,
            form: UnreadForm::Known { tool: None },
            detail: format!("it says if the call failed, and is {value}").into(),
            violates: None,
        }));
    }
}

/// The fact that a mark of failures has.
const ENDS: Facts = Facts::of(&[Fact::CallEnds]);
