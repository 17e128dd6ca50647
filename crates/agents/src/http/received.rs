//! The received part of a response, for errors: enough to say what it is if it is not a stream of events.

use super::ResponseHead;
use crate::error::{Received, TargetError};

/// The most bytes of a body that are kept.
pub(super) const START_BYTES: usize = 4 << 10;

/// The remedy for a response that a proxy may have made.
const PROXY_HELP: &str = "the proxy may have refused the request instead of passing it on: it is named in `HTTP_PROXY`, `HTTPS_PROXY` or `ALL_PROXY`, and hosts in `NO_PROXY` are asked without it";

/// The part of a response that was received so far.
#[derive(Debug)]
pub struct ReceivedResponse {
    /// Status and headers, which an error names before it quotes the body.
    pub head: ResponseHead,
    start: Vec<u8>,
    pub(super) bytes: usize,
    pub(super) events: u64,
}

/// The form of a body without events, as its start says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// Nothing but whitespace.
    Empty,
    /// HTML.
    WebPage,
    /// A JSON value on each line.
    JsonLines,
    /// One JSON value.
    JsonDocument,
    /// Something else.
    Other,
}

impl ReceivedResponse {
    /// The start of a response.
    pub fn new(head: ResponseHead) -> Self {
        Self {
            head,
            start: Vec::new(),
            bytes: 0,
            events: 0,
        }
    }

    /// Adds bytes of the body.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        let room = START_BYTES.saturating_sub(self.start.len());
        self.start
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Whether `text` is among its first bytes.
    pub fn contains(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.start).contains(text)
    }

    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// The number of its events that were understood.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The form of the body if it has no events.
    pub fn form(&self) -> BodyForm {
        let text = String::from_utf8_lossy(&self.start);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        // A document that is indented has no brace at the start of its second line.
        let second_line = text.lines().nth(1).unwrap_or_default();
        match text.as_bytes() {
            [] => BodyForm::Empty,
            [b'<', ..] => BodyForm::WebPage,
            [b'{', ..] if second_line.starts_with('{') => BodyForm::JsonLines,
            [b'{' | b'[', ..] => BodyForm::JsonDocument,
            _ => BodyForm::Other,
        }
    }

    /// The error of a response with another status than success; with this help, unless a proxy may have made it.
    pub fn refusal(&self, message: impl Into<String>, help: Option<&str>) -> TargetError {
        let error = self.error(message);
        if self.head.proxy.is_some() {
            return error.with_help(PROXY_HELP);
        }
        match help {
            Some(help) => error.with_help(help),
            None => error,
        }
    }

    /// An error with this message and what was received of the response: status, content type, size, and the start of the body.
    pub fn error(&self, message: impl Into<String>) -> TargetError {
        let content_type = &self.head.content_type;
        let received = Received {
            status: Some(self.head.status),
            content_type: if content_type.is_empty() {
                None
            } else {
                Some(content_type.clone())
            },
            first_bytes: Received::quote(&self.start),
            bytes: self.bytes as u64,
            events: self.events,
        };
        let mut message = message.into();
        // A proxy may have sent the response instead of the agent, so the message names it. Events come only from the agent.
        if let Some(proxy) = &self.head.proxy
            && self.events == 0
        {
            message = format!("{message} (through the proxy {proxy})");
        }
        TargetError {
            received,
            ..TargetError::new(message)
        }
    }

    /// The error of a response that was aborted.
    pub fn broken_off(&self, message: impl Into<String>) -> TargetError {
        self.error(message)
            .with_help("the agent may have crashed, or a proxy may have timed out: see their logs")
    }
}
