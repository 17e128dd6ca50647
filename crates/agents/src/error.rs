//! The reason why an exchange came to nothing.

use std::fmt;

use ananke_trace::redact::{BESIDE, excerpt};

/// The beginning of the message of an error if no connection could be made.
pub(super) const NO_CONNECTION: &str = "could not connect to ";

/// The data that had arrived by then: the evidence of a protocol error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// HTTP status, where a head came.
    pub status: Option<u16>,
    /// Content type, where a head came with one.
    pub content_type: Option<String>,
    /// The first bytes of the body, at most [`Received::QUOTED_BYTES`], made readable.
    pub first_bytes: String,
    /// The number of bytes of the body that came.
    pub bytes: u64,
    /// The number of events that were understood.
    pub events: u64,
}

impl Received {
    /// Whether a content type is that of a page for people, which no agent sends.
    pub fn is_page(content_type: &str) -> bool {
        let kind = content_type.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("text/html")
    }

    /// The most bytes of a body that are quoted in an error.
    pub const QUOTED_BYTES: usize = 200;

    /// The start of `bytes` in quotes, with a mark if there is more.
    pub fn quoted(bytes: &[u8]) -> String {
        let more = if bytes.len() > Self::QUOTED_BYTES {
            "…"
        } else {
            ""
        };
        format!("`{}{more}`", Self::quote(bytes))
    }

    /// The first [`Received::QUOTED_BYTES`] of `bytes` as text that is safe to print: other characters are escaped.
    pub fn quote(bytes: &[u8]) -> String {
        // Secrets are masked later, and are recognized only as a whole. So the text goes on after the quoted part for `BESIDE`
        // bytes, the length of the longest secret: one that crosses the limit is then masked too.
        let start = &bytes[..bytes.len().min(Self::QUOTED_BYTES + BESIDE)];
        let mut text = String::with_capacity(start.len());
        let mut quoted_end = 0;
        let mut bytes_read = 0;
        for chunk in start.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    // Quotation marks and backslashes are printable, and JSON is easier to read if they stay as they are.
                    '"' | '\'' | '\\' => text.push(character),
                    _ => text.extend(character.escape_debug()),
                }
                // A character across the limit is not quoted.
                bytes_read += character.len_utf8();
                if bytes_read <= Self::QUOTED_BYTES {
                    quoted_end = text.len();
                }
            }
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                bytes_read += chunk.invalid().len();
                if bytes_read <= Self::QUOTED_BYTES {
                    quoted_end = text.len();
                }
            }
        }
        // An excerpt has the text after the quoted part in a hidden form, which the masking removes.
        excerpt(&text, 0..quoted_end)
    }
}

/// The agent could not be reached, or its answer is not what its protocol promises (status error, kind `protocol`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", received.after(message))]
pub struct TargetError {
    /// The error, lower case, no full stop: `the stream ended without a terminal event`.
    pub message: String,
    /// The data that was received, empty if there was none.
    pub received: Received,
    /// The remedy.
    pub help: Option<String>,
}

impl TargetError {
    /// An error before anything was received.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            received: Received::default(),
            help: None,
        }
    }

    /// Whether no connection could be made: nothing else can be asked there.
    pub fn is_unreachable(&self) -> bool {
        self.received.status.is_none() && self.message.starts_with(NO_CONNECTION)
    }

    /// Replaces the remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// The end of an error message about a response: status, content type, size and start of what was received.
struct ReceivedAfter<'a> {
    received: &'a Received,
    message: &'a str,
}

impl Received {
    fn after<'a>(&'a self, message: &'a str) -> ReceivedAfter<'a> {
        ReceivedAfter {
            received: self,
            message,
        }
    }
}

impl fmt::Display for ReceivedAfter<'_> {
    /// Writes `; received: ` with the status, content type, size and start of a response, after an error message about it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let received = self.received;
        // Without a status, no response came, so there is nothing to add to the message.
        let Some(status) = received.status else {
            return Ok(());
        };
        formatter.write_str("; received: ")?;
        // A message about the status itself has it already.
        if !self.message.contains(&format!("HTTP {status}")) {
            write!(formatter, "HTTP {status}, ")?;
        }
        let content_type = received.content_type.as_deref();
        let content_type = content_type.unwrap_or("no content type");
        write!(formatter, "{content_type}, {} bytes", received.bytes)?;
        // Events that were understood show that the agent works, so the fault is in what comes after them.
        match received.events {
            0 => {}
            1 => write!(formatter, ", 1 event")?,
            events => write!(formatter, ", {events} events")?,
        }
        if received.first_bytes.is_empty() {
            return Ok(());
        }
        // A body that is longer than its quoted start gets a mark.
        let ellipsis = if received.bytes > Received::QUOTED_BYTES as u64 {
            "…"
        } else {
            ""
        };
        write!(formatter, ", starting `{}{ellipsis}`", received.first_bytes)
    }
}
