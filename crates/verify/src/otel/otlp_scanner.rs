//! Finds the spans and log records of a file of OTLP JSON, one document or one per line, without holding the file.
//!
//! **Invariant:** memory is bounded by the largest object that is found; what is found is handed out byte for byte.

use std::io::{ErrorKind, Read};

/// The longest object that is read, in bytes.
const LONGEST: usize = 64 << 20;

/// The number of bytes of a file that are read at once.
const CHUNK: usize = 1 << 18;

/// The largest depth of lists and objects in each other.
const DEEPEST: usize = 256;

/// The longest name of a list that means something.
const LONGEST_NAME: usize = 16;

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Span,
    LogRecord,
}

impl ObjectKind {
    /// The kind of the objects in a list of this name.
    fn in_list(name: &[u8]) -> Option<Self> {
        match name {
            // Lists of spans have other names where something else than OTLP wrote them.
            b"spans" | b"sessionSpans" | b"observations" => Some(Self::Span),
            b"logRecords" | b"log_records" => Some(Self::LogRecord),
            _ => None,
        }
    }
}

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundObject {
    pub(super) kind: ObjectKind,
    /// The offset of its first byte.
    pub(super) offset: u64,
    /// The line of its last byte, counted from 1.
    pub(super) line: u64,
}

/// The reason that a file cannot be read, and the place.
#[derive(Debug)]
pub(super) struct OtlpScanError {
    pub(super) line: u64,
    pub(super) message: String,
}

enum Frame {
    Object { expects_key: bool },
    List(Option<ObjectKind>),
}

/// Reads a file from its beginning to its end.
pub(super) struct OtlpScanner<R> {
    reader: R,
    /// The chunk that was read from it last, of which this much is left to scan.
    chunk: Vec<u8>,
    left: std::ops::Range<usize>,
    /// The offset of the next byte.
    offset: u64,
    line: u64,
    frames: Vec<Frame>,
    in_string: bool,
    is_escaped: bool,
    /// The last key.
    key: Vec<u8>,
    /// The object that is being read: what it is, and the number of frames around it.
    found: Option<(FoundObject, usize)>,
    /// Whether the objects are the documents, or in a list that is one.
    finds_documents: bool,
}

impl<R: Read> OtlpScanner<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            chunk: vec![0; CHUNK],
            left: 0..0,
            offset: 0,
            line: 1,
            frames: Vec::new(),
            in_string: false,
            is_escaped: false,
            key: Vec::new(),
            found: None,
            finds_documents: false,
        }
    }

    /// The same, but its objects are the documents of the file, and those in lists that are documents.
    pub(super) fn of_documents(reader: R) -> Self {
        Self {
            finds_documents: true,
            ..Self::new(reader)
        }
    }

    /// Reads to the end of the next object, whose bytes are in `object` then; `None` at the end of the file.
    pub(super) fn next(
        &mut self,
        object: &mut Vec<u8>,
    ) -> Result<Option<FoundObject>, OtlpScanError> {
        object.clear();
        loop {
            if self.left.is_empty() {
                self.fill()?;
            }
            if self.left.is_empty() {
                if self.frames.is_empty() {
                    return Ok(None);
                }
                let within = if self.found.is_some() {
                    "a span"
                } else {
                    "a document"
                };
                return Err(self.error(format!(
                    "the file ends in the middle of {within}: it was truncated"
                )));
            }
            let chunk = std::mem::take(&mut self.chunk);
            let scanned = self.scan(&chunk[self.left.clone()], object);
            self.chunk = chunk;
            let (read, found) = scanned?;
            self.left.start += read;
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Reads more of the file.
    fn fill(&mut self) -> Result<(), OtlpScanError> {
        loop {
            match self.reader.read(&mut self.chunk) {
                Ok(read) => {
                    self.left = 0..read;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(format!("it cannot be read: {error}"))),
            }
        }
    }

    fn error(&self, message: impl Into<String>) -> OtlpScanError {
        OtlpScanError {
            line: self.line,
            message: message.into(),
        }
    }

    /// Reads a piece up to the end of an object. Returns how much of it was read.
    fn scan(
        &mut self,
        chunk: &[u8],
        object: &mut Vec<u8>,
    ) -> Result<(usize, Option<FoundObject>), OtlpScanError> {
        let (mut at, mut from) = (0, 0);
        let before = self.offset;
        while at < chunk.len() {
            if self.in_string {
                at = self.string(chunk, at);
                continue;
            }
            let byte = chunk[at];
            at += 1;
            self.offset = before + at as u64;
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                b'{' | b'[' => {
                    if self.open(byte) {
                        from = at - 1;
                    }
                    if self.frames.len() > DEEPEST {
                        return Err(self.error(format!(
                            "more than {DEEPEST} lists and objects in each other"
                        )));
                    }
                }
                b'}' | b']' => {
                    if let Some(found) = self.close(byte)? {
                        object.extend_from_slice(&chunk[from..at]);
                        return Ok((at, Some(found)));
                    }
                }
                _ if self.frames.is_empty() && !is_byte_order_mark(self.offset, byte) => {
                    return Err(self.error("it is not JSON"));
                }
                b'"' => {
                    self.in_string = true;
                    self.key.clear();
                }
                b',' | b':' => {
                    if let Some(Frame::Object { expects_key }) = self.frames.last_mut() {
                        *expects_key = byte == b',';
                    }
                }
                _ => {}
            }
        }
        self.offset = before + chunk.len() as u64;
        if self.found.is_some() {
            object.extend_from_slice(&chunk[from..]);
            if object.len() > LONGEST {
                return Err(self.error(format!("a span is longer than {} MiB", LONGEST >> 20)));
            }
        }
        Ok((chunk.len(), None))
    }

    /// Reads on in a string: returns where it goes on after what was read.
    fn string(&mut self, chunk: &[u8], at: usize) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return at + 1;
        }
        let end =
            memchr::memchr2(b'"', b'\\', &chunk[at..]).map_or(chunk.len(), |found| at + found);
        if let Some(Frame::Object { expects_key: true }) = self.frames.last()
            && self.key.len() <= LONGEST_NAME
        {
            let room = LONGEST_NAME + 1 - self.key.len();
            self.key.extend(chunk[at..end].iter().take(room));
        }
        match chunk.get(end) {
            Some(b'"') => self.in_string = false,
            Some(_) => self.is_escaped = true,
            None => return end,
        }
        end + 1
    }

    /// A list or an object begins. Whether it is an object that is looked for.
    fn open(&mut self, byte: u8) -> bool {
        let of_document = self.finds_documents && self.frames.is_empty();
        let kind = match self.frames.last() {
            Some(Frame::List(kind)) => *kind,
            _ => of_document.then_some(ObjectKind::Span),
        };
        let is_wanted = match kind {
            Some(kind) if byte == b'{' && self.found.is_none() => {
                let found = FoundObject {
                    kind,
                    offset: self.offset - 1,
                    line: 0,
                };
                self.found = Some((found, self.frames.len()));
                true
            }
            _ => false,
        };
        let is_value = matches!(
            self.frames.last(),
            Some(Frame::Object { expects_key: false })
        );
        self.frames.push(match byte {
            b'{' => Frame::Object { expects_key: true },
            _ if of_document => Frame::List(Some(ObjectKind::Span)),
            _ => Frame::List(
                ObjectKind::in_list(&self.key).filter(|_| is_value && self.found.is_none()),
            ),
        });
        is_wanted
    }

    /// A list or an object ends: the object that is being read, if it does.
    fn close(&mut self, byte: u8) -> Result<Option<FoundObject>, OtlpScanError> {
        match (byte, self.frames.pop()) {
            (b'}', Some(Frame::Object { .. })) | (b']', Some(Frame::List(_))) => {}
            _ => {
                return Err(self.error(format!(
                    "`{}` closes nothing: it is not JSON",
                    char::from(byte)
                )));
            }
        }
        let is_whole = self
            .found
            .is_some_and(|(_, around)| around == self.frames.len());
        let found = self.found.take_if(|_| is_whole).map(|(found, _)| found);
        Ok(found.map(|found| FoundObject {
            line: self.line,
            ..found
        }))
    }
}

/// Whether a byte belongs to the byte order mark that a file may begin with; `end` is the offset after it.
fn is_byte_order_mark(end: u64, byte: u8) -> bool {
    matches!((end, byte), (1, 0xef) | (2, 0xbb) | (3, 0xbf))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Bytes<'a>(&'a [u8]);

    impl Read for Bytes<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            (into[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    fn found(text: &str) -> Result<Vec<(ObjectKind, String, u64)>, String> {
        let whole = all(OtlpScanner::new(text.as_bytes()), text);
        assert_eq!(
            all(OtlpScanner::new(Bytes(text.as_bytes())), text),
            whole,
            "{text}"
        );
        whole
    }

    fn all<R: Read>(
        mut scanner: OtlpScanner<R>,
        text: &str,
    ) -> Result<Vec<(ObjectKind, String, u64)>, String> {
        let (mut all, mut object) = (Vec::new(), Vec::new());
        loop {
            match scanner.next(&mut object) {
                Ok(Some(found)) => {
                    let own = String::from_utf8(object.clone()).unwrap();
                    assert!(text[usize::try_from(found.offset).unwrap()..].starts_with(&own));
                    all.push((found.kind, own, found.line));
                }
                Ok(None) => return Ok(all),
                Err(error) => return Err(format!("line {}: {}", error.line, error.message)),
            }
        }
    }

    #[test]
    fn spans_and_logs_are_found_in_one_document_and_in_several() {
        let text = "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"a\":\"}]\\\"{\"}, {\"spans\":[{}]}]}]}]}\n\
                    {\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{}]}]}],\"spans\":3}\n";
        let expected = vec![
            (ObjectKind::Span, "{\"a\":\"}]\\\"{\"}".to_owned(), 1),
            (ObjectKind::Span, "{\"spans\":[{}]}".to_owned(), 1),
            (ObjectKind::LogRecord, "{}".to_owned(), 2),
        ];
        assert_eq!(found(text), Ok(expected));
        assert_eq!(found(""), Ok(Vec::new()));
        assert_eq!(
            found("\u{feff}{\"spans\":[{}]}").map(|found| found.len()),
            Ok(1)
        );
    }

    #[test]
    fn documents_are_found_alone_and_in_lists() {
        let text = "{\"a\":[{\"spans\":[{}]}]}\n[{\"b\":1}, [{}], {}]";
        let mut scanner = OtlpScanner::of_documents(text.as_bytes());
        let (mut all, mut object) = (Vec::new(), Vec::new());
        while let Some(found) = scanner.next(&mut object).unwrap() {
            all.push((String::from_utf8(object.clone()).unwrap(), found.line));
        }
        let expected = [
            ("{\"a\":[{\"spans\":[{}]}]}", 1),
            ("{\"b\":1}", 2),
            ("{}", 2),
        ];
        assert_eq!(all, expected.map(|(text, line)| (text.to_owned(), line)));
    }

    #[test]
    fn what_is_no_json_is_an_error_with_its_line() {
        for (text, expected) in [
            (
                "{\"spans\":[{\"a\":1",
                "line 1: the file ends in the middle of a span: it was truncated",
            ),
            (
                "{\"spans\":[\n{}",
                "line 2: the file ends in the middle of a document: it was truncated",
            ),
            ("\nhello", "line 2: it is not JSON"),
            ("{]", "line 1: `]` closes nothing: it is not JSON"),
            ("}", "line 1: `}` closes nothing: it is not JSON"),
        ] {
            assert_eq!(found(text), Err(expected.to_owned()), "{text}");
        }
        let deep = "[".repeat(300);
        assert_eq!(
            found(&deep),
            Err("line 1: more than 256 lists and objects in each other".to_owned())
        );
    }
}
