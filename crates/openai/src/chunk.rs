//! One chunk of a response, as servers write it: every key may be missing, null, or of another form.

use serde_json::Value;

/// One chunk, read key by key.
pub(super) struct Chunk(Value);

/// What a chunk adds to the first choice.
pub(super) struct Choice<'a> {
    delta: Option<&'a Value>,
    /// Why the model stopped, if it did.
    pub(super) finish_reason: Option<&'a str>,
}

/// A part of a tool call.
pub(super) struct CallFragment<'a> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) arguments: Option<&'a Value>,
}

impl Chunk {
    /// # Errors
    /// Why the data is no chunk; the text follows `event 3 `.
    pub(super) fn parse(data: &str) -> Result<Self, String> {
        match serde_json::from_str(data) {
            Ok(chunk @ Value::Object(_)) => Ok(Self(chunk)),
            Ok(_) => Err("is not a JSON object".to_owned()),
            Err(error) => Err(format!("is not JSON: {error}")),
        }
    }

    /// The id of the response.
    pub(super) fn id(&self) -> Option<&str> {
        self.0.get("id").and_then(Value::as_str)
    }

    /// The first choice; others are not read (SPEC 5).
    pub(super) fn choice(&self) -> Option<Choice<'_>> {
        let choices = self.0.get("choices")?.as_array()?;
        let is_first =
            |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
        let choice = choices.iter().find(is_first)?;
        let object = |key| choice.get(key).filter(|value| value.is_object());
        Some(Choice {
            delta: object("delta").or_else(|| object("message")),
            finish_reason: choice.get("finish_reason").and_then(Value::as_str),
        })
    }

    /// Whether it has any of the keys that a chunk has.
    pub(super) fn is_known(&self) -> bool {
        ["choices", "usage", "error"]
            .iter()
            .any(|key| self.0.get(key).is_some())
    }

    /// The tokens of the response so far.
    pub(super) fn usage(&self) -> Option<&Value> {
        self.0.get("usage").filter(|usage| usage.is_object())
    }

    /// The message and the code of an error that the server reports in the stream.
    pub(super) fn error(&self) -> Option<(String, Option<String>)> {
        let is_error = self.0.get("object").and_then(Value::as_str) == Some("error");
        let error = self
            .0
            .get("error")
            .filter(|error| !error.is_null())
            .or(is_error.then_some(&self.0))?;
        let text = |key: &str| error.get(key).filter(|value| !value.is_null()).map(plain);
        let message = text("message").unwrap_or_else(|| plain(error));
        Some((message, text("code").or_else(|| text("type"))))
    }
}

impl<'a> Choice<'a> {
    /// Text for the user: the content, or why the model refuses.
    pub(super) fn text(&self) -> Option<String> {
        self.string("content").or_else(|| self.string("refusal"))
    }

    /// What the model thinks; servers have two names for it.
    pub(super) fn reasoning(&self) -> Option<String> {
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
            .map(|call| CallFragment::of(call, call.get("function")));
        let single = self
            .get("function_call")
            .filter(|function| function.is_object());
        of_functions
            .chain(single.map(|function| CallFragment::of(&Value::Null, Some(function))))
            .collect()
    }

    /// A text of the delta that is not empty: a string, or the texts of a list of parts.
    fn string(&self, key: &str) -> Option<String> {
        let text = match self.get(key)? {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| part.get("text")?.as_str())
                .collect(),
            _ => return None,
        };
        Some(text).filter(|text| !text.is_empty())
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.delta?.get(key)
    }
}

impl<'a> CallFragment<'a> {
    fn of(call: &'a Value, function: Option<&'a Value>) -> Self {
        let text = |value: Option<&'a Value>| {
            value
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        Self {
            index: call.get("index").and_then(Value::as_u64),
            id: text(call.get("id")),
            name: text(function.and_then(|function| function.get("name"))),
            arguments: function
                .and_then(|function| function.get("arguments"))
                .filter(|value| !value.is_null()),
        }
    }
}

/// A string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
