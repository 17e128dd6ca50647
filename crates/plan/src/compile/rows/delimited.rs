//! Rows of a CSV file: its first record names the columns, every other is a row whose values are texts.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use csv::{ByteRecord, Position, Reader, ReaderBuilder};
use serde_json::{Map, Value};

use super::data_file::{DataFile, unreadable};
use super::row::{Row, check_name, row_problem};
use ananke_base::context::{Files, OpenFile};
use ananke_base::diagnostic::Diagnostic;
use ananke_base::source::MAX_BYTES;

/// Reads every record, and hands on what is in it for as long as more is wanted.
pub(super) fn each(file: &DataFile, take: &mut dyn FnMut(Result<Row, Diagnostic>) -> bool) {
    let (mut reader, names) = match begin(file) {
        Ok(begun) => begun,
        Err(error) => {
            take(Err(error));
            return;
        }
    };
    let mut record = ByteRecord::new();
    let mut last = 1;
    loop {
        reader.get_mut().unread = 0;
        let row = match reader.read_byte_record(&mut record) {
            Ok(false) => {
                if reader.get_ref().is_odd {
                    let message = format!(
                        "{}:{last}: a `\"` in this row or before it has no partner",
                        file.name
                    );
                    take(Err(row_problem(
                        message,
                        "a quote that is part of a value is written twice: `\"5\"\" wide\"`",
                    )));
                }
                return;
            }
            Ok(true) => {
                last = line_of(&reader, &record);
                row(file, &names, &record, last)
            }
            Err(error) => {
                take(Err(broken(file, last + 1, error)));
                return;
            }
        };
        if !take(row) {
            return;
        }
    }
}

/// The line on which a row of CSV begins, and its columns.
pub type NumberedRow = (u64, Map<String, Value>);

/// All rows of a CSV file whose rows are not those of a test.
///
/// # Errors
/// The first that cannot be read.
pub fn read_csv(files: &Files, path: &Path, name: &str) -> Result<Vec<NumberedRow>, Diagnostic> {
    let file = DataFile {
        files: files.clone(),
        path: path.to_owned(),
        name: name.to_owned(),
    };
    let mut rows = Ok(Vec::new());
    each(&file, &mut |row| {
        match (row, &mut rows) {
            (Ok(row), Ok(rows)) => rows.push((row.line, row.columns)),
            (Err(problem), _) => rows = Err(problem),
            (Ok(_), Err(_)) => {}
        }
        rows.is_ok()
    });
    rows
}

/// Reads the row that begins at `offset`.
pub(super) fn at(file: &DataFile, offset: u64) -> Result<Row, Diagnostic> {
    let (mut reader, names) = begin(file)?;
    let mut place = Position::new();
    place.set_byte(offset);
    let mut record = ByteRecord::new();
    let read = reader
        .seek(place)
        .and_then(|()| reader.read_byte_record(&mut record));
    match read {
        Ok(true) => row(file, &names, &record, 0),
        Ok(false) => Err(row_problem(format!("{}: the row is gone", file.name), "")),
        Err(error) => Err(broken(file, 0, error)),
    }
}

/// Opens a file and reads the names of its columns.
fn begin(file: &DataFile) -> Result<(Reader<Quotes>, Vec<String>), Diagnostic> {
    let opened = file.open().map_err(|error| unreadable(file, &error))?;
    // How many fields a record has is for us to judge: we say it in words.
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(Quotes {
        file: BufReader::new(opened),
        is_odd: false,
        has_returns: None,
        last: 0,
        unread: 0,
    });
    let heading = reader
        .byte_headers()
        .map_err(|error| broken(file, 1, error))?
        .clone();
    let mut names: Vec<String> = Vec::new();
    for field in &heading {
        let name = text(file, 1, field)?.trim().to_owned();
        check_name(&name, &format!("{}:1: ", file.name))?;
        if names.contains(&name) {
            return Err(row_problem(
                format!("{}:1: the column `{name}` is duplicated", file.name),
                "",
            ));
        }
        names.push(name);
    }
    Ok((reader, names))
}

/// The line on which a record begins: where it was looked for, and the ends of lines before it, which are skipped.
fn line_of(reader: &Reader<Quotes>, record: &ByteRecord) -> u64 {
    let start = record.position().map_or(1, Position::line);
    let inside = memchr::memchr_iter(b'\n', record.as_slice()).count() as u64;
    // A record that ends with a carriage return leaves the line feed to the next.
    let end = u64::from(reader.get_ref().has_returns == Some(false));
    start + (reader.position().line() - start).saturating_sub(inside + end)
}

fn row(
    file: &DataFile,
    names: &[String],
    record: &ByteRecord,
    line: u64,
) -> Result<Row, Diagnostic> {
    let offset = record.position().map_or(0, Position::byte);
    if record.as_slice().len() > MAX_BYTES {
        return Err(too_large(file, line));
    }
    if record.len() != names.len() {
        let columns = |count: usize| {
            if count == 1 {
                "1 column".to_owned()
            } else {
                format!("{count} columns")
            }
        };
        let message = format!(
            "{}:{line}: the row has {}, the first line of the file names {}",
            file.name,
            columns(record.len()),
            columns(names.len())
        );
        let help = match names.get(record.len()) {
            Some(missing) => {
                format!(
                    "`{missing}` is missing; a column without a value is written as an empty one: `a,,c`"
                )
            }
            None => "put a value that holds a comma between quotes: `\"a, b\"`".to_owned(),
        };
        return Err(row_problem(message, &help));
    }
    let mut columns = Map::new();
    for (name, field) in names.iter().zip(record) {
        columns.insert(name.clone(), Value::String(text(file, line, field)?));
    }
    Ok(Row {
        columns,
        used: Vec::new(),
        offset,
        is_line: false,
        line,
        file: file.name.clone(),
    })
}

/// A file whose quotes are counted: one without its partner swallows the rest of the file as one value.
struct Quotes {
    file: BufReader<OpenFile>,
    is_odd: bool,
    /// Whether its lines end with a carriage return and a line feed, once one has ended.
    has_returns: Option<bool>,
    last: u8,
    /// The number of bytes that were read since the last record.
    unread: usize,
}

impl Read for Quotes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Before it is in memory: a quote that nothing closes makes one row of the rest of the file.
        if self.unread > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let length = self.file.read(buffer)?;
        self.unread += length;
        let read = &buffer[..length];
        if self.has_returns.is_none()
            && let Some(end) = memchr::memchr(b'\n', read)
        {
            let before = end.checked_sub(1).map_or(self.last, |before| read[before]);
            self.has_returns = Some(before == b'\r');
        }
        self.last = read.last().copied().unwrap_or(self.last);
        self.is_odd ^= memchr::memchr_iter(b'"', &buffer[..length]).count() % 2 == 1;
        Ok(length)
    }
}

impl Seek for Quotes {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.file.seek(place)
    }
}

fn text(file: &DataFile, line: u64, field: &[u8]) -> Result<String, Diagnostic> {
    let no_text = |_| {
        row_problem(
            format!("{}:{line}: the row is not UTF-8", file.name),
            "save the file as UTF-8",
        )
    };
    std::str::from_utf8(field)
        .map(str::to_owned)
        .map_err(no_text)
}

/// The row that begins on `line`, or after it.
fn too_large(file: &DataFile, line: u64) -> Diagnostic {
    let message = format!(
        "{}:{line}: the row is larger than {} MiB",
        file.name,
        MAX_BYTES >> 20
    );
    row_problem(message, "does a quote open in it that nothing closes?")
}

fn broken(file: &DataFile, line: u64, error: csv::Error) -> Diagnostic {
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            too_large(file, line)
        }
        csv::ErrorKind::Io(error) => unreadable(file, &error),
        other => row_problem(format!("`{}` is no CSV: {other:?}", file.name), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = DataFile {
            files: Files::default(),
            path: folder.path().join("a.csv"),
            name: "a.csv".to_owned(),
        };
        std::fs::write(&file.path, text).expect("the file can be written");
        let mut seen = Vec::new();
        each(&file, &mut |row| {
            seen.push(match row {
                Ok(row) => {
                    assert_eq!(
                        at(&file, row.offset).expect("it is there again").columns,
                        row.columns
                    );
                    format!("{} {}", row.place(), Value::Object(row.columns))
                }
                Err(error) => error.message,
            });
            true
        });
        seen
    }

    #[test]
    fn marks_quotes_and_line_breaks_are_read_as_spreadsheets_write_them() {
        let rows = read(b"\xef\xbb\xbfid,say\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n\r\n2,\r\n");
        assert_eq!(
            rows,
            [
                r#"a.csv:2 {"id":"1","say":"a, \"b\"\r\nc"}"#,
                r#"a.csv:5 {"id":"2","say":""}"#
            ]
        );
    }

    #[test]
    fn what_is_no_row_is_told_with_its_line() {
        let rows = read(b"id,say\n1\n2,a,b\n3,\xff\n4,\"open\n5,x\n");
        assert_eq!(
            rows,
            [
                "a.csv:2: the row has 1 column, the first line of the file names 2 columns",
                "a.csv:3: the row has 3 columns, the first line of the file names 2 columns",
                "a.csv:4: the row is not UTF-8",
                "a.csv:5 {\"id\":\"4\",\"say\":\"open\\n5,x\\n\"}",
                "a.csv:5: a `\"` in this row or before it has no partner",
            ]
        );
        assert_eq!(
            read(b"id,a b\n"),
            ["a.csv:1: the column `a b` is not a valid variable name"]
        );
        assert_eq!(read(b"id,id\n"), ["a.csv:1: the column `id` is duplicated"]);
    }
}
