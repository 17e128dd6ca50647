//! One event of a response: a value, and a name if its form has names.

use serde_json::Value;

use super::modes::StreamForm;
use super::path::Searched;
use ananke_base::source::received_json::{Halves, Oddities, decoded, read_event};

/// The name of a server-sent event without one.
const MESSAGE: &str = "message";

/// The mark by which many servers end a stream. It says nothing that the end of the body does not say, so that paths never
/// see it.
const END_MARK: &str = "[DONE]";

/// A part of a response that paths look into: a document, a line of it, or the data of a server-sent event.
#[derive(Debug)]
pub(crate) struct ResponseEvent {
    pub(crate) name: Option<String>,
    pub(crate) value: Value,
    pub(crate) oddities: Oddities,
}

impl ResponseEvent {
    /// An event whose value is a text as it came.
    fn text(name: Option<String>, text: &str) -> Self {
        Self {
            name,
            value: Value::from(text),
            oddities: Oddities::default(),
        }
    }

    /// The event as paths look into it.
    pub(crate) fn searched(&self) -> Searched<'_> {
        self.item(&self.value)
    }

    /// A value of the event that was found, as further paths look into it.
    pub(crate) fn item<'v>(&'v self, value: &'v Value) -> Searched<'v> {
        Searched {
            value,
            event: self.name.as_deref(),
        }
    }

    /// The form that halves of surrogate pairs have in its texts.
    pub(crate) fn halves(&self) -> Halves {
        self.oddities.halves()
    }
}

/// Text in the data of an event that begins like JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonLike {
    /// An error if it is not JSON: what is missing of it may be a call.
    Checked,
    /// Text if it is not JSON, since the mapping takes events as they are.
    Taken,
}

/// Reads what the framing handed over.
///
/// # Errors
/// The reason why it cannot be read; the text follows `event 3 `.
pub(crate) fn read(
    form: StreamForm,
    data: &[u8],
    json_like: JsonLike,
) -> Result<Vec<ResponseEvent>, String> {
    let text = match decoded(data) {
        Ok(text) => text,
        Err(error) => return Err(error.to_string()),
    };
    match form {
        StreamForm::Json | StreamForm::Ndjson | StreamForm::Auto => Ok(vec![value(None, &text)?]),
        StreamForm::Text => Ok(vec![ResponseEvent::text(None, &text)]),
        StreamForm::Prefixed => prefixed(text.trim_end_matches('\r')),
        StreamForm::Sse => block(&text, json_like),
    }
}

/// A value, which must be JSON.
fn value(name: Option<String>, text: &str) -> Result<ResponseEvent, String> {
    match read_event(text) {
        Ok((value, oddities)) => Ok(ResponseEvent {
            name,
            value,
            oddities,
        }),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}

/// A line of a code, a colon and JSON.
fn prefixed(line: &str) -> Result<Vec<ResponseEvent>, String> {
    if line.trim().is_empty() {
        return Ok(Vec::new());
    }
    let Some((code, json)) = line.split_once(':') else {
        return Err("has no colon after its code".to_owned());
    };
    Ok(vec![value(Some(code.trim().to_owned()), json)?])
}

/// A block of server-sent events. A field that the format does not have is an event of its own if it holds a JSON object or list,
/// because some servers write their errors so.
fn block(text: &str, json_like: JsonLike) -> Result<Vec<ResponseEvent>, String> {
    let mut events = Vec::new();
    let mut name = None;
    let mut data: Option<String> = None;
    for line in text.split(['\n', '\r']) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            "event" => name = Some(value.to_owned()),
            // A comment or an empty line, and what only a client that reconnects needs.
            "" | "id" | "retry" => {}
            _ if value.starts_with(['{', '[']) => {
                if let Ok((value, oddities)) = read_event(value) {
                    events.push(ResponseEvent {
                        name: Some(field.to_owned()),
                        value,
                        oddities,
                    });
                }
            }
            _ => {}
        }
    }
    let has_name = name.is_some();
    let name = Some(name.unwrap_or_else(|| MESSAGE.to_owned()));
    let data = data.unwrap_or_default();
    let trimmed = data.trim_end();
    if trimmed == END_MARK {
        return Ok(events);
    }
    // The name may say everything, as that of `event: end` does.
    if trimmed.is_empty() && has_name {
        events.push(ResponseEvent {
            name,
            value: Value::Null,
            oddities: Oddities::default(),
        });
        return Ok(events);
    }
    // Whitespace may be a piece of the text, and no data at all is none.
    if data.is_empty() {
        return Ok(events);
    }
    match read_event(&data) {
        Ok((value, oddities)) => events.push(ResponseEvent {
            name,
            value,
            oddities,
        }),
        Err(error) if data.starts_with(['{', '[']) && json_like == JsonLike::Checked => {
            return Err(format!("is not JSON: {error}"));
        }
        Err(_) => events.push(ResponseEvent::text(name, &data)),
    }
    Ok(events)
}

/// Whether a block of server-sent events is no event: it has comments, ids and the mark of the end alone.
pub(crate) fn is_silent_block(data: &[u8]) -> bool {
    let mut lines = data.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.all(|line| {
        let is_silent_field = [&b":"[..], b"id:", b"retry:"]
            .iter()
            .any(|it| line.starts_with(it));
        let is_end_mark = match line.strip_prefix(b"data:") {
            Some(data) => data.trim_ascii() == END_MARK.as_bytes(),
            None => false,
        };
        line.is_empty() || is_silent_field || is_end_mark
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn events(form: StreamForm, text: &str) -> Vec<(Option<String>, Value)> {
        let events = read(form, text.as_bytes(), JsonLike::Checked).unwrap();
        events.into_iter().map(|it| (it.name, it.value)).collect()
    }

    #[test]
    fn a_block_is_an_event_with_a_name() {
        let named = |name: &str, value: Value| vec![(Some(name.to_owned()), value)];
        for (block, expected) in [
            ("data: {\"a\":1}\n", named("message", json!({ "a": 1 }))),
            ("event: token\ndata: hi\n", named("token", json!("hi"))),
            ("data: \"It is \"\n", named("message", json!("It is "))),
            ("data: a\ndata: b\n", named("message", json!("a\nb"))),
            ("data:  two\n", named("message", json!(" two"))),
            ("event: end\n", named("end", Value::Null)),
            ("event: end\ndata:\n", named("end", Value::Null)),
            (
                "error: {\"message\":\"m\"}\n",
                named("error", json!({ "message": "m" })),
            ),
            ("message:\ndata: 1\n", named("message", json!(1))),
            ("message\ndata: x\n", named("message", json!("x"))),
            ("data: [DONE]\n", vec![]),
            ("data:\n", vec![]),
            (": hi\nid: 7\nretry: 3\n", vec![]),
        ] {
            assert_eq!(events(StreamForm::Sse, block), expected, "{block:?}");
        }
        assert!(read(StreamForm::Sse, b"data: {\"a\":\n", JsonLike::Checked).is_err());
        assert!(read(StreamForm::Sse, b"data: {\"a\":\n", JsonLike::Taken).is_ok());
    }

    #[test]
    fn a_line_has_a_code() {
        let line = events(StreamForm::Prefixed, "9:{\"toolName\":\"pay\"}");
        assert_eq!(line, [(Some("9".to_owned()), json!({ "toolName": "pay" }))]);
        assert!(read(StreamForm::Prefixed, b"no code", JsonLike::Checked).is_err());
        assert!(read(StreamForm::Prefixed, b"0:{", JsonLike::Checked).is_err());
    }
}
