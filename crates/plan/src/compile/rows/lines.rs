//! Rows of a JSONL file: one object per line, without blank lines.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use serde_json::Value;

use super::data_file::{DataFile, unreadable};
use super::row::{Row, check_name, row_problem};
use ananke_base::diagnostic::Diagnostic;
use ananke_base::source::MAX_BYTES;

/// The mark that some editors begin a file with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads every line, and hands on what is in it for as long as more is wanted.
pub(super) fn each(file: &DataFile, take: &mut dyn FnMut(Result<Row, Diagnostic>) -> bool) {
    let mut reader = match file.open() {
        Ok(opened) => BufReader::new(opened),
        Err(error) => {
            take(Err(unreadable(file, &error)));
            return;
        }
    };
    let (mut offset, mut number) = (0, 0);
    let mut line = Vec::new();
    loop {
        number += 1;
        match read_line(&mut reader, &mut line) {
            Ok(0) => return,
            Ok(length) => {
                let wanted = row(file, &line, offset, Some(number)).is_none_or(&mut *take);
                offset += length;
                if !wanted || line.len() > MAX_BYTES {
                    return;
                }
            }
            Err(error) => {
                take(Err(unreadable(file, &error)));
                return;
            }
        }
    }
}

/// Reads the row that begins at `offset`.
pub(super) fn at(file: &DataFile, offset: u64) -> Result<Row, Diagnostic> {
    let mut line = Vec::new();
    let read = file.open().and_then(|mut opened| {
        opened.seek(SeekFrom::Start(offset))?;
        read_line(&mut BufReader::new(opened), &mut line)
    });
    read.map_err(|error| unreadable(file, &error))?;
    let gone = || Err(row_problem(format!("{}: the row is gone", file.name), ""));
    row(file, &line, offset, None).unwrap_or_else(gone)
}

/// One line, of which no more is read than is allowed; its length with its end.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<u64> {
    line.clear();
    let most = u64::try_from(MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let length = reader.take(most).read_until(b'\n', line)?;
    Ok(length as u64)
}

/// The row in a line; `None` if the line is empty. Its number is known when the whole file is read.
fn row(
    file: &DataFile,
    line: &[u8],
    offset: u64,
    number: Option<u64>,
) -> Option<Result<Row, Diagnostic>> {
    let place = number.map_or_else(
        || file.name.clone(),
        |number| format!("{}:{number}", file.name),
    );
    if line.len() > MAX_BYTES {
        let message = format!("{place}: the line is larger than {} MiB", MAX_BYTES >> 20);
        return Some(Err(row_problem(message, "")));
    }
    let line = if offset == 0 {
        line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
    } else {
        line
    };
    if line.trim_ascii().is_empty() {
        return None;
    }
    let columns = match serde_json::from_slice(line) {
        Ok(Value::Object(columns)) if !columns.is_empty() => columns,
        Ok(_) => {
            let message = format!("{place}: a line is one JSON object with at least one column");
            return Some(Err(row_problem(
                message,
                "write it like `{\"id\": \"berlin\", \"city\": \"Berlin\"}`",
            )));
        }
        Err(error) => {
            return Some(Err(row_problem(
                format!("{place}: no JSON: {}", words(&error)),
                "",
            )));
        }
    };
    for name in columns.keys() {
        if let Err(problem) = check_name(name, &format!("{place}: ")) {
            return Some(Err(problem));
        }
    }
    Some(Ok(Row {
        columns,
        used: Vec::new(),
        offset,
        is_line: true,
        line: number.unwrap_or_default(),
        file: file.name.clone(),
    }))
}

/// The message of the parser, without a line that is always 1.
fn words(error: &serde_json::Error) -> String {
    error
        .to_string()
        .replace(" at line 1 column ", " at column ")
}
