//! The other side of a protocol: requests as a server of it receives them, and responses as it sends them.
//!
//! A client's request is read into what it asks ([`ServedRequest::actions`]). What an agent does about it, or what was recorded,
//! becomes a [`ServedResponse`]: the bytes, and when each of them is sent.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::session::Action;
use ananke_base::message::ToolDeclaration;
use ananke_base::text::truncate;
use ananke_trace::trace::{Change, ResultContent};

/// The server's side of a protocol, by which `mock` and the proxy answer clients of it.
pub trait ServedProtocol: Sync {
    /// The protocol in words, as in `a request of AG-UI`.
    fn name(&self) -> &'static str;

    /// The end of the path that its requests are posted to, if a body of it may be one of another protocol as well.
    fn path(&self) -> Option<&'static str> {
        None
    }

    /// Reads a request.
    ///
    /// # Errors
    /// The reason why the body is no request of this protocol, in words that follow the protocol's name.
    fn read(&self, body: &[u8]) -> Result<Box<dyn ServedRequest>, String>;

    /// The response to a body that is meant for this protocol, and that [`read`](Self::read) refused for the reason `why`; `None`
    /// if the body may be meant for another one.
    fn refusal(&self, _body: &[u8], _why: &str) -> Option<ServedResponse> {
        None
    }
}

/// The request of a client.
pub trait ServedRequest: Send + Sync {
    /// The conversation that it belongs to; `None` if a request has all of its conversation.
    fn thread(&self) -> Option<&str>;

    /// Whether the conversation begins with it.
    fn begins(&self) -> bool;

    /// The actions that are requested: of a thread, the new ones; else everything from the beginning of the conversation.
    fn actions(&self) -> &[Action];

    /// The client's own tools.
    fn tools(&self) -> &[ToolDeclaration];

    /// The message of the user, or the request instead, in words.
    fn describe(&self) -> String;

    /// The response to it: `runs` are what the agent does, one for each action.
    fn response(&self, runs: &[Vec<TimedChange>]) -> ServedResponse;

    /// The response that says that the agent has failed.
    fn failure(&self, message: &str) -> ServedResponse;

    /// The frame that says in the middle of a response that the agent has failed; empty if the protocol has none.
    fn failure_frame(&self, message: &str) -> Bytes;

    /// Takes it that another server has sent this response to it: a later request may name the response.
    fn answered_by(&self, _response: &ServedResponse) {}

    /// A piece of the response to the request `recorded`, as the response to this one has it.
    fn adopted(&self, recorded: &dyn ServedRequest, piece: &Bytes) -> Bytes;

    /// Whether it asks for its response as a stream.
    fn asks_for_stream(&self) -> bool {
        true
    }

    /// A response to it, as a client gets it that asks for a stream: the recording of a test has what a test asks for.
    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        response
    }

    /// The ids that responses repeat: the name of each, and the id.
    fn ids(&self) -> &[(&'static str, String)];
}

/// A change that an agent makes, and its time after the request.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedChange {
    /// The time after the request.
    pub after: Duration,
    /// The step of the agent, in no protocol's words.
    pub change: Change<'static>,
}

/// A response that is going to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedResponse {
    /// HTTP status.
    pub status: u16,
    /// The headers in their order, among them the content type.
    pub headers: Vec<(String, String)>,
    /// The time after the request at which the head is sent.
    pub after: Duration,
    /// The body: pieces that belong together.
    pub frames: Vec<ServedFrame>,
    /// The way in which the connection ends once the last frame is sent.
    pub end: ServedEnd,
}

/// The end of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServedEnd {
    /// A complete response: the client sees its end.
    Complete,
    /// The connection breaks, so long after the request.
    Breaks(Duration),
    /// Nothing more comes, and the connection stays.
    Stalls,
}

/// A piece of a response: an event, or a whole document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedFrame {
    /// The time after the request.
    pub after: Duration,
    /// The bytes, which a client may still get in pieces.
    pub bytes: Bytes,
}

impl ServedResponse {
    /// A complete response of this type.
    pub fn new(status: u16, content_type: &str, frames: Vec<ServedFrame>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        // The head is sent together with the first frame, and at once if there is none. Streams are different: a server sends
        // their head before the first event is known.
        let after = match frames.first() {
            Some(frame) => frame.after,
            None => Duration::ZERO,
        };
        Self {
            status,
            headers,
            after,
            frames,
            end: ServedEnd::Complete,
        }
    }

    /// A stream of events.
    pub fn events(frames: Vec<ServedFrame>) -> Self {
        Self {
            after: Duration::ZERO,
            ..Self::new(200, "text/event-stream", frames)
        }
    }

    /// A response of one JSON document, at the time `after` the request.
    pub fn document(status: u16, after: Duration, document: &Value) -> Self {
        let bytes = Bytes::from(document.to_string());
        Self::new(
            status,
            "application/json",
            vec![ServedFrame { after, bytes }],
        )
    }

    /// The response as the stream that `frames` makes of its document, at the time at which that was complete; unchanged if that
    /// makes none. Recordings are for tests, which ask for streams, while the recorded client may have asked for a document.
    #[must_use]
    pub fn streamed(
        self,
        frames: impl FnOnce(&Value, Duration) -> Option<Vec<ServedFrame>>,
    ) -> Self {
        // Errors are documents for clients that stream as well, and an incomplete document cannot be read.
        if self.status != 200 || self.end != ServedEnd::Complete {
            return self;
        }
        let after = match self.frames.last() {
            Some(frame) => frame.after,
            None => Duration::ZERO,
        };
        let Ok(document) = serde_json::from_slice(&self.body()) else {
            return self;
        };
        let Some(frames) = frames(&document, after) else {
            return self;
        };
        let mut stream = Self {
            after: self.after,
            ..Self::events(frames)
        };
        // The headers of the response stay, apart from those that describe the document: a stream has its own.
        for (name, value) in self.headers {
            let is_of_document = name.eq_ignore_ascii_case("content-type")
                || name.eq_ignore_ascii_case("content-length");
            if !is_of_document {
                stream.headers.push((name, value));
            }
        }
        stream
    }

    /// The whole body. A document may be split anywhere into frames.
    pub fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for frame in &self.frames {
            body.extend_from_slice(&frame.bytes);
        }
        body
    }

    /// A body that clients read event by event, as its content type says.
    pub fn is_event_stream(&self) -> bool {
        self.content_type().starts_with("text/event-stream")
    }

    /// The content type; empty if there is none.
    pub fn content_type(&self) -> &str {
        let mut headers = self.headers.iter();
        match headers.find(|(name, _)| name == "content-type") {
            Some((_, value)) => value,
            None => "",
        }
    }
}

impl ServedFrame {
    /// A server-sent event of this name with this data, which is one line.
    pub fn named_event(after: Duration, name: &str, data: impl std::fmt::Display) -> Self {
        Self {
            after,
            bytes: Bytes::from(format!("event: {name}\ndata: {data}\n\n")),
        }
    }

    /// A server-sent event with this data, which is one line.
    pub fn event(after: Duration, data: impl std::fmt::Display) -> Self {
        Self {
            after,
            bytes: Bytes::from(format!("data: {data}\n\n")),
        }
    }
}

/// `1 result` or `2 results`.
pub fn counted(what: &str, count: usize) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A result as a text, for protocols whose results are texts. A string that a client would read as another JSON value is quoted.
pub fn result_text<'c>(result: &'c ResultContent<'_>) -> Cow<'c, str> {
    match result {
        ResultContent::Text(text) => Cow::Borrowed(text),
        ResultContent::Json(Value::String(text))
            if serde_json::from_str::<Value>(text).is_err() =>
        {
            Cow::Borrowed(text)
        }
        ResultContent::Json(value) | ResultContent::Structured { value, .. } => {
            Cow::Owned(value.to_string())
        }
    }
}

/// The number of characters of a message that a log has.
const SHOWN_CHARS: usize = 80;

/// The last thing that a client of a model does, in words for a log: the start of its message, or the number of its answers.
pub fn described_action(action: &Action) -> String {
    match action {
        Action::User { content, .. } => {
            format!("{:?}", truncate::chars(&content.text(), SHOWN_CHARS))
        }
        Action::ToolResults(answers) => counted("result", answers.len()),
        Action::Resume(answers) => counted("approval", answers.len()),
        Action::Own { .. } | Action::Connect | Action::Continue => String::new(),
    }
}

/// The text of a content that is a text or a list of parts; of several parts, those that are text.
pub fn text_of_content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                texts.extend(part["text"].as_str());
            }
            texts.join("\n")
        }
        _ => String::new(),
    }
}
