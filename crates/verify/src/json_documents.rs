//! The JSON documents of a file, one after the other: where each begins and ends. The reader of JSON says whether it is one.
//!
//! **Invariant:** the costs are linear in the file, and nothing of it is kept.

use std::io::{self, BufRead};

/// The place of a document in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DocumentPlace {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// The line on which it begins, counted from 1.
    pub(crate) line: usize,
}

/// The documents of a file.
pub(crate) struct JsonDocuments<R> {
    file: R,
    offset: u64,
    line: usize,
}

/// A document as far as it was scanned.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether it is neither a list nor an object: it ends with its line.
    is_other: bool,
}

impl<R: BufRead> JsonDocuments<R> {
    pub(crate) fn new(file: R) -> Self {
        Self {
            file,
            offset: 0,
            line: 1,
        }
    }

    /// The next document; `None` at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<DocumentPlace>> {
        let mut place: Option<DocumentPlace> = None;
        let mut scan = Scan::default();
        loop {
            let bytes = self.file.fill_buf()?;
            if bytes.is_empty() {
                return Ok(place.map(|place| DocumentPlace {
                    length: self.offset - place.offset,
                    ..place
                }));
            }
            let (mut read, mut is_whole) = (0, false);
            for byte in bytes {
                let is_blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
                    // A byte order mark.
                    || self.offset + read < 3 && matches!(byte, 0xef | 0xbb | 0xbf);
                read += 1;
                if place.is_none() && !is_blank {
                    let offset = self.offset + read - 1;
                    place = Some(DocumentPlace {
                        offset,
                        length: 0,
                        line: self.line,
                    });
                }
                self.line += usize::from(*byte == b'\n');
                if place.is_some() && scan.ends(*byte) {
                    is_whole = true;
                    break;
                }
            }
            self.offset += read;
            self.file
                .consume(usize::try_from(read).unwrap_or(usize::MAX));
            if let Some(place) = place.filter(|_| is_whole) {
                return Ok(Some(DocumentPlace {
                    length: self.offset - place.offset,
                    ..place
                }));
            }
        }
    }
}

impl Scan {
    /// Takes a byte; `true` if the document ends with it.
    fn ends(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' if self.depth > 0 => self.in_string = true,
            b'{' | b'[' if !self.is_other => self.depth += 1,
            b'}' | b']' if !self.is_other => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            b'\n' => return self.is_other,
            _ => self.is_other |= self.depth == 0,
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_follow_each_other_on_lines_or_not() {
        let text = "\u{feff}{\"a\":\"}\\\"\"}[1]\n[2,\n{}] x y\n{\"b";
        let mut documents = JsonDocuments::new(io::BufReader::with_capacity(3, text.as_bytes()));
        let mut found = Vec::new();
        while let Some(place) = documents.next().unwrap() {
            let start = usize::try_from(place.offset).unwrap();
            let end = start + usize::try_from(place.length).unwrap();
            found.push((&text[start..end], place.line));
        }
        let expected = [
            ("{\"a\":\"}\\\"\"}", 1),
            ("[1]", 1),
            ("[2,\n{}]", 2),
            ("x y\n", 3),
            ("{\"b", 4),
        ];
        assert_eq!(found, expected);
    }
}
