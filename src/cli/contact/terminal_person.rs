//! The person at the terminal, who is asked one question after the other.
//!
//! **Invariant:** whatever ends the program leaves the terminal as it was. If a person is late, what comes then answers the next
//! question.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use ananke::process::TerminalMode;
use ananke::run::{Person, PersonAnswer, PersonQuestion, Reason, Stopper};
use ananke::text::escape;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, timeout_at};

use super::line_reading::{LineRead, LineReading, LineSource, NOT_UTF_8};
use crate::cli::output::Outputs;

/// A person at the terminal.
pub(crate) struct TerminalPerson {
    outputs: Outputs,
    stopper: Stopper,
    /// The mode of the terminal before.
    mode: Arc<TerminalMode>,
    reading: tokio::sync::Mutex<LineReading>,
}

impl TerminalPerson {
    /// The person whom every test asks.
    pub(crate) fn shared(
        outputs: &Outputs,
        stopper: &Stopper,
        mode: &Arc<TerminalMode>,
    ) -> Arc<dyn Person> {
        Arc::new(Self {
            outputs: outputs.clone(),
            stopper: stopper.clone(),
            mode: Arc::clone(mode),
            reading: tokio::sync::Mutex::new(LineReading::of(LineSource::Terminal)),
        })
    }

    async fn answer(&self, question: PersonQuestion) -> PersonAnswer {
        let mut reading = self.reading.lock().await;
        if reading.has_ended() {
            return PersonAnswer::Ended;
        }
        self.show(&question);
        let until = Instant::now() + question.timeout;
        loop {
            let typed = tokio::select! {
                typed = timeout_at(until, reading.next()) => typed,
                () = self.stopper.interrupted() => return PersonAnswer::Stops,
            };
            let Ok(typed) = typed else {
                self.print("\n");
                return PersonAnswer::Late;
            };
            match typed {
                LineRead::Text(text) if text.trim().is_empty() => {}
                LineRead::Text(text) => return PersonAnswer::Said(text.trim().to_owned()),
                LineRead::Unreadable => self.print(NOT_UTF_8),
                LineRead::End | LineRead::Unusable(_) => return PersonAnswer::Ended,
                LineRead::Interrupt => {
                    self.stopper.stop(Reason::Interrupted);
                    return PersonAnswer::Stops;
                }
            }
        }
    }

    /// Shows what the agent asks.
    fn show(&self, question: &PersonQuestion) {
        let PersonQuestion {
            test, said, hint, ..
        } = question;
        let begins = if said.is_empty() {
            ": you begin the conversation"
        } else {
            ""
        };
        let mut text = format!("\n{}{begins}\n", escape::line(test));
        for (label, value) in [("agent:  ", Some(said)), ("wants:  ", hint.as_ref())] {
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                continue;
            };
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
