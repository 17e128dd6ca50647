//! One chunk of a response, as servers write it: every key may be missing, null, or of another form.

use std::borrow::Cow;

use serde_json::Value;

use super::unread::{object_of, of_chunk};
use ananke_base::source::received_json::{Halves, Oddities, SentText, read_event, without_marks};
use ananke_trace::trace::{Facts, Unread};

/// One chunk, read key by key.
pub(super) struct Chunk {
    value: Value,
    pub(super) oddities: Oddities,
    /// A key that is duplicated with another value.
    duplicate_key: Option<String>,
}

/// The part of the first choice that a chunk adds.
pub(super) struct Choice<'a> {
    delta: Option<&'a Value>,
    /// The halves of surrogate pairs in its texts.
    halves: Halves,
    /// The reason that the model stopped, if it did.
    pub(super) finish_reason: Option<&'a str>,
}

/// The reason for the stop of a model whose server failed.
const FAILED: &str = "error";

/// The result of a call that the server executed, or a part of it.
pub(super) struct ShownResult<'a> {
    /// The server's id of the call.
    pub(super) id: Option<Cow<'a, str>>,
    /// The tool, if the message names it.
    pub(super) tool: Option<&'a str>,
    pub(super) content: SentText<'static>,
}

/// A part of a tool call.
pub(super) struct CallFragment<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: Option<&'a Value>,
    /// The halves of surrogate pairs in its arguments.
    pub(super) halves: Halves,
    /// The result of the call, where the server has executed it.
    pub(super) result: Option<SentText<'static>>,
}

impl Chunk {
    /// # Errors
    /// The reason that the data is not a chunk; the text follows `event 3 `.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        match read_event(data) {
            Ok((value @ Value::Object(_), mut oddities)) => Ok(Self {
                value,
                duplicate_key: oddities.duplicate_key.take(),
                oddities,
            }),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The id of the response.
    pub(super) fn id(&self) -> Option<&str> {
        text_of(&self.value, "id")
    }

    /// The first choice; others are not read (SPEC 5).
    fn read_choice(&self) -> Option<&Value> {
        let choices = self.value.get("choices")?.as_array()?;
        // A server that gives one choice may leave its index out.
        let mut choices = choices.iter();
        choices.find(|choice| choice.is_object() && number_of(choice, "index").unwrap_or(0) == 0)
    }

    /// The parts of the chunk that are not understood. A chunk of an unknown kind is one such part as a whole.
    pub(super) fn unread(&self) -> Vec<Unread<'static>> {
        // Parsers do not agree on which value of a duplicate key counts, so that every fact that a rule rests on may be wrong.
        let duplicate = self.duplicate_key.as_deref();
        let duplicate = duplicate.map(|key| Unread::duplicate_key(key, Facts::OF_AGENT));
        if self.is_known() {
            let mut unread = of_chunk(&self.value, self.read_choice());
            unread.extend(duplicate);
            return unread;
        }

        // An unknown kind of chunk is named after itself, so that the report says which one it was.
        let kind = text_of(&self.value, "object").or_else(|| text_of(&self.value, "type"));
        let name = format!("chunk:{}", kind.unwrap_or_default());
        let mut unread = Vec::from_iter(duplicate);
        let item = Unread::item(name, &self.value);
        // A chunk with `choices: null` that carries no other fact is an empty chunk of this API, not another kind: it is
        // not reported.
        if item.facts != Facts::NONE || self.value.get("choices").is_none() {
            unread.push(item);
        }
        unread
    }

    /// The first choice; others are not read (SPEC 5).
    pub(super) fn choice(&self) -> Option<Choice<'_>> {
        let choice = self.read_choice()?;
        // Some servers send a whole message instead of a delta.
        let delta = object_of(choice, "delta").or_else(|| object_of(choice, "message"));
        Some(Choice {
            delta,
            halves: self.oddities.halves(),
            finish_reason: text_of(choice, "finish_reason"),
        })
    }

    /// Any of the keys that only a chunk has says something.
    fn is_known(&self) -> bool {
        let mut keys = ["choices", "usage", "error"].iter();
        keys.any(|key| !self.value[key].is_null())
    }

    /// The tokens of the response so far.
    pub(super) fn usage(&self) -> Option<&Value> {
        object_of(&self.value, "usage")
    }

    /// The message and the code of an error that the server reports in the stream.
    pub(super) fn error(&self) -> Option<(String, Option<String>)> {
        if let Some(error) = stated(&self.value, "error") {
            return Some(described(error));
        }
        if text_of(&self.value, "object") == Some("error") {
            return Some(described(&self.value));
        }
        // Web frameworks say why a request failed in a word of their own, which a model may use as well.
        if self.value["choices"].is_array() {
            return None;
        }
        Some(described(stated(&self.value, "detail")?))
    }

    /// The message and the code of an error of a choice.
    pub(super) fn choice_error(&self) -> Option<(String, Option<String>)> {
        let choices = self.value.get("choices")?.as_array()?;
        if let Some(error) = choices.iter().find_map(|choice| stated(choice, "error")) {
            return Some(described(error));
        }
        if self.choice()?.finish_reason != Some(FAILED) {
            return None;
        }
        let message = format!("the model stopped with the `finish_reason` `{FAILED}`");
        Some((message, None))
    }
}

impl<'a> Choice<'a> {
    /// The result of a call, or a part of it. A delta is one if it has a `tool_call_id`, or the role `tool`, or the role
    /// `function`, which is from the time before calls had ids.
    pub(super) fn result(&self) -> Option<ShownResult<'a>> {
        let delta = self.delta?;
        let id = delta.get("tool_call_id").filter(|id| !id.is_null());
        if id.is_none() && !matches!(self.role(), Some("tool" | "function")) {
            return None;
        }
        // Servers that execute tools themselves send what a tool returned, which need not be a text: such a value is read as
        // its JSON. Texts, and lists of parts with texts, are read as for any other message. `halves` is the form in which a text
        // has halves of surrogate pairs, which servers cut apart.
        let content = match delta.get("content") {
            Some(value @ (Value::Object(_) | Value::Number(_) | Value::Bool(_))) => {
                Some(result_text(value, self.halves))
            }
            _ => self.string("content"),
        };
        // An empty content is kept as a result, since the call has been answered all the same.
        Some(ShownResult {
            id: id.and_then(id_of),
            tool: text_of(delta, "name").filter(|tool| !tool.is_empty()),
            content: content.unwrap_or_else(|| SentText::whole("")),
        })
    }

    /// Text for the user: the content, or why the model refuses.
    pub(super) fn text(&self) -> Option<SentText<'static>> {
        self.string("content").or_else(|| self.string("refusal"))
    }

    /// The author of the delta, if it says so.
    pub(super) fn role(&self) -> Option<&'a str> {
        text_of(self.delta?, "role")
    }

    /// The reasoning of the model; servers have two names for it.
    pub(super) fn reasoning(&self) -> Option<SentText<'static>> {
        self.string("reasoning_content")
            .or_else(|| self.string("reasoning"))
    }

    /// The fragments of calls in this delta, also of the `function_call` of older servers.
    pub(super) fn calls(&self) -> Vec<CallFragment<'a>> {
        let calls: &[Value] = match self.get("tool_calls") {
            Some(Value::Array(calls)) => calls,
            // Some servers write a single call without a list.
            Some(call @ Value::Object(_)) => std::slice::from_ref(call),
            // A value of another kind has no call that could be read; `unread` reports it.
            _ => &[],
        };
        // `halves` is the form in which arguments and results have halves of surrogate pairs, which servers cut apart.
        let mut fragments: Vec<CallFragment<'a>> = calls
            .iter()
            .map(|call| CallFragment::of(call, function_of(call), self.halves))
            .collect();
        // Before an answer could have several calls, it had one function, without a call around it that has an id and an
        // index: so the call is null here.
        if let Some(delta) = self.delta
            && let Some(function) = object_of(delta, "function_call")
        {
            fragments.push(CallFragment::of(&Value::Null, function, self.halves));
        }
        fragments
    }

    /// The text under a key of the delta: a string, or the texts of a list of parts, joined. `None` if there is no text, or an
    /// empty one.
    fn string(&self, key: &str) -> Option<SentText<'static>> {
        let text = match self.get(key)? {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| text_of(part, "text"))
                .collect(),
            // Other kinds of values are reported as unread, not as text.
            _ => return None,
        };
        // Servers send empty texts next to calls and with the role. They must not begin a message.
        if text.is_empty() {
            return None;
        }
        // `halves` is the form in which the text has halves of surrogate pairs, which servers cut apart.
        Some(SentText::new(text, self.halves))
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.delta?.get(key)
    }
}

impl<'a> CallFragment<'a> {
    fn of(call: &'a Value, function: &'a Value, halves: Halves) -> Self {
        // A custom tool has one text as its input.
        let arguments = function.get("arguments").or_else(|| function.get("input"));
        Self {
            index: number_of(call, "index"),
            id: call.get("id").and_then(id_of),
            name: text_of(function, "name").filter(|name| !name.is_empty()),
            arguments: arguments.filter(|value| !value.is_null()),
            result: result(call, halves).or_else(|| result(function, halves)),
            halves,
        }
    }
}

fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

fn number_of(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

/// An id: a text, or a number as its text (SPEC 13); `None` if it is empty.
fn id_of(id: &Value) -> Option<Cow<'_, str>> {
    match id {
        Value::String(id) if !id.is_empty() => Some(Cow::Borrowed(id)),
        Value::Number(id) => Some(Cow::Owned(id.to_string())),
        _ => None,
    }
}

/// The part of a call that has its name and its arguments: a function, a custom tool, or the call itself.
fn function_of(call: &Value) -> &Value {
    let function = object_of(call, "function").or_else(|| object_of(call, "custom"));
    function.unwrap_or(call)
}

/// The result that a call or its function has, if there is one.
fn result(call: &Value, halves: Halves) -> Option<SentText<'static>> {
    let result = call.get("result").or_else(|| call.get("output"))?;
    if result.is_null() {
        return None;
    }
    Some(result_text(result, halves))
}

/// A value as the text of a result: a string as it is, any other value as JSON.
fn result_text(value: &Value, halves: Halves) -> SentText<'static> {
    SentText::new(plain(&without_marks(value)), halves)
}

/// A value that says something: neither nothing, nor that there is none.
fn stated<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value.get(key)? {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.is_empty() => None,
        stated => Some(stated),
    }
}

/// The message and the code of an error.
fn described(error: &Value) -> (String, Option<String>) {
    let message = stated(error, "message").unwrap_or(error);
    let code = stated(error, "code").or_else(|| stated(error, "type"));
    (plain(message), code.map(plain))
}

/// A string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
