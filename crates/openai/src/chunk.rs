//! One chunk of a response, as servers write it: every key may be missing, null, or of another form.

use std::borrow::Cow;

use serde_json::Value;

use super::unread::of_chunk;
use ananke_base::source::received_json::{Halves, Oddities, SentText, read_event, without_marks};
use ananke_trace::trace::{Facts, Unread};

/// One chunk, read key by key.
pub(super) struct Chunk {
    value: Value,
    /// The oddities of the chunk.
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
    /// The result.
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
        self.value.get("id").and_then(Value::as_str)
    }

    /// The first choice; others are not read (SPEC 5).
    fn read_choice(&self) -> Option<&Value> {
        let choices = self.value.get("choices")?.as_array()?;
        let index = |choice: &Value| choice.get("index").and_then(Value::as_u64);
        let is_first = |choice: &&Value| choice.is_object() && index(choice).unwrap_or(0) == 0;
        choices.iter().find(is_first)
    }

    /// The parts of it that are not understood. A chunk of another kind is.
    pub(super) fn unread(&self) -> Vec<Unread<'static>> {
        let duplicate = self.duplicate_key.as_deref();
        let duplicate = duplicate.map(|key| Unread::duplicate_key(key, Facts::ALL));
        if self.is_known() {
            let mut unread = of_chunk(&self.value, self.read_choice());
            unread.extend(duplicate);
            return unread;
        }
        let kind = ["object", "type"]
            .iter()
            .find_map(|key| self.value.get(*key)?.as_str());
        let name = format!("chunk:{}", kind.unwrap_or_default());
        let mut unread = Vec::from_iter(duplicate);
        let item = Unread::item(name, &self.value);
        // A chunk in which everything is null says nothing.
        if item.facts != Facts::NONE || self.value.get("choices").is_none() {
            unread.push(item);
        }
        unread
    }

    /// The first choice; others are not read (SPEC 5).
    pub(super) fn choice(&self) -> Option<Choice<'_>> {
        let choice = self.read_choice()?;
        let object = |key| choice.get(key).filter(|value| value.is_object());
        Some(Choice {
            delta: object("delta").or_else(|| object("message")),
            halves: self.oddities.halves(),
            finish_reason: choice.get("finish_reason").and_then(Value::as_str),
        })
    }

    /// Whether it has any of the keys that a chunk has.
    fn is_known(&self) -> bool {
        ["choices", "usage", "error"]
            .iter()
            .any(|key| self.value.get(key).is_some_and(|value| !value.is_null()))
    }

    /// The tokens of the response so far.
    pub(super) fn usage(&self) -> Option<&Value> {
        self.value.get("usage").filter(|usage| usage.is_object())
    }

    /// The message and the code of an error that the server reports in the stream.
    pub(super) fn error(&self) -> Option<(String, Option<String>)> {
        let is_error = self.value.get("object").and_then(Value::as_str) == Some("error");
        let has_choices = self.value.get("choices").is_some_and(Value::is_array);
        // Web frameworks say why a request failed in a word of their own.
        let detail = || stated(&self.value, "detail").filter(|_| !has_choices);
        let error = stated(&self.value, "error")
            .or(is_error.then_some(&self.value))
            .or_else(detail)?;
        Some(described(error))
    }

    /// The message and the code of an error of a choice.
    pub(super) fn choice_error(&self) -> Option<(String, Option<String>)> {
        let choices = self.value.get("choices")?.as_array()?;
        if let Some(error) = choices.iter().find_map(|choice| stated(choice, "error")) {
            return Some(described(error));
        }
        let failed = self.choice()?.finish_reason == Some(FAILED);
        failed.then(|| {
            (
                format!("the model stopped with the `finish_reason` `{FAILED}`"),
                None,
            )
        })
    }
}

impl<'a> Choice<'a> {
    /// The result of a call: a message with the role `tool`, or `function` as before there were ids.
    pub(super) fn result(&self) -> Option<ShownResult<'a>> {
        let id = self.get("tool_call_id").filter(|id| !id.is_null());
        let is_result = id.is_some() || matches!(self.role(), Some("tool" | "function"));
        let tool = self.get("name").and_then(Value::as_str);
        is_result.then(|| ShownResult {
            id: id.and_then(id_of),
            tool: tool.filter(|tool| !tool.is_empty()),
            content: match self.get("content") {
                Some(value @ (Value::Object(_) | Value::Number(_) | Value::Bool(_))) => {
                    written(value, self.halves)
                }
                _ => self
                    .string("content")
                    .unwrap_or_else(|| SentText::whole("")),
            },
        })
    }

    /// Text for the user: the content, or why the model refuses.
    pub(super) fn text(&self) -> Option<SentText<'static>> {
        self.string("content").or_else(|| self.string("refusal"))
    }

    /// The author of the delta, if it says so.
    pub(super) fn role(&self) -> Option<&'a str> {
        self.get("role").and_then(Value::as_str)
    }

    /// The reasoning of the model; servers have two names for it.
    pub(super) fn reasoning(&self) -> Option<SentText<'static>> {
        self.string("reasoning_content")
            .or_else(|| self.string("reasoning"))
    }

    /// The parts of calls, also in the form of a single function.
    pub(super) fn calls(&self) -> Vec<CallFragment<'a>> {
        let calls: &[Value] = match self.get("tool_calls") {
            Some(Value::Array(calls)) => calls,
            Some(call @ Value::Object(_)) => std::slice::from_ref(call),
            _ => &[],
        };
        let of_functions = calls
            .iter()
            .map(|call| CallFragment::of(call, Some(function_of(call)), self.halves));
        let single = self
            .get("function_call")
            .filter(|function| function.is_object());
        of_functions
            .chain(
                single.map(|function| CallFragment::of(&Value::Null, Some(function), self.halves)),
            )
            .collect()
    }

    /// A text of the delta that is not empty: a string, or the texts of a list of parts.
    fn string(&self, key: &str) -> Option<SentText<'static>> {
        let text = match self.get(key)? {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect(),
            _ => return None,
        };
        Some(text)
            .filter(|text| !text.is_empty())
            .map(|text| SentText::new(text, self.halves))
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.delta?.get(key)
    }
}

impl<'a> CallFragment<'a> {
    fn of(call: &'a Value, function: Option<&'a Value>, halves: Halves) -> Self {
        let text = |value: Option<&'a Value>| {
            value
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        Self {
            index: call.get("index").and_then(Value::as_u64),
            id: call.get("id").and_then(id_of),
            name: text(function.and_then(|function| function.get("name"))),
            arguments: function
                .and_then(|function| function.get("arguments").or_else(|| function.get("input")))
                .filter(|value| !value.is_null()),
            result: [Some(call), function]
                .into_iter()
                .flatten()
                .find_map(|of| result(of, halves)),
            halves,
        }
    }
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
    let of = |key: &str| call.get(key).filter(|value| value.is_object());
    of("function").or_else(|| of("custom")).unwrap_or(call)
}

/// The result that a call or its function has, if there is one.
fn result(of: &Value, halves: Halves) -> Option<SentText<'static>> {
    let result = of.get("result").or_else(|| of.get("output"))?;
    (!result.is_null()).then(|| written(result, halves))
}

/// A string as it is, any other value as JSON: what it is as the result of a call.
fn written(value: &Value, halves: Halves) -> SentText<'static> {
    SentText::new(plain(&without_marks(value)), halves)
}

/// A value that says something: neither nothing, nor that there is none.
fn stated<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value
        .get(key)
        .filter(|value| !matches!(value, Value::Null | Value::Bool(false)) && *value != "")
}

/// The message and the code of an error.
fn described(error: &Value) -> (String, Option<String>) {
    let text = |key: &str| stated(error, key).map(plain);
    let message = text("message").unwrap_or_else(|| plain(error));
    (message, text("code").or_else(|| text("type")))
}

/// A string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
