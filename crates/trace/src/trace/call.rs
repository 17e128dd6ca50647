//! A tool call and its results.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::{Author, Origin, ResultContent, is_same_json, read_json};
use ananke_base::context::At;
use ananke_base::source::received_json::{Oddities, ReceivedJson, is_json, without_marks};
use ananke_base::text::ShortText;

/// A tool call. It counts from its start, with or without a result (SPEC 6).
#[derive(Debug)]
pub struct ToolCall {
    /// The id in the protocol; if several calls have one id, the later ones have ids of their own.
    pub wire_id: ShortText,
    /// The tool's name.
    pub name: ShortText,
    /// The text of the arguments as sent.
    pub args_text: ShortText,
    /// Every result, in order; the last one is the call's result.
    pub results: Vec<ToolResult>,
    /// The turn it started in, counted from 0.
    pub counted_in: usize,
    /// The turn of its last result, counted from 0.
    pub answered_in: Option<usize>,
    /// The author of the call.
    pub author: Author,
    /// Whether it is a client-side (frontend) tool: the client answered it, not the agent's side.
    pub is_client_side: bool,
    /// The way in which it became known.
    pub origin: Origin,
    /// The place in the order in which everything began.
    pub order: u64,
    /// The moment of its start.
    pub started: At,
    /// The moment at which its arguments were complete.
    pub args_done: Option<At>,
    /// The number of the event that completed its arguments.
    pub(super) args_done_event: u32,
    /// The number of the event that opened it.
    pub first_event: u32,
    /// The number of the last event about it.
    pub last_event: u32,
    /// Whether the agent executed it without showing a result.
    pub(super) is_executed_unseen: bool,
    /// The announcement of its arguments that came after they were complete, until it ends.
    repetition: Option<Box<Repetition>>,
    args: OnceLock<Box<ReadArgs>>,
}

/// Arguments that are announced again.
#[derive(Debug, Default)]
struct Repetition {
    /// The ones that were complete before; `None` until others come.
    earlier: Option<ShortText>,
}

/// The meaning of a piece of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgsPiece {
    /// It belongs to arguments that are announced.
    Announced,
    /// The arguments were complete.
    AfterTheEnd,
}

/// The meaning of the end of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgsEnd {
    /// They are complete now.
    Complete,
    /// They were complete already.
    Again,
    /// They were complete already, and are others now.
    AgainWithOthers,
}

/// The arguments as they were read.
#[derive(Debug)]
struct ReadArgs {
    args: Args,
    /// The values of the arguments if other values of duplicate keys count.
    others: Vec<Value>,
    /// The arguments with the texts in them that are JSON read, if there are any.
    opened: Option<Value>,
    oddities: Oddities,
}

/// The arguments as JSON, or why they are not valid JSON.
#[derive(Clone, Debug)]
pub enum Args {
    /// The arguments; an empty text is an empty object.
    Json(Value),
    /// The text is not valid JSON; the parser's message.
    Malformed(String),
}

impl PartialEq for Args {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Json(one), Self::Json(other)) => is_same_json(one, other),
            (Self::Malformed(one), Self::Malformed(other)) => one == other,
            _ => false,
        }
    }
}

/// The form of the text of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// Text alone.
    Text,
    /// JSON.
    Json,
    /// A JSON string without its quotes.
    JsonString,
}

/// One result of a call.
#[derive(Debug)]
pub struct ToolResult {
    /// The text that rules match: an object or array as compact JSON, a JSON string unquoted, anything else as sent.
    pub text: ShortText,
    pub(super) form: ResultForm,
    pub(super) structured: OnceLock<Option<Box<Value>>>,
    /// Whether the agent calls it the structured result.
    pub is_structured: bool,
    /// The text that the agent sent with the structured result: another form of the same result (SPEC 13).
    pub(super) beside: Option<Box<ToolResult>>,
    /// Whether it is an error, if the protocol says so.
    pub is_error: Option<bool>,
    /// Whether the call was denied and not executed.
    pub is_denied: bool,
    /// The moment of arrival.
    pub at: At,
    /// The place in the order in which everything began.
    pub order: u64,
    /// The number of the event that brought it.
    pub event: u32,
}

impl ToolCall {
    pub(super) fn new(
        wire_id: ShortText,
        name: ShortText,
        author: Author,
        turn: usize,
        at: At,
        event: u32,
    ) -> Self {
        Self {
            wire_id,
            name,
            args_text: ShortText::default(),
            results: Vec::new(),
            counted_in: turn,
            answered_in: None,
            author,
            is_client_side: false,
            origin: Origin::Streamed,
            order: 0,
            started: at,
            args_done: None,
            args_done_event: event,
            first_event: event,
            last_event: event,
            is_executed_unseen: false,
            repetition: None,
            args: OnceLock::new(),
        }
    }

    /// The arguments as JSON; parsed once, when first needed.
    pub fn args(&self) -> &Args {
        &self.read_args().args
    }

    /// The arguments as JSON if other values of duplicate keys count than the last: programs do not agree on which counts.
    pub fn other_args(&self) -> &[Value] {
        &self.read_args().others
    }

    /// The arguments as JSON with the JSON in their texts read, if there is any: tools take either (SPEC 13).
    pub fn opened_args(&self) -> Option<&Value> {
        self.read_args().opened.as_ref()
    }

    /// The reason why rules cannot look into the arguments; `None` if they can.
    pub(super) fn unread_args(&self) -> Option<String> {
        let text = self.args_text.trim();
        if text.is_empty() || text == "null" || text.starts_with('{') && is_json(text) {
            return None;
        }
        match self.args() {
            Args::Malformed(error) => Some(format!("they are not valid JSON: {error}")),
            Args::Json(Value::Object(_)) => None,
            Args::Json(_) => match self.opened_args() {
                Some(Value::Object(_)) => None,
                Some(_) | None => Some("they are not a JSON object".to_owned()),
            },
        }
    }

    /// The oddities of the arguments, as warnings.
    pub(super) fn odd_args(&self) -> Vec<Cow<'static, str>> {
        if is_plain(&self.args_text) {
            return Vec::new();
        }
        self.read_args().oddities.warnings().collect()
    }

    fn read_args(&self) -> &ReadArgs {
        self.args.get_or_init(|| {
            let read = if self.args_text.trim().is_empty() {
                Ok(ReceivedJson {
                    value: Value::Object(Map::new()),
                    ..ReceivedJson::default()
                })
            } else {
                read_json(&self.args_text)
            };
            Box::new(match read {
                Ok(read) => ReadArgs {
                    opened: opened(&read.value),
                    args: Args::Json(read.value),
                    others: read.other_values,
                    oddities: read.oddities,
                },
                Err(error) => ReadArgs {
                    args: Args::Malformed(error.to_string()),
                    others: Vec::new(),
                    opened: None,
                    oddities: Oddities::default(),
                },
            })
        })
    }

    /// The arguments as a value; if they are not valid JSON, their text.
    pub fn args_value(&self) -> Value {
        match self.args() {
            Args::Json(args) => without_marks(args).into_owned(),
            Args::Malformed(_) => Value::from(self.args_text.as_str()),
        }
    }

    /// The call's result: the last one.
    pub fn result(&self) -> Option<&ToolResult> {
        self.results.last()
    }

    /// Whether the agent executed it, and does not show its result.
    pub fn hides_result(&self) -> bool {
        self.is_executed_unseen && self.results.is_empty()
    }

    /// Whether nothing is known to have executed it.
    pub fn is_pending(&self) -> bool {
        self.results.is_empty() && !self.is_executed_unseen
    }

    /// The moment at which the call ended: at its result, else at the end of its arguments, else at its start (SPEC 7.3).
    pub fn ended(&self) -> At {
        match self.result() {
            Some(result) => result.at,
            None => self.args_done.unwrap_or(self.started),
        }
    }

    /// Drops what was parsed of it: a rule that looks at it again has it parsed again. An agent may make a million calls.
    pub fn forget_parsed(&mut self) {
        self.args = OnceLock::new();
        for result in &mut self.results {
            result.structured = OnceLock::new();
        }
    }

    /// It is announced again; its arguments may come again too.
    pub(super) fn announce_again(&mut self, event: u32) {
        if self.args_done.is_some() {
            self.repetition = Some(Box::default());
        }
        self.last_event = event;
    }

    pub(super) fn add_args(&mut self, delta: &str) -> ArgsPiece {
        let mut piece = ArgsPiece::Announced;
        match &mut self.repetition {
            Some(repetition) if repetition.earlier.is_none() => {
                repetition.earlier = Some(std::mem::take(&mut self.args_text));
            }
            None if self.args_done.is_some() && !delta.trim().is_empty() => {
                piece = ArgsPiece::AfterTheEnd;
            }
            _ => {}
        }
        self.args_text.push_str(delta);
        self.args = OnceLock::new();
        piece
    }

    pub(super) fn finish_args(&mut self, at: At, event: u32) -> ArgsEnd {
        let repetition = self.repetition.take();
        if self.args_done.is_none() {
            self.args_done = Some(at);
            self.args_done_event = event;
            return ArgsEnd::Complete;
        }
        if let Some(repetition) = repetition
            && let Some(earlier) = &repetition.earlier
            && !is_same_text_or_json(earlier, &self.args_text)
        {
            return ArgsEnd::AgainWithOthers;
        }
        ArgsEnd::Again
    }

    pub(super) fn answer(&mut self, result: ToolResult, turn: usize) {
        self.answered_in = Some(turn);
        self.last_event = result.event;
        if self.results.is_empty() {
            // Most calls have one.
            self.results.reserve_exact(1);
        }
        self.results.push(result);
    }
}

impl ToolResult {
    /// A result, and what is odd about it.
    pub(super) fn new(
        mut content: ResultContent<'_>,
        is_error: Option<bool>,
        at: At,
        event: u32,
    ) -> (Self, Oddities) {
        // The text that came with a structured result is another form of it, which rules look into as well.
        let is_structured = matches!(content, ResultContent::Structured { .. });
        let mut beside = None;
        if let ResultContent::Structured { text, .. } = &mut content
            && let Some(text) = text.take()
        {
            let text = ResultContent::Text(text.into());
            let (result, _) = Self::new(text, is_error, at, event);
            beside = Some(Box::new(result));
        }
        let (text, form, oddities) = match content {
            ResultContent::Text(text) => read(text),
            ResultContent::Json(value) | ResultContent::Structured { value, .. } => {
                let (text, form) = written(without_marks(&value).into_owned());
                (text, form, Oddities::default())
            }
        };
        let result = Self {
            text,
            form,
            structured: OnceLock::new(),
            is_structured,
            beside,
            is_error,
            is_denied: false,
            at,
            order: 0,
            event,
        };
        (result, oddities)
    }

    /// Every form of the result: the structured one, and the text that came with it.
    pub fn forms(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.beside.as_deref())
    }

    /// The JSON value, if the result is one; parsed when first needed.
    pub fn structured(&self) -> Option<&Value> {
        let parsed = self.structured.get_or_init(|| {
            let value = match self.form {
                ResultForm::Text => return None,
                ResultForm::Json => read_json(&self.text).ok()?.value,
                ResultForm::JsonString => Value::from(self.text.as_str()),
            };
            Some(Box::new(value))
        });
        parsed.as_deref()
    }

    /// The result as a value; if it is not JSON, its text.
    pub fn value(&self) -> Value {
        match self.structured() {
            Some(value) => without_marks(value).into_owned(),
            None => Value::from(self.text.as_str()),
        }
    }
}

fn is_same_text_or_json(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if let Ok(one) = read_json(one)
        && let Ok(other) = read_json(other)
    {
        return is_same_json(&one.value, &other.value);
    }
    false
}

/// The longest text in a value that is read as JSON, in bytes.
const MAX_INNER_JSON: usize = 1 << 20;

/// A value in which the texts that are JSON objects or lists are read; `None` if it has none.
fn opened(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => {
            let may_be_json =
                text.len() <= MAX_INNER_JSON && text.trim_start().starts_with(['{', '[']);
            if !may_be_json {
                return None;
            }
            Some(read_json(text).ok()?.value)
        }
        Value::Array(items) => {
            let mut read = None;
            for (index, item) in items.iter().enumerate() {
                if let Some(inner) = opened(item) {
                    read.get_or_insert_with(|| items.clone())[index] = inner;
                }
            }
            read.map(Value::Array)
        }
        Value::Object(fields) => {
            let mut read = None;
            for (key, field) in fields {
                if let Some(inner) = opened(field) {
                    read.get_or_insert_with(|| fields.clone())[key] = inner;
                }
            }
            read.map(Value::Object)
        }
        _ => None,
    }
}

/// Whether nothing can be odd about a text in JSON: it has one key at most, and neither escapes nor words in capitals.
fn is_plain(text: &str) -> bool {
    memchr::memchr3(b'\\', b'N', b'I', text.as_bytes()).is_none()
        && memchr::memchr_iter(b':', text.as_bytes()).nth(1).is_none()
}

/// The text that rules match, what it is, and what is odd about it.
fn read(text: Cow<'_, str>) -> (ShortText, ResultForm, Oddities) {
    let Ok(read) = read_json(&text) else {
        return (text.into(), ResultForm::Text, Oddities::default());
    };
    let is_exact = read.other_values.is_empty() && read.oddities.not_finite.is_none();
    // A number or a word stays as sent, also if it is JSON; so does a text that no JSON of ours means.
    if !is_exact || !text.trim_start().starts_with(['{', '[', '"']) {
        return (text.into(), ResultForm::Json, read.oddities);
    }
    let (text, form) = written(read.value);
    (text, form, read.oddities)
}

/// The text of a value.
fn written(value: Value) -> (ShortText, ResultForm) {
    match value {
        Value::String(text) => (text.into(), ResultForm::JsonString),
        value => (value.to_string().into(), ResultForm::Json),
    }
}
