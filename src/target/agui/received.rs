//! What was received of a response, for errors: enough to say what it is if it is not a stream of events.

use super::warnings::shown;
use crate::target::error::{Received, TargetError};
use crate::target::http::Head;

/// How many bytes of a body are kept.
pub(super) const START_BYTES: usize = 4 << 10;

/// The content type of AG-UI's binary encoding.
const BINARY: &str = "application/vnd.ag-ui.event+proto";

/// What was received of a response so far.
#[derive(Debug)]
pub(super) struct ReceivedResponse {
    head: Head,
    start: Vec<u8>,
    pub(super) bytes: usize,
    pub(super) events: u64,
}

impl ReceivedResponse {
    pub(super) fn new(head: Head) -> Self {
        Self { head, start: Vec::new(), bytes: 0, events: 0 }
    }

    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Adds bytes of the body.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        let room = START_BYTES.saturating_sub(self.start.len());
        self.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// An error that quotes the response.
    pub(super) fn error(&self, message: impl Into<String>) -> TargetError {
        let content_type =
            Some(self.head.content_type.clone()).filter(|content_type| !content_type.is_empty());
        let received = Received {
            status: Some(self.head.status),
            content_type,
            first_bytes: Received::quote(&self.start),
            bytes: self.bytes as u64,
            events: self.events,
        };
        TargetError { message: message.into(), received, help: None }
    }

    /// The error of a response that was aborted.
    pub(super) fn broken_off(&self, message: impl Into<String>) -> TargetError {
        let help = "did the agent fail on the way, or does a proxy end what takes long? Their logs may say";
        TargetError { help: Some(help.to_owned()), ..self.error(message) }
    }

    /// The error of a response that ended before its run: says what was received instead. `replayed` is the thread to
    /// replay, if any.
    pub(super) fn unfinished(&self, replayed: Option<&str>) -> TargetError {
        if self.events > 0 {
            return self
                .broken_off("the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)");
        }
        let text = String::from_utf8_lossy(&self.start);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if let (Some(thread), true) = (replayed, text.is_empty()) {
            let message =
                format!("the answer is empty: the agent tells nothing of the thread `{}`", shown(thread));
            let help = "is there a thread of this id? A runtime that keeps threads in memory forgets them when it restarts";
            return TargetError { help: Some(help.to_owned()), ..self.error(message) };
        }
        let (message, help) = match text.as_bytes() {
            _ if self.head.content_type.starts_with(BINARY) => (
                "the answer is in the binary form of AG-UI, which is not read here",
                "leave `accept` out of the target's `headers`, so that server-sent events are asked for",
            ),
            [] => ("the answer is empty", "some servers answer so while the thread is busy with another run"),
            [b'<', ..] => (
                "the answer is a web page, not a stream of events",
                "is `endpoint` the address of the agent itself?",
            ),
            [b'{', ..] if is_lines(text) => (
                "the answer is JSON line by line, not server-sent events",
                "an AG-UI server sends each event as `data: {…}` and a blank line",
            ),
            [b'{' | b'[', ..] => (
                "the answer is a JSON document, not a stream of events",
                "is `endpoint` the address that runs the agent?",
            ),
            _ => ("there is no event in the answer", "is `endpoint` the address of an AG-UI agent?"),
        };
        TargetError { help: Some(help.to_owned()), ..self.error(message) }
    }
}

/// Whether each line is an object of its own.
fn is_lines(text: &str) -> bool {
    text.lines().nth(1).is_some_and(|line| line.starts_with('{'))
}
