//! Reads calls and results, whatever their keys are called.

use serde_json::{Map, Value, json};

use super::message_item::{MessageItem, first, others, text_of};
use super::message_reader::{MessagePlace, MessageReader};
use ananke_trace::trace::Unread;

impl MessageReader<'_> {
    /// Reads a call, with its result if it has one.
    pub(in crate::verify) fn call(&mut self, call: &Map<String, Value>, place: MessagePlace<'_>) {
        let names = self.names;
        let id = first(call, &names.call_id).map(text_of);
        let kind = first(call, &names.part_type).and_then(Value::as_str);
        let of_kind = || names.part_kind(kind?)?.1.map(Value::from);
        let given = first(call, &names.name).cloned().or_else(of_kind);
        let name = given
            .map(|name| text_of(&name))
            .filter(|name| !name.trim().is_empty());
        let args = first(call, &names.arguments);
        for (other, key) in others(call, &names.arguments) {
            let tool = name.clone().unwrap_or_default();
            let why = format!("`{key}` is different from other arguments of the call: {other}");
            self.items.push(MessageItem::Unread(
                Unread::arguments(tool, why).into_owned(),
            ));
        }
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
            args: args.map(text_of),
        });
        let error = first(call, &names.error);
        let result = first(call, &names.call_result).or(error);
        if let Some(result) = result {
            let has_error = names.error.iter().any(|key| call.contains_key(key));
            let is_error = error
                .is_some()
                .then_some(true)
                .or_else(|| self.status(call));
            self.items.push(MessageItem::Answers {
                id,
                name,
                result: Some(self.conventions.unwrapped(result.clone())),
                is_error: is_error.or(has_error.then_some(false)),
            });
        }
        let read = [&names.arguments, &names.call_result, &names.error];
        self.account(call, &read, place);
    }

    /// Reads the result of a call.
    pub(in crate::verify) fn answer(
        &mut self,
        answer: &Map<String, Value>,
        place: MessagePlace<'_>,
    ) {
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
        self.items.push(self.answer_item(answer, result.cloned()));
        self.account(answer, &[&names.result, &names.error], place);
    }

    /// The answer with this result.
    pub(in crate::verify) fn answer_item(
        &self,
        answer: &Map<String, Value>,
        result: Option<Value>,
    ) -> MessageItem {
        let names = self.names;
        let is_error = first(answer, &names.is_error).and_then(Value::as_bool);
        MessageItem::Answers {
            id: first(answer, &names.call_id).map(text_of),
            name: first(answer, &names.name).map(text_of),
            result: result.map(|result| self.conventions.unwrapped(result)),
            is_error: is_error.or_else(|| self.status(answer)),
        }
    }

    /// Whether a call failed, if its status says so.
    fn status(&self, object: &Map<String, Value>) -> Option<bool> {
        let status = first(object, &self.names.status)?.as_str()?;
        self.names.statuses.get(status).copied()
    }
}
