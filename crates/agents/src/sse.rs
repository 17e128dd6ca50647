//! Server-sent events out of bytes: linear, bounded, for any chunking.
//!
//! Chunks go in, the data of events comes out: a slice of the chunk where an event lies whole in it, else of one
//! buffer. Lines end with LF, CRLF or CR, in any mixture; a byte order mark, comments and all fields but `data` are
//! passed over. Data is bytes here: whether it is text is for the reader of the event to say.

use std::ops::Range;

use memchr::memchr2;

const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
const FIELD: [u8; 4] = *b"data";

/// An event's data is larger than allowed; its decoder is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than {max_event_bytes} bytes")]
pub struct EventTooLarge {
    /// The number of bytes that is allowed.
    pub max_event_bytes: usize,
}

/// The position of the next byte in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinePosition {
    /// In the byte order mark, after this many of its bytes.
    Mark(usize),
    /// In a field's name, after this many bytes of `data`; after none, at the start of a line.
    Name(usize),
    /// Right after `data:`, where one space may come.
    Colon,
    /// In a value of `data`.
    Value,
    /// In a line that says nothing.
    Other,
}

/// Takes a stream of server-sent events apart.
#[derive(Debug)]
pub struct SseDecoder {
    place: LinePosition,
    /// The last byte was a CR that ended a line: an LF now belongs to it.
    after_return: bool,
    /// The event begun has a `data` line, if only an empty one.
    has_data: bool,
    /// The part of the event's data that came in earlier chunks or lines.
    data: Vec<u8>,
    /// `data` was handed over: it goes before anything else is put into it.
    handed_over: bool,
    max_event_bytes: usize,
    /// The fields of a stream other than its data, if they are kept.
    fields: Option<SseFields>,
}

/// The fields of a stream other than its data.
#[derive(Debug, Default)]
struct SseFields {
    /// The start of the line that is read.
    line: Vec<u8>,
    last_id: Option<String>,
    retry_ms: Option<u64>,
}

/// The most bytes of a line without data that are kept.
const LONGEST_FIELD: usize = 1 << 10;

impl SseFields {
    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.line);
        let value = |name: &str| {
            line.strip_prefix(name)
                .map(|value| value.strip_prefix(' ').unwrap_or(value))
        };
        if let Some(id) = value("id:") {
            self.last_id = Some(id.to_owned());
        } else if let Some(retry) = value("retry:") {
            self.retry_ms = retry.parse().ok().or(self.retry_ms);
        }
        self.line.clear();
    }
}

impl SseDecoder {
    /// A decoder that also keeps the id of the last event, and the pause before the stream is continued.
    pub fn with_fields(max_event_bytes: usize) -> Self {
        Self {
            fields: Some(SseFields::default()),
            ..Self::new(max_event_bytes)
        }
    }

    /// The id of the last event that has one.
    pub fn last_id(&self) -> Option<&str> {
        self.fields
            .as_ref()?
            .last_id
            .as_deref()
            .filter(|id| !id.is_empty())
    }

    /// The pause before the stream is continued, in milliseconds, if the stream says one.
    pub fn retry_ms(&self) -> Option<u64> {
        self.fields.as_ref()?.retry_ms
    }

    /// A decoder at the start of a stream.
    pub fn new(max_event_bytes: usize) -> Self {
        Self {
            place: LinePosition::Mark(0),
            after_return: false,
            has_data: false,
            data: Vec::new(),
            handed_over: false,
            max_event_bytes,
            fields: None,
        }
    }

    /// The data of the next event that is complete, taken from the front of `rest`; `None` once `rest` is used up.
    ///
    /// # Errors
    /// If an event has more data than allowed.
    pub fn next_event<'s, 'c: 's>(
        &'s mut self,
        rest: &mut &'c [u8],
    ) -> Result<Option<&'s [u8]>, EventTooLarge> {
        self.forget_handed_over();
        let chunk: &'c [u8] = rest;
        // Where the event's only line so far lies in this chunk: its start while it is read, then all of it.
        let mut first_start = None;
        let mut whole: Option<Range<usize>> = None;
        let mut position = 0;
        while let Some(&byte) = chunk.get(position) {
            match self.place {
                LinePosition::Mark(matched) if byte == MARK[matched] => {
                    position += 1;
                    self.place = if matched + 1 == MARK.len() {
                        LinePosition::Name(0)
                    } else {
                        LinePosition::Mark(matched + 1)
                    };
                }
                LinePosition::Mark(0) => self.place = LinePosition::Name(0),
                LinePosition::Name(0) if self.after_return => {
                    self.after_return = false;
                    position += usize::from(byte == b'\n');
                }
                LinePosition::Name(0) if byte == b'\n' || byte == b'\r' => {
                    position += 1;
                    self.after_return = byte == b'\r';
                    if self.has_data {
                        self.has_data = false;
                        *rest = &chunk[position..];
                        if let Some(range) = whole {
                            return Ok(Some(&chunk[range]));
                        }
                        self.handed_over = true;
                        return Ok(Some(&self.data));
                    }
                }
                LinePosition::Name(0) if chunk[position..].starts_with(b"data:") => {
                    position += FIELD.len() + 1;
                    self.place = LinePosition::Colon;
                }
                // `data` without a colon is a line of data that is empty.
                LinePosition::Name(4) if byte == b'\n' || byte == b'\r' => {
                    self.begin_line(chunk, &mut whole)?;
                    self.place = LinePosition::Value;
                }
                LinePosition::Name(4) if byte == b':' => {
                    position += 1;
                    self.place = LinePosition::Colon;
                }
                LinePosition::Name(matched) if FIELD.get(matched) == Some(&byte) => {
                    position += 1;
                    self.place = LinePosition::Name(matched + 1);
                }
                LinePosition::Mark(_) | LinePosition::Name(_) => {
                    if let (Some(fields), LinePosition::Name(matched @ 1..)) =
                        (&mut self.fields, self.place)
                    {
                        fields
                            .line
                            .extend_from_slice(&FIELD[..matched.min(FIELD.len())]);
                    }
                    self.place = LinePosition::Other;
                }
                LinePosition::Colon => {
                    position += usize::from(byte == b' ');
                    first_start = (!self.has_data).then_some(position);
                    self.begin_line(chunk, &mut whole)?;
                    self.place = LinePosition::Value;
                }
                LinePosition::Value => {
                    let end =
                        memchr2(b'\n', b'\r', &chunk[position..]).map(|length| position + length);
                    match (end, first_start.take()) {
                        (Some(end), Some(start)) => {
                            self.check(end - start)?;
                            whole = Some(start..end);
                        }
                        (end, _) => self.keep(&chunk[position..end.unwrap_or(chunk.len())])?,
                    }
                    position = self.end_line(chunk, end);
                }
                LinePosition::Other => {
                    let end =
                        memchr2(b'\n', b'\r', &chunk[position..]).map(|length| position + length);
                    if let Some(fields) = &mut self.fields {
                        let room = LONGEST_FIELD.saturating_sub(fields.line.len());
                        let line = &chunk[position..end.unwrap_or(chunk.len())];
                        fields.line.extend_from_slice(&line[..line.len().min(room)]);
                        if end.is_some() {
                            fields.end_line();
                        }
                    }
                    position = self.end_line(chunk, end);
                }
            }
        }
        if let Some(range) = whole {
            self.keep(&chunk[range])?;
        }
        *rest = &[];
        Ok(None)
    }

    /// The data of an event that ended with the stream and not with a blank line, if there is one. The caller decides
    /// whether it counts.
    pub fn finish(&mut self) -> Option<&[u8]> {
        self.forget_handed_over();
        if matches!(self.place, LinePosition::Name(4) | LinePosition::Colon) {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
        }
        self.place = LinePosition::Other;
        std::mem::take(&mut self.has_data).then_some(&*self.data)
    }

    fn forget_handed_over(&mut self) {
        if std::mem::take(&mut self.handed_over) {
            self.data.clear();
        }
    }

    /// A line of data begins: lines before it are kept in the buffer, and a newline after them.
    fn begin_line(
        &mut self,
        chunk: &[u8],
        whole: &mut Option<Range<usize>>,
    ) -> Result<(), EventTooLarge> {
        if let Some(range) = whole.take() {
            self.keep(&chunk[range])?;
        }
        if self.has_data {
            self.keep(b"\n")?;
        }
        self.has_data = true;
        Ok(())
    }

    /// Steps over the end of a line at `end`, or to the end of the chunk.
    fn end_line(&mut self, chunk: &[u8], end: Option<usize>) -> usize {
        let Some(end) = end else { return chunk.len() };
        self.after_return = chunk[end] == b'\r';
        self.place = LinePosition::Name(0);
        end + 1
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        self.check(self.data.len() + bytes.len())?;
        self.data.extend_from_slice(bytes);
        Ok(())
    }

    fn check(&self, length: usize) -> Result<(), EventTooLarge> {
        let max_event_bytes = self.max_event_bytes;
        if length > max_event_bytes {
            Err(EventTooLarge { max_event_bytes })
        } else {
            Ok(())
        }
    }
}
