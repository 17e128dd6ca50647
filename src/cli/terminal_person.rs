//! The person at the terminal: reads lines with editing and history, one question after the other.
//!
//! A line is read by a thread of its own, since nothing can cancel that: if a person is late, the thread goes on reading,
//! and what comes then answers the next question. **Invariant:** whatever ends the program leaves the terminal as it was.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use ananke::process::TerminalMode;
use ananke::run::{Person, PersonAnswer, PersonQuestion, Reason, Stopper};
use ananke::text::escape;
use futures_util::future::BoxFuture;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout_at};

use super::outputs::Outputs;

/// What stands before the line that is typed.
const PROMPT: &str = "you:    ";

/// A person at the terminal.
pub(super) struct TerminalPerson {
    outputs: Outputs,
    stopper: Stopper,
    /// How the terminal was before.
    mode: Arc<TerminalMode>,
    reading: tokio::sync::Mutex<LineReading>,
}

/// The lines that are read.
struct LineReading {
    /// Asks the thread for a line; `None` before the first question.
    thread: Option<(Sender<()>, UnboundedReceiver<LineRead>)>,
    /// Whether the thread is still at an earlier question.
    is_pending: bool,
    has_ended: bool,
}

/// What came of a line.
enum LineRead {
    Text(String),
    /// The input has ended.
    End,
    /// Ctrl-C, which the terminal does not make a signal of while a line is read.
    Interrupt,
    /// The terminal is gone.
    HungUp,
}

impl TerminalPerson {
    /// The person whom every test asks.
    pub(super) fn shared(outputs: &Outputs, stopper: &Stopper, mode: &Arc<TerminalMode>) -> Arc<dyn Person> {
        let reading = LineReading { thread: None, is_pending: false, has_ended: false };
        Arc::new(Self {
            outputs: outputs.clone(),
            stopper: stopper.clone(),
            mode: Arc::clone(mode),
            reading: tokio::sync::Mutex::new(reading),
        })
    }

    async fn answer(&self, question: PersonQuestion) -> PersonAnswer {
        let mut reading = self.reading.lock().await;
        if reading.has_ended {
            return PersonAnswer::Ended;
        }
        self.show(&question);
        let until = Instant::now() + question.timeout;
        loop {
            let Some(line) = reading.request() else { return PersonAnswer::Ended };
            let typed = tokio::select! {
                typed = timeout_at(until, line.recv()) => typed,
                () = self.stopper.interrupted() => return PersonAnswer::Stops,
            };
            let Ok(typed) = typed else {
                self.print("\n");
                return PersonAnswer::Late;
            };
            reading.is_pending = false;
            match typed {
                Some(LineRead::Text(text)) if text.trim().is_empty() => {}
                Some(LineRead::Text(text)) => return PersonAnswer::Said(text.trim().to_owned()),
                Some(LineRead::End) => {
                    reading.has_ended = true;
                    return PersonAnswer::Ended;
                }
                Some(LineRead::Interrupt | LineRead::HungUp) | None => {
                    self.stopper.stop(Reason::Interrupted);
                    return PersonAnswer::Stops;
                }
            }
        }
    }

    /// Shows what the agent asks.
    fn show(&self, question: &PersonQuestion) {
        let PersonQuestion { test, said, hint, .. } = question;
        let begins = if said.is_empty() { ": you begin the conversation" } else { "" };
        let mut text = format!("\n{}{begins}\n", escape::line(test));
        for (label, value) in [("agent:  ", Some(said)), ("wants:  ", hint.as_ref())] {
            let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
            let lines = escape::terminal(value).replace('\n', &format!("\n{:8}", ""));
            let _is_written = writeln!(text, "{label}{lines}");
        }
        self.print(&text);
    }

    fn print(&self, text: &str) {
        // What is printed about earlier tests comes first.
        let _lost = self.outputs.stdout.finish();
        let _lost = self.outputs.stderr.clone().write_all(text.as_bytes());
        let _lost = self.outputs.stderr.finish();
    }
}

impl LineReading {
    /// Has the thread read a line, unless it is at it already; `None` if there can be none.
    fn request(&mut self) -> Option<&mut UnboundedReceiver<LineRead>> {
        if self.thread.is_none() {
            let (requests, requested) = channel();
            let (typed, lines) = unbounded_channel();
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

/// Reads a line for each request, until nothing more can be read.
fn read_lines(requested: &Receiver<()>, typed: &UnboundedSender<LineRead>) {
    // If the program ends while a line is read, nothing is left that a terminal would have to forget.
    let config = Config::builder().auto_add_history(true).bracketed_paste(false).build();
    let Ok(mut editor) = DefaultEditor::with_config(config) else { return };
    while requested.recv().is_ok() {
        let line = match editor.readline(PROMPT) {
            Ok(text) => LineRead::Text(text),
            Err(ReadlineError::Eof) if TerminalMode::is_known() => LineRead::End,
            Err(ReadlineError::Interrupted) => LineRead::Interrupt,
            Err(_) => LineRead::HungUp,
        };
        if typed.send(line).is_err() {
            return;
        }
    }
}

impl Person for TerminalPerson {
    fn ask(&self, question: PersonQuestion) -> BoxFuture<'_, PersonAnswer> {
        Box::pin(self.answer(question))
    }
}

impl Drop for TerminalPerson {
    fn drop(&mut self) {
        self.mode.restore();
    }
}
