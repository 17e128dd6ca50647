//! Lines that a person types, with editing and history, or that come through standard input.
//!
//! A line is read by a thread of its own, since nothing can cancel that: the thread goes on reading if nothing waits for the line
//! any more, and what comes then is the next line.

use std::io::{self, BufRead as _, Read as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use ananke::process::TerminalMode;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The prompt before the line that is typed.
const PROMPT: &str = "you:    ";

/// The longest line of standard input, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// The source of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineSource {
    /// A person types them at the terminal.
    Terminal,
    /// Standard input, which is not a terminal.
    Stdin,
}

/// The words for a line that is not UTF-8.
pub(crate) const NOT_UTF_8: &str = "\nwhat was typed is not UTF-8: type the line again\n";

/// The result of reading a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// The line without its end.
    Text(String),
    /// The input has ended.
    End,
    /// Ctrl-C, which the terminal does not make a signal of while a line is read; or the terminal is gone.
    Interrupt,
    /// Bytes that are not UTF-8, which are forgotten: the line can be typed again.
    Unreadable,
    /// The line cannot be used, and none follows: why.
    Unusable(&'static str),
}

/// The lines that are read, one after the other.
pub(crate) struct LineReading {
    source: LineSource,
    /// Asks the thread for a line; `None` before the first.
    thread: Option<(Sender<()>, UnboundedReceiver<LineRead>)>,
    /// Whether the thread is still at an earlier line.
    is_pending: bool,
    has_ended: bool,
}

impl LineReading {
    pub(crate) fn of(source: LineSource) -> Self {
        Self {
            source,
            thread: None,
            is_pending: false,
            has_ended: false,
        }
    }

    /// Whether no line follows.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next line. It is not lost if nothing waits for it any more.
    pub(crate) async fn next(&mut self) -> LineRead {
        if self.has_ended {
            return LineRead::End;
        }
        let line = match self.request() {
            Some(lines) => lines.recv().await.unwrap_or(LineRead::Interrupt),
            None => LineRead::End,
        };
        self.is_pending = false;
        self.has_ended = matches!(line, LineRead::End | LineRead::Unusable(_));
        line
    }

    /// Has the thread read a line, unless it is at it already; `None` if there can be none.
    fn request(&mut self) -> Option<&mut UnboundedReceiver<LineRead>> {
        if self.thread.is_none() {
            let (requests, requested) = channel();
            let (typed, lines) = unbounded_channel();
            let read_lines = match self.source {
                LineSource::Terminal => read_terminal,
                LineSource::Stdin => read_stdin,
            };
            let named = thread::Builder::new().name("terminal".to_owned());
            named.spawn(move || read_lines(&requested, &typed)).ok()?;
            self.thread = Some((requests, lines));
        }
        let (requests, lines) = self.thread.as_mut()?;
        if !std::mem::replace(&mut self.is_pending, true) {
            requests.send(()).ok()?;
        }
        Some(lines)
    }
}

/// Reads a typed line for each request, until nothing more can be read.
fn read_terminal(requested: &Receiver<()>, typed: &UnboundedSender<LineRead>) {
    // If the program ends while a line is read, nothing is left that a terminal would have to forget.
    let config = Config::builder()
        .auto_add_history(true)
        .bracketed_paste(false)
        .build();
    let Ok(mut editor) = DefaultEditor::with_config(config) else {
        return;
    };
    while requested.recv().is_ok() {
        let line = match editor.readline(PROMPT) {
            Ok(text) => LineRead::Text(text),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                LineRead::Unreadable
            }
            Err(ReadlineError::Eof) if TerminalMode::is_known() => LineRead::End,
            Err(_) => LineRead::Interrupt,
        };
        if typed.send(line).is_err() {
            return;
        }
    }
}

/// Reads a line of standard input for each request.
fn read_stdin(requested: &Receiver<()>, typed: &UnboundedSender<LineRead>) {
    let mut stdin = io::stdin().lock();
    while requested.recv().is_ok() {
        if typed.send(line_of(&mut stdin)).is_err() {
            return;
        }
    }
}

/// The next line of `input`.
fn line_of(input: &mut impl io::BufRead) -> LineRead {
    let mut line = Vec::new();
    match input.take(LONGEST_LINE + 1).read_until(b'\n', &mut line) {
        Err(_) => return LineRead::Unusable("cannot be read"),
        Ok(0) => return LineRead::End,
        Ok(_) if line.len() as u64 > LONGEST_LINE => {
            return LineRead::Unusable("is larger than 1 MiB");
        }
        Ok(_) => {}
    }
    if line.ends_with(b"\n") {
        line.pop();
    }
    if line.ends_with(b"\r") {
        line.pop();
    }
    String::from_utf8(line).map_or(LineRead::Unusable("is not UTF-8"), LineRead::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<LineRead> {
        let mut lines = Vec::new();
        loop {
            lines.push(line_of(&mut input));
            if !matches!(lines.last(), Some(LineRead::Text(_))) {
                return lines;
            }
        }
    }

    #[test]
    fn lines_come_without_their_ends_and_are_bounded() {
        let text = |text: &str| LineRead::Text(text.to_owned());
        assert_eq!(
            lines(b"a\r\n\nlast"),
            [text("a"), text(""), text("last"), LineRead::End]
        );
        assert_eq!(
            lines(b"a\n\xff\n"),
            [text("a"), LineRead::Unusable("is not UTF-8")]
        );
        let long = vec![b'x'; usize::try_from(LONGEST_LINE).unwrap() + 1];
        assert_eq!(lines(&long), [LineRead::Unusable("is larger than 1 MiB")]);
        assert_eq!(lines(&long[1..]).len(), 2, "the longest line is one");
    }
}
