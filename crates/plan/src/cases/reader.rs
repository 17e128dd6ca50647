//! The cases of a JSONL file, one after the other: bytes in, the text of each case with its place out.
//!
//! A case is an object on a line of its own, or on several; blank lines and lines that begin with `//` are between cases.
//! **Invariant:** no more than one case is in memory, and the costs are linear in the file, whatever is wrong with it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::scanner::{ObjectProgress, ObjectScanner};
use crate::project::is_own_output;
use ananke_base::context::{Files, OpenFile};
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span};
use ananke_base::source::{MAX_BYTES, reason, remedy};

/// The mark that some editors begin a file with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number of characters of an unreadable text that are shown.
const SHOWN: usize = 200;

/// Some lines of a file: where they are, and a hash to notice that they changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The offset at which they begin, in bytes.
    offset: u64,
    /// The number of bytes.
    length: u64,
    /// The first of them, counted from 1.
    line: u32,
    /// A hash of them.
    hash: u64,
}

/// The function that receives the text of each case and its place in the file, or its error.
type TakeCase<'t> = &'t mut dyn FnMut(Result<CaseText, Diagnostic>);

/// The text of a case.
#[derive(Clone, Debug)]
pub(crate) struct CaseText {
    /// Its lines.
    pub(crate) source: Arc<SourceFile>,
    /// The place in the file.
    pub(crate) part: FilePart,
}

/// A case file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaseFile<'a> {
    pub(crate) files: &'a Files,
    pub(crate) path: &'a Path,
    /// As shown in messages.
    pub(crate) name: &'a str,
}

impl CaseFile<'_> {
    /// Reads all cases, and hands on the text of each, or what is wrong with it.
    pub(crate) fn each(self, take: TakeCase<'_>) {
        let opened = self.files.open(self.path);
        let read = opened.and_then(|file| Lines::new(self, BufReader::new(file))?.each(take));
        if let Err(error) = read {
            take(Err(self.unreadable(&error)));
        }
    }

    /// Reads one case again; `None` if it is not what it was.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub(crate) fn again(self, part: FilePart) -> Result<Option<Arc<SourceFile>>, Diagnostic> {
        let mut bytes = Vec::new();
        let read = self.files.open(self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(part.offset))?;
            file.take(part.length).read_to_end(&mut bytes)
        });
        read.map_err(|error| self.unreadable(&error))?;
        let text = String::from_utf8(bytes)
            .ok()
            .filter(|text| hash(text.as_bytes()) == part.hash);
        Ok(text.map(|text| self.source(text, part.line)))
    }

    fn source(self, text: String, line: u32) -> Arc<SourceFile> {
        Arc::new(SourceFile::part(self.name, self.path, text, line))
    }

    fn decoded(self, text: Vec<u8>, part: FilePart) -> Result<CaseText, Diagnostic> {
        match String::from_utf8(text) {
            Ok(text) => Ok(CaseText {
                source: self.source(text, part.line),
                part,
            }),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let source = self.source(
                    String::from_utf8_lossy(error.as_bytes()).into_owned(),
                    part.line,
                );
                let message = "the case is not UTF-8: this byte is part of no character";
                let end = valid + char::REPLACEMENT_CHARACTER.len_utf8();
                let problem = Diagnostic::error(Code::BadEncoding, message);
                Err(problem
                    .at(&source, Span::new(valid, end), "")
                    .help("save the file as UTF-8"))
            }
        }
    }

    fn too_large(self, text: &[u8], line: u32) -> Diagnostic {
        let message = format!("the case is larger than {} MiB", MAX_BYTES >> 20);
        let problem =
            self.at_beginning(Diagnostic::error(Code::LimitExceeded, message), text, line);
        problem.help(
            "name files with `file://` instead of writing their content; close every `{` and `[`",
        )
    }

    fn one_array(self, line: &[u8], number: u32) -> Diagnostic {
        let message = "the file is one JSON array, and a case file has one object per line";
        let problem = self.at_beginning(Diagnostic::error(Code::Syntax, message), line, number);
        problem.help(format!(
            "write its entries as lines: `jq -c '.[]' {}`",
            self.name
        ))
    }

    fn own_output(self, line: &[u8], number: u32) -> Diagnostic {
        let message = "the file is a report or a recording, and no case file: ananke wrote it";
        let problem = self.at_beginning(Diagnostic::error(Code::BadValue, message), line, number);
        problem.help("name the case file itself")
    }

    /// Puts a problem at the first character of a text.
    fn at_beginning(self, problem: Diagnostic, text: &[u8], line: u32) -> Diagnostic {
        let shown = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]);
        let begin = shown.len() - shown.trim_start().len();
        problem.at(
            &self.source(shown.into_owned(), line),
            Span::new(begin, begin + 1),
            "",
        )
    }

    fn unreadable(self, error: &io::Error) -> Diagnostic {
        Diagnostic::error(
            Code::Unreadable,
            format!("`{}` cannot be read: {}", self.name, reason(error)),
        )
        .help(remedy(error))
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The lines of a file.
struct Lines<'a> {
    file: CaseFile<'a>,
    reader: BufReader<OpenFile>,
    /// The offset of the next line, in bytes.
    offset: u64,
    /// The number of the next line, counted from 1.
    number: u32,
    /// The next line, if it was looked at.
    next: Option<Vec<u8>>,
}

impl<'a> Lines<'a> {
    fn new(file: CaseFile<'a>, mut reader: BufReader<OpenFile>) -> io::Result<Self> {
        let is_marked = reader.fill_buf()?.starts_with(BYTE_ORDER_MARK);
        let mark = if is_marked { BYTE_ORDER_MARK.len() } else { 0 };
        reader.consume(mark);
        Ok(Self {
            file,
            reader,
            offset: mark as u64,
            number: 1,
            next: None,
        })
    }

    fn each(&mut self, take: TakeCase<'_>) -> io::Result<()> {
        let mut is_first = true;
        let file = self.file;
        loop {
            let (offset, number) = (self.offset, self.number);
            let Some(line) = self.peek()? else {
                return Ok(());
            };
            if is_skipped(line) {
                self.advance();
                continue;
            }
            if is_first && is_own_output(line) {
                take(Err(file.own_output(line, number)));
                return Ok(());
            }
            if is_first && line.trim_ascii_start().starts_with(b"[") {
                take(Err(file.one_array(line, number)));
                return Ok(());
            }
            is_first = false;
            let mut text = Vec::new();
            let is_whole = self.read_case(&mut text)?;
            let part = FilePart {
                offset,
                length: text.len() as u64,
                line: number,
                hash: hash(&text),
            };
            take(if is_whole {
                file.decoded(text, part)
            } else {
                Err(file.too_large(&text, number))
            });
        }
    }

    /// Reads the lines of a case that begins in the next line; whether it is not too large.
    fn read_case(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        let mut scanner = ObjectScanner::default();
        while let Some(line) = self.peek()? {
            if scanner.is_interrupted_by(line) {
                break;
            }
            let progress = if is_comment(line) {
                ObjectProgress::Open
            } else {
                scanner.read(line)
            };
            text.extend_from_slice(line);
            let is_cut = !line.ends_with(b"\n");
            self.advance();
            if text.len() > MAX_BYTES {
                if is_cut {
                    self.skip_line()?;
                }
                return Ok(false);
            }
            if progress == ObjectProgress::Ended {
                break;
            }
        }
        Ok(true)
    }

    /// The next line, as much of it as is allowed; `None` at the end of the file.
    fn peek(&mut self) -> io::Result<Option<&[u8]>> {
        if self.next.is_none() {
            let mut line = Vec::new();
            let most = MAX_BYTES as u64 + 1;
            (&mut self.reader).take(most).read_until(b'\n', &mut line)?;
            self.next = Some(line);
        }
        Ok(self.next.as_deref().filter(|line| !line.is_empty()))
    }

    fn advance(&mut self) {
        let line = self.next.take().unwrap_or_default();
        self.offset += line.len() as u64;
        self.number = self.number.saturating_add(u32::from(line.ends_with(b"\n")));
    }

    /// Skips the rest of a line that is too large.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let end = memchr::memchr(b'\n', buffer);
            let length = end.map_or(buffer.len(), |end| end + 1);
            self.reader.consume(length);
            self.offset += length as u64;
            if end.is_some() || length == 0 {
                self.number = self.number.saturating_add(1);
                return Ok(());
            }
        }
    }
}

/// Whether a line is between cases.
fn is_skipped(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || is_comment(line)
}

fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"//")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a file: the line and text of each case, or the place and message of a problem.
    fn read(text: &[u8]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, text).expect("the file can be written");
        let files = Files::default();
        let file = CaseFile {
            files: &files,
            path: &path,
            name: "a.jsonl",
        };
        let mut seen = Vec::new();
        file.each(&mut |read| {
            seen.push(match read {
                Ok(CaseText { source, part }) => {
                    let again = file
                        .again(part)
                        .expect("the file can be read")
                        .expect("it is what it was");
                    assert_eq!(*again, *source);
                    format!(
                        "{} {}",
                        source.first_line,
                        source.text.trim_end().escape_debug()
                    )
                }
                Err(problem) => problem.to_string(),
            });
        });
        seen
    }

    #[test]
    fn a_case_is_an_object_on_one_line_or_several() {
        let text = b"\xef\xbb\xbf{\"id\":1}\r\n\r\n  // a comment\n{\"id\":\n// inside\n2,\n\"a\":[{}]}\n \n{\"id\":3}";
        assert_eq!(
            read(text),
            [
                "1 {\\\"id\\\":1}",
                "4 {\\\"id\\\":\\n// inside\\n2,\\n\\\"a\\\":[{}]}",
                "9 {\\\"id\\\":3}",
            ]
        );
        assert_eq!(read(b""), [""; 0]);
    }

    #[test]
    fn a_case_that_is_not_closed_ends_before_the_next() {
        assert_eq!(
            read(b"{\"id\":1\n{\"id\":2}\n{\"a\n{\"id\":3}\n"),
            [
                "1 {\\\"id\\\":1",
                "2 {\\\"id\\\":2}",
                "3 {\\\"a",
                "4 {\\\"id\\\":3}",
            ]
        );
    }

    #[test]
    fn what_is_too_large_is_reported_with_its_line_and_the_rest_is_read() {
        let line = |bytes: usize| format!("{{\"id\":\"{}\"}}\n", "x".repeat(bytes));
        let text = [line(2), line(10 << 20), line(3)].concat();
        assert_eq!(
            read(text.as_bytes()),
            [
                "1 {\\\"id\\\":\\\"xx\\\"}",
                "a.jsonl:2:1: error[limit-exceeded]: the case is larger than 8 MiB",
                "3 {\\\"id\\\":\\\"xxx\\\"}",
            ]
        );
    }

    #[test]
    fn bad_bytes_and_arrays_are_reported_where_they_are() {
        assert_eq!(
            read(b"{\"id\":\"\xff\"}\n{}\n"),
            [
                "a.jsonl:1:8: error[bad-encoding]: the case is not UTF-8: this byte is part of no character",
                "2 {}",
            ]
        );
        assert_eq!(
            read(b"// cases\n\n [\n{\"id\":1},\n"),
            [
                "a.jsonl:3:2: error[syntax]: the file is one JSON array, and a case file has one object per line",
            ]
        );
    }

    #[test]
    fn a_case_that_changed_is_not_what_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{\"id\":1}\n{\"id\":2}\n").expect("the file can be written");
        let files = Files::default();
        let file = CaseFile {
            files: &files,
            path: &path,
            name: "a.jsonl",
        };
        let mut parts = Vec::new();
        file.each(&mut |read| parts.push(read.expect("a case").part));
        std::fs::write(&path, "{\"id\":3}\n{\"id\":2}\n").expect("the file can be written");
        assert!(file.again(parts[0]).expect("a file").is_none());
        assert!(file.again(parts[1]).expect("a file").is_some());
        std::fs::remove_file(&path).expect("the file can be removed");
        assert!(file.again(parts[1]).is_err());
    }
}
