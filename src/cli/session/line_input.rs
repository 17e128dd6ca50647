//! Standard input, line by line, read by a thread of its own.
//!
//! **Invariant:** no more is in memory than a few lines, none of them longer than [`LONGEST_LINE`].

use std::io::{self, BufRead, BufReader};
use std::thread;

use tokio::sync::mpsc::{Receiver, channel};

/// The longest line, in bytes.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// The number of bytes that are read at once.
const READ_AT_ONCE: usize = 64 << 10;

/// The number of lines that may wait.
const WAITING: usize = 4;

/// A line, or what is there instead of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InputLine {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long: it was passed over.
    TooLong,
}

/// The lines of standard input; they end with it.
///
/// # Errors
/// If the system has no further threads.
pub(super) fn lines(input: impl io::Read + Send + 'static) -> io::Result<Receiver<InputLine>> {
    let (sender, receiver) = channel(WAITING);
    let mut input = BufReader::with_capacity(READ_AT_ONCE, input);
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            while let Ok(Some(line)) = next_line(&mut input, LONGEST_LINE) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        })?;
    Ok(receiver)
}

/// The next line of `input`; `None` at its end.
fn next_line(input: &mut impl BufRead, longest: usize) -> io::Result<Option<InputLine>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            // What is not ended is no line: its writer went away in the middle of it.
            return Ok(None);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (part, used) = match end {
            Some(end) => (&buffer[..end], end + 1),
            None => (buffer, buffer.len()),
        };
        is_too_long |= line.len() + part.len() > longest;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        input.consume(used);
        if end.is_some() {
            let whole = InputLine::Whole(line);
            return Ok(Some(if is_too_long {
                InputLine::TooLong
            } else {
                whole
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let mut input = BufReader::with_capacity(3, &b"abcd\nabcdef\n\nxy\nunended"[..]);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, 4).expect("no error") {
            lines.push(line);
        }
        let whole = |text: &str| InputLine::Whole(text.as_bytes().to_vec());
        assert_eq!(
            lines,
            [whole("abcd"), InputLine::TooLong, whole(""), whole("xy")]
        );
    }
}
