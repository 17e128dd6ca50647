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

/// A chunk, and how far it is read.
#[derive(Default)]
struct ChunkReader<'c> {
    chunk: &'c [u8],
    position: usize,
    /// The start of the event's only line so far, while that is read.
    first_start: Option<usize>,
    /// The event's only line so far, once all of it is read.
    whole: Option<Range<usize>>,
}

impl<'c> ChunkReader<'c> {
    fn rest(&self) -> &'c [u8] {
        &self.chunk[self.position..]
    }

    /// The rest of the line as far as the chunk contains it, and the position of the line's end.
    fn line(&self) -> (&'c [u8], Option<usize>) {
        let rest = self.rest();
        match memchr2(b'\n', b'\r', rest) {
            Some(length) => (&rest[..length], Some(self.position + length)),
            None => (rest, None),
        }
    }
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
        if let Some((name, value)) = line.split_once(':') {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "id" => self.last_id = Some(value.to_owned()),
                // A pause that is no number leaves the one before as it is.
                "retry" => self.retry_ms = value.parse().ok().or(self.retry_ms),
                _ => {}
            }
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
        let id = self.fields.as_ref()?.last_id.as_deref()?;
        // An empty id takes the one before back: the stream cannot be continued there.
        if id.is_empty() { None } else { Some(id) }
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

    /// Reads from the front of `rest` until an event is complete, and returns its data. `None` once `rest` is used up: the start
    /// of an event is kept then, and the next chunk continues it.
    ///
    /// # Errors
    /// If an event has more data than allowed.
    pub fn next_event<'s, 'c: 's>(
        &'s mut self,
        rest: &mut &'c [u8],
    ) -> Result<Option<&'s [u8]>, EventTooLarge> {
        // The last event was returned as a part of the buffer, which can be cleared only now.
        self.forget_handed_over();
        let mut reader = ChunkReader {
            chunk: rest,
            ..ChunkReader::default()
        };
        // Each step reads a byte or the rest of a line, and changes `place`, the position in the current line.
        while let Some(&byte) = reader.chunk.get(reader.position) {
            match self.place {
                LinePosition::Mark(matched) => self.mark(matched, byte, &mut reader),
                // `Name(0)` is the start of a line. The line before may have ended with CR and LF: an LF here belongs to that CR,
                // and is skipped.
                LinePosition::Name(0) if self.after_return => {
                    self.after_return = false;
                    reader.position += usize::from(byte == b'\n');
                }
                // A blank line ends an event. Without data before it, there is no event.
                LinePosition::Name(0) if byte == b'\n' || byte == b'\r' => {
                    reader.position += 1;
                    self.after_return = byte == b'\r';
                    if self.has_data {
                        self.has_data = false;
                        *rest = reader.rest();
                        // Most events have one line of data, whole in the chunk. It is returned from there, and not copied.
                        if let Some(range) = reader.whole {
                            return Ok(Some(&reader.chunk[range]));
                        }
                        // Other data is in the buffer, which the next call clears.
                        self.handed_over = true;
                        return Ok(Some(&self.data));
                    }
                }
                LinePosition::Name(matched) => self.name(matched, byte, &mut reader)?,
                // A value begins, after one space that does not count. Only the first line of data of an event may be returned
                // from the chunk, so `first_start` is the start of that one, and `None` for a later line.
                LinePosition::Colon => {
                    reader.position += usize::from(byte == b' ');
                    reader.first_start = if self.has_data {
                        None
                    } else {
                        Some(reader.position)
                    };
                    self.begin_line(&mut reader)?;
                    self.place = LinePosition::Value;
                }
                LinePosition::Value => self.value(&mut reader)?,
                LinePosition::Other => self.other(&mut reader),
            }
        }
        // The chunk ends before its event. The line of data that was left in the chunk is copied, since the chunk is gone with
        // this call.
        if let Some(range) = reader.whole {
            self.keep(&reader.chunk[range])?;
        }
        *rest = &[];
        Ok(None)
    }

    /// Reads a byte at the start of a stream, where a byte order mark is allowed and skipped. `matched` bytes of the mark came
    /// before.
    fn mark(&mut self, matched: usize, byte: u8, reader: &mut ChunkReader<'_>) {
        // Only a byte of the mark is consumed here. Any other is read again, as a part of the first line.
        self.place = match matched {
            matched if byte == MARK[matched] => {
                reader.position += 1;
                if matched + 1 == MARK.len() {
                    LinePosition::Name(0)
                } else {
                    LinePosition::Mark(matched + 1)
                }
            }
            0 => LinePosition::Name(0),
            // A part of a mark is the start of a name, and no field that counts has such a name.
            _ => LinePosition::Other,
        };
    }

    /// Reads a byte of the name of a field. Only `data` counts, of which `matched` bytes came before in this line.
    fn name(
        &mut self,
        matched: usize,
        byte: u8,
        reader: &mut ChunkReader<'_>,
    ) -> Result<(), EventTooLarge> {
        match matched {
            // Most lines begin so, and the name is read at once.
            0 if reader.rest().starts_with(b"data:") => {
                reader.position += FIELD.len() + 1;
                self.place = LinePosition::Colon;
            }
            // All four letters without a colon are an empty line of data. Its end is read with the value.
            4 if byte == b'\n' || byte == b'\r' => {
                self.begin_line(reader)?;
                self.place = LinePosition::Value;
            }
            4 if byte == b':' => {
                reader.position += 1;
                self.place = LinePosition::Colon;
            }
            matched if FIELD.get(matched) == Some(&byte) => {
                reader.position += 1;
                self.place = LinePosition::Name(matched + 1);
            }
            // The line has another name, or is a comment. A decoder that keeps other fields needs the bytes that were matched so
            // far.
            matched => {
                if let Some(fields) = &mut self.fields {
                    fields.line.extend_from_slice(&FIELD[..matched]);
                }
                self.place = LinePosition::Other;
            }
        }
        Ok(())
    }

    /// Reads the rest of a line of data, as far as the chunk has it; the end of the line may be in a later chunk.
    fn value(&mut self, reader: &mut ChunkReader<'_>) -> Result<(), EventTooLarge> {
        let (line, end) = reader.line();
        // Most events have one line of data, which is not copied if all of it is in the chunk: its place is noted, and a second
        // line would copy it first. `first_start` is set as long as this is the first line of its event, and all of it that
        // was read is in this chunk.
        if let Some(start) = reader.first_start.take()
            && let Some(end) = end
        {
            self.check(end - start)?;
            reader.whole = Some(start..end);
        } else {
            self.keep(line)?;
        }
        self.end_line(reader, end);
        Ok(())
    }

    /// Takes the rest of a line that says nothing.
    fn other(&mut self, reader: &mut ChunkReader<'_>) {
        let (line, end) = reader.line();
        if let Some(fields) = &mut self.fields {
            let room = LONGEST_FIELD.saturating_sub(fields.line.len());
            fields.line.extend_from_slice(&line[..line.len().min(room)]);
            if end.is_some() {
                fields.end_line();
            }
        }
        self.end_line(reader, end);
    }

    /// The data of an event that ended with the stream and not with a blank line, if there is one. The caller decides
    /// whether it counts.
    pub fn finish(&mut self) -> Option<&[u8]> {
        self.forget_handed_over();
        // A last line that is `data` or `data:` is an empty line of data, which no byte after it has begun yet.
        if matches!(self.place, LinePosition::Name(4) | LinePosition::Colon) {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
        }
        // A second call returns nothing: no line is open any more, and `has_data` is reset.
        self.place = LinePosition::Other;
        if std::mem::take(&mut self.has_data) {
            Some(&self.data)
        } else {
            None
        }
    }

    fn forget_handed_over(&mut self) {
        if std::mem::take(&mut self.handed_over) {
            self.data.clear();
        }
    }

    /// A line of data begins: lines before it are kept in the buffer, and a newline after them.
    fn begin_line(&mut self, reader: &mut ChunkReader<'_>) -> Result<(), EventTooLarge> {
        if let Some(range) = reader.whole.take() {
            self.keep(&reader.chunk[range])?;
        }
        if self.has_data {
            self.keep(b"\n")?;
        }
        self.has_data = true;
        Ok(())
    }

    /// Steps over the end of a line at `end`, or to the end of the chunk.
    fn end_line(&mut self, reader: &mut ChunkReader<'_>, end: Option<usize>) {
        match end {
            Some(end) => {
                self.after_return = reader.chunk[end] == b'\r';
                self.place = LinePosition::Name(0);
                reader.position = end + 1;
            }
            None => reader.position = reader.chunk.len(),
        }
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
