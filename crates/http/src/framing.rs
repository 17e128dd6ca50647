//! Takes the body of a response apart into events, whatever form it has, and finds out which form that is.
//!
//! **Invariant:** the events are the same however the body is cut into pieces, but for text, whose pieces are its events.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use memchr::{memchr, memchr2};

use super::modes::StreamForm;
use ananke_agents::http::Framing;
use ananke_agents::sse::EventTooLarge;
use ananke_base::source::received_json::{decoded, is_json};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The starts of lines by which a stream of server-sent events is known.
const SSE_STARTS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

/// The form that a response turned out to have: known before its first event is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownForm(Arc<OnceLock<StreamForm>>);

impl KnownForm {
    /// The form; JSON as long as nothing came.
    pub(crate) fn get(&self) -> StreamForm {
        self.0.get().copied().unwrap_or(StreamForm::Json)
    }

    fn set(&self, form: StreamForm) {
        let _known = self.0.set(form);
    }
}

/// Takes a body apart.
pub(crate) struct BodyFraming {
    form: StreamForm,
    known: KnownForm,
    buffer: Vec<u8>,
    /// The start of the event that is read, in the buffer.
    start: usize,
    /// The end of what was looked at.
    scanned: usize,
    /// The start of the line that is read.
    line: usize,
    /// The last line ended with CR, to which an LF belongs.
    is_after_return: bool,
    json: JsonScanner,
    /// No byte was read yet, so that a byte order mark may come.
    is_at_start: bool,
    /// The first value of a body whose form is open: it is a document if no other follows.
    first_value: Option<Range<usize>>,
    max_event_bytes: usize,
}

impl BodyFraming {
    /// A framing for a response of this form; `known` gets it.
    pub(crate) fn new(form: StreamForm, max_event_bytes: usize) -> (Self, KnownForm) {
        let known = KnownForm::default();
        if form != StreamForm::Auto {
            known.set(form);
        }
        let framing = Self {
            form,
            known: known.clone(),
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            line: 0,
            is_after_return: false,
            json: JsonScanner::default(),
            is_at_start: true,
            first_value: None,
            max_event_bytes,
        };
        (framing, known)
    }

    fn is_now(&mut self, form: StreamForm) {
        self.form = form;
        self.known.set(form);
    }

    /// Finds out the form by the first bytes, if they are enough. `true` if the body begins with a JSON value, which may be a document
    /// or the first of several.
    fn begins_with_value(&mut self) -> bool {
        if self.json.start.is_some() {
            return true;
        }
        // A body may begin with very much whitespace, and come in small pieces.
        self.skip_whitespace();
        let bytes = &self.buffer[self.scanned..];
        let Some(&first) = bytes.first() else {
            return false;
        };
        for start in SSE_STARTS {
            if bytes.starts_with(start) {
                self.is_now(StreamForm::Sse);
                // The lines before it are empty ones.
                self.scanned = 0;
                return false;
            }
            // The next piece shows whether it is one.
            if start.starts_with(bytes) {
                return false;
            }
        }
        // Anything else is read as a document, which says what is wrong.
        let is_value = matches!(
            first,
            b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'
        );
        if !is_value {
            self.is_now(StreamForm::Json);
        }
        is_value
    }

    fn skip_whitespace(&mut self) {
        let rest = &self.buffer[self.scanned..];
        let others = rest.trim_ascii_start().len();
        self.scanned += rest.len() - others;
    }

    /// The next block of server-sent events: its lines, without the empty one that ends it.
    fn block(&mut self) -> Option<Range<usize>> {
        loop {
            if self.is_after_return {
                let &next = self.buffer.get(self.scanned)?;
                self.is_after_return = false;
                if next == b'\n' {
                    self.scanned += 1;
                    // The next block begins after the LF, otherwise the LF alone would be taken for a block.
                    if self.start == self.line {
                        self.start = self.scanned;
                    }
                    self.line = self.scanned;
                }
            }
            let Some(length) = memchr2(b'\n', b'\r', &self.buffer[self.scanned..]) else {
                self.scanned = self.buffer.len();
                return None;
            };
            let end = self.scanned + length;
            let start = self.start;
            let line = self.line;
            self.is_after_return = self.buffer[end] == b'\r';
            self.scanned = end + 1;
            self.line = end + 1;
            if end > line {
                continue;
            }
            // An empty line ends a block, if there is one.
            self.start = end + 1;
            if line > start {
                return Some(start..line);
            }
        }
    }

    /// The next line, without its end.
    fn next_line(&mut self) -> Option<Range<usize>> {
        let Some(length) = memchr(b'\n', &self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let range = self.start..self.scanned + length;
        self.scanned = range.end + 1;
        self.start = self.scanned;
        Some(range)
    }

    /// The next JSON value.
    fn next_value(&mut self) -> Option<Range<usize>> {
        let range = self.json.next_value(&self.buffer, &mut self.scanned)?;
        self.start = self.scanned;
        Some(range)
    }

    /// All that is there but the start of a character.
    fn text(&mut self) -> Option<Range<usize>> {
        let rest = &self.buffer[self.start..];
        let length = match std::str::from_utf8(rest) {
            // A character that has begun waits for its end.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // Bytes that are not UTF-8 at all are part of the text, because nothing would complete them.
            Ok(_) | Err(_) => rest.len(),
        };
        if length == 0 {
            return None;
        }
        let range = self.start..self.start + length;
        self.start = range.end;
        self.scanned = range.end;
        Some(range)
    }

    /// The place of the next event in the buffer.
    fn next(&mut self) -> Option<Range<usize>> {
        let is_open = self.form == StreamForm::Auto && self.first_value.is_none();
        if is_open && self.begins_with_value() {
            self.first_value = self.next_value();
        }
        match self.form {
            StreamForm::Json => {
                self.scanned = self.buffer.len();
                None
            }
            StreamForm::Sse => self.block(),
            StreamForm::Ndjson => self.next_value(),
            StreamForm::Text => self.text(),
            StreamForm::Prefixed => self.next_line(),
            StreamForm::Auto => {
                // A second value shows that the body is a stream, so that the first value is an event and not the document.
                self.first_value.as_ref()?;
                self.skip_whitespace();
                if self.scanned == self.buffer.len() {
                    return None;
                }
                self.is_now(StreamForm::Ndjson);
                self.first_value.take()
            }
        }
    }

    /// The bytes that are not part of an event that was handed over.
    fn pending(&self) -> usize {
        match &self.first_value {
            Some(first) => self.buffer.len() - first.start,
            None => self.buffer.len() - self.start,
        }
    }

    /// Forgets what was handed over, so that memory does not grow with the stream.
    fn compact(&mut self) {
        if self.first_value.is_some() || self.start == 0 || self.form == StreamForm::Json {
            return;
        }
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.line = self.line.saturating_sub(self.start);
        self.json.start = self.json.start.map(|start| start - self.start);
        self.start = 0;
    }
}

impl Framing for BodyFraming {
    fn next_event<'s, 'c: 's>(
        &'s mut self,
        rest: &mut &'c [u8],
    ) -> Result<Option<&'s [u8]>, EventTooLarge> {
        if !rest.is_empty() {
            self.compact();
            self.buffer.extend_from_slice(rest);
            *rest = &[];
            // A byte order mark may come in several pieces, so that nothing is read until it is known whether there is one.
            if self.is_at_start {
                if self.buffer.len() < BYTE_ORDER_MARK.len()
                    && BYTE_ORDER_MARK.starts_with(&self.buffer)
                {
                    return Ok(None);
                }
                self.is_at_start = false;
                if self.buffer.starts_with(BYTE_ORDER_MARK) {
                    self.buffer.drain(..BYTE_ORDER_MARK.len());
                }
            }
        }
        let found = self.next();
        // A document is limited by the size of the response alone.
        let is_document = matches!(self.form, StreamForm::Json | StreamForm::Auto);
        if found.is_none() && !is_document && self.pending() > self.max_event_bytes {
            let max_event_bytes = self.max_event_bytes;
            return Err(EventTooLarge { max_event_bytes });
        }
        Ok(found.map(|range| &self.buffer[range]))
    }

    fn finish(&mut self) -> Option<(&[u8], bool)> {
        if self.form == StreamForm::Auto {
            self.is_now(StreamForm::Json);
            self.start = 0;
        }
        let mut rest = &self.buffer[self.start..];
        if self.form != StreamForm::Text && rest.trim_ascii().is_empty() {
            return None;
        }
        // The line break between two values belongs to none of them.
        if self.form == StreamForm::Ndjson {
            rest = rest.trim_ascii_start();
        }
        let is_whole = match self.form {
            StreamForm::Ndjson => is_value(rest),
            // A line that was ended is all there, and only its blank line is missing.
            StreamForm::Sse => {
                rest.ends_with(b"\n") || rest.ends_with(b"\r") || has_whole_data(rest)
            }
            StreamForm::Prefixed => match memchr(b':', rest) {
                Some(colon) => is_value(&rest[colon + 1..]),
                None => false,
            },
            // A document says itself what is wrong with it.
            StreamForm::Json | StreamForm::Text | StreamForm::Auto => true,
        };
        if rest.is_empty() {
            return None;
        }
        Some((rest, is_whole))
    }
}

/// Whether bytes are one JSON value.
fn is_value(bytes: &[u8]) -> bool {
    match decoded(bytes) {
        Ok(text) => is_json(&text),
        Err(_) => false,
    }
}

/// Whether the last line of a block has data that is one JSON value.
fn has_whole_data(block: &[u8]) -> bool {
    let last = block.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next();
    match last.unwrap_or_default().strip_prefix(b"data:") {
        Some(data) => is_value(data),
        None => false,
    }
}

/// Finds the ends of JSON values that follow each other, without reading them.
#[derive(Debug, Default)]
struct JsonScanner {
    /// The start of the value that is read.
    start: Option<usize>,
    depth: u32,
    is_in_text: bool,
    is_escaped: bool,
}

impl JsonScanner {
    /// The next value that is complete; `at` is how far `bytes` were looked at.
    fn next_value(&mut self, bytes: &[u8], at: &mut usize) -> Option<Range<usize>> {
        while let Some(&byte) = bytes.get(*at) {
            let Some(start) = self.start else {
                if byte.is_ascii_whitespace() {
                    *at += 1;
                } else {
                    self.start = Some(*at);
                }
                continue;
            };
            if self.is_in_text {
                *at += 1;
                if self.is_escaped {
                    self.is_escaped = false;
                } else if byte == b'\\' {
                    self.is_escaped = true;
                } else if byte == b'"' {
                    self.is_in_text = false;
                    if self.depth == 0 {
                        return Some(self.complete(start..*at));
                    }
                }
                continue;
            }
            match byte {
                b'"' => self.is_in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        *at += 1;
                        return Some(self.complete(start..*at));
                    }
                }
                // A number or a word, or anything that is not JSON, ends with its line.
                b'\n' | b'\r' if self.depth == 0 => return Some(self.complete(start..*at)),
                _ => {}
            }
            *at += 1;
        }
        None
    }

    /// Is ready for the next value, after that in `range`.
    fn complete(&mut self, range: Range<usize>) -> Range<usize> {
        *self = Self::default();
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a body that comes in pieces of `size` bytes, and its form.
    fn events(form: StreamForm, body: &str, size: usize) -> (Vec<String>, StreamForm) {
        let (mut framing, known) = BodyFraming::new(form, 1 << 20);
        let mut events = Vec::new();
        for piece in body.as_bytes().chunks(size) {
            let mut rest = piece;
            while let Ok(Some(event)) = framing.next_event(&mut rest) {
                events.push(String::from_utf8_lossy(event).into_owned());
            }
        }
        if let Some((event, is_whole)) = framing.finish() {
            let mark = if is_whole { "" } else { "…" };
            events.push(format!("{}{mark}", String::from_utf8_lossy(event)));
        }
        (events, known.get())
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn events_are_the_same_however_a_body_is_cut() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(300));
        for (form, body, expected, detected) in [
            (
                StreamForm::Auto,
                "{\"a\": 1}\n",
                vec!["{\"a\": 1}\n"],
                StreamForm::Json,
            ),
            (
                StreamForm::Auto,
                "\u{feff}[1, 2]",
                vec!["[1, 2]"],
                StreamForm::Json,
            ),
            (StreamForm::Auto, "<html>", vec!["<html>"], StreamForm::Json),
            (
                StreamForm::Auto,
                "{\"a\":\"}\\\"{\"}{\"b\":[{}]}\n\n\"text\" 12\nnull\n",
                vec![
                    "{\"a\":\"}\\\"{\"}",
                    "{\"b\":[{}]}",
                    "\"text\"",
                    "12",
                    "null",
                ],
                StreamForm::Ndjson,
            ),
            (
                StreamForm::Ndjson,
                "{\"a\":1}\n{\"b\":",
                vec!["{\"a\":1}", "{\"b\":…"],
                StreamForm::Ndjson,
            ),
            (
                StreamForm::Auto,
                "event: a\ndata: 1\n\n\n: hi\n\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n\n",
                vec![
                    "event: a\ndata: 1\n",
                    ": hi\n",
                    "data: 2\r\n",
                    "data: 3\r",
                    "data: 4\n",
                ],
                StreamForm::Sse,
            ),
            (
                StreamForm::Sse,
                "data: {\"a\":",
                vec!["data: {\"a\":…"],
                StreamForm::Sse,
            ),
            (
                StreamForm::Sse,
                "data: word\n",
                vec!["data: word\n"],
                StreamForm::Sse,
            ),
            (
                StreamForm::Prefixed,
                "0:\"a\"\nd:{}\n",
                vec!["0:\"a\"", "d:{}"],
                StreamForm::Prefixed,
            ),
            (
                StreamForm::Ndjson,
                &long,
                vec![long.as_str()],
                StreamForm::Ndjson,
            ),
        ] {
            for size in [1, 2, 3, 7, 1000] {
                let (found, form) = events(form, body, size);
                assert_eq!(found, expected, "{body:?} in pieces of {size}");
                assert_eq!(form, detected, "{body:?}");
            }
        }
    }

    #[test]
    fn much_whitespace_in_small_pieces_takes_no_time() {
        let many = " ".repeat(400_000);
        // Each piece was compared with all of the whitespace before it: that took minutes.
        let (found, form) = events(StreamForm::Auto, &format!("{many}{{}}{many}"), 1);
        assert_eq!((found.len(), form), (1, StreamForm::Json));
        let (found, form) = events(StreamForm::Auto, &format!("{many}data: 1\n\n"), 1);
        assert_eq!((found.len(), form), (1, StreamForm::Sse));
    }

    #[test]
    fn text_comes_in_its_pieces_and_in_whole_characters() {
        let (found, _) = events(StreamForm::Text, "aé", 2);
        assert_eq!(found, ["a", "é"]);
        assert_eq!(found.concat(), "aé");
    }

    #[test]
    fn an_event_that_is_too_large_is_an_error() {
        let (mut framing, _) = BodyFraming::new(StreamForm::Ndjson, 4);
        let mut rest = &b"{\"a\": 1"[..];
        assert!(framing.next_event(&mut rest).is_err());
    }
}
