//! A person who leads a conversation at the terminal, or a program that does so line by line through standard input.
//!
//! Flows in: lines, and what the agent does. Flows out: turns, and a display of the conversation with every secret masked.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ananke::message::{AnswerTo, PendingAnswer, TurnInput, UserContent};
use ananke::run::{ConversationDriver, DriverRequest, Reason, Stopper};
use ananke::text::{escape, truncate};
use ananke::trace::{AgentEvent, RunEnd, Trace, events_of_last_turn};
use ananke::{context::Context, outcome::TurnOutcome, plan::Plan, redact::Redactor};
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::cli::contact::{LineRead, LineReading, LineSource, NOT_UTF_8};
use crate::cli::output::Outputs;

/// The line that ends a conversation.
const END: &str = "/end";

/// The number of characters of arguments and results that are shown.
const SHOWN: usize = 500;

/// A conversation at the terminal.
pub(super) struct Dialog {
    source: LineSource,
    outputs: Outputs,
    stopper: Stopper,
    lines: tokio::sync::Mutex<LineReading>,
    state: Mutex<DialogState>,
}

#[derive(Default)]
struct DialogState {
    redactor: Redactor,
    /// The number of answers that the agent waits for.
    interrupts: usize,
    /// Whether it ended because something could not be said.
    is_incomplete: bool,
}

impl Dialog {
    /// The conversation of the person at the terminal; without one, that of the lines of standard input.
    pub(super) fn new(context: &Context, outputs: &Outputs, stopper: &Stopper) -> Self {
        let source = if context.has_person() {
            LineSource::Terminal
        } else {
            LineSource::Stdin
        };
        Self {
            source,
            outputs: outputs.clone(),
            stopper: stopper.clone(),
            lines: tokio::sync::Mutex::new(LineReading::of(source)),
            state: Mutex::default(),
        }
    }

    /// Shows how it is done, if there is a person.
    pub(super) fn begin(&self, plan: &Plan, file: &Path) {
        if self.source == LineSource::Terminal {
            let target = plan
                .cases
                .first()
                .map(|case| case.test.target.as_str())
                .unwrap_or_default();
            let target = escape::line(target);
            let file = escape::line(&file.to_string_lossy()).into_owned();
            self.print(&format!(
                "a conversation with `{target}`: type what the user says\n\
                 `{END}` or Ctrl-D ends it and writes `{file}`\nCtrl-C ends it and writes nothing\n\n"
            ));
        }
    }

    /// Whether everything was said that was to be said.
    pub(super) fn is_complete(&self) -> bool {
        !self.state().is_incomplete
    }

    fn state(&self) -> MutexGuard<'_, DialogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print(&self, text: &str) {
        // What standard output does not take stops the run.
        let _lost = self.outputs.stdout.clone().write_all(text.as_bytes());
        let _lost = self.outputs.stdout.finish();
    }

    /// It ends here, for this reason.
    fn end_incomplete(&self, why: &str) {
        self.state().is_incomplete = true;
        self.tell(&format!("error: {why}: the conversation ends here\n"));
    }

    fn tell(&self, text: &str) {
        let _lost = self.outputs.stderr.clone().write_all(text.as_bytes());
    }

    async fn said(&self) -> Option<TurnInput> {
        let interrupts = self.state().interrupts;
        if interrupts > 1 {
            self.end_incomplete(&format!(
                "the agent waits for {interrupts} answers, and a line is one"
            ));
            return None;
        }
        let mut lines = self.lines.lock().await;
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                () = self.stopper.interrupted() => return None,
            };
            match line {
                LineRead::Text(text) if text.trim().is_empty() => {}
                LineRead::Text(text) if text.trim() == END => return None,
                LineRead::Text(text) => return Some(input_of(text.trim(), interrupts)),
                LineRead::End => return None,
                LineRead::Unreadable => self.tell(NOT_UTF_8),
                LineRead::Interrupt => {
                    self.stopper.stop(Reason::Interrupted);
                    return None;
                }
                LineRead::Unusable(why) => {
                    self.end_incomplete(&format!("the next line {why}"));
                    return None;
                }
            }
        }
    }
}

/// The input in a line: the answer to what the agent waits for, or a message.
fn input_of(line: &str, interrupts: usize) -> TurnInput {
    if interrupts == 0 {
        return TurnInput::User(UserContent::Text(line.into()));
    }
    let json = serde_json::from_str(line).ok();
    let payload =
        json.filter(|value: &Value| value.is_object() || value.is_array() || value.is_boolean());
    let payload = payload.unwrap_or_else(|| line.into());
    TurnInput::Resume(vec![PendingAnswer {
        to: AnswerTo::TheOnlyOne,
        is_resolved: true,
        payload: Some(payload),
    }])
}

/// An event of the conversation, as the terminal shows it.
fn shown(event: &AgentEvent, redactor: &Redactor) -> String {
    let (label, text) = match event {
        AgentEvent::Message { content, .. } => ("agent:", content.clone()),
        AgentEvent::FunctionCall {
            name, arguments, ..
        } => ("calls:", format!("{name} {arguments}")),
        AgentEvent::FunctionCallOutput {
            name,
            output,
            is_error,
            ..
        } => (
            "result:",
            format!("{name} {}{output}", if *is_error { "failed: " } else { "" }),
        ),
    };
    let text = redactor.text(&text).into_owned();
    let is_message = matches!(event, AgentEvent::Message { .. });
    let text = if is_message {
        text.into()
    } else {
        truncate::chars(&text, SHOWN)
    };
    let lines = escape::terminal(&text)
        .trim_end()
        .replace('\n', &format!("\n{:8}", ""));
    format!("{label:8}{lines}\n")
}

impl ConversationDriver for Dialog {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: &str, _: Vec<String>, redactor: &Redactor) {
        self.state().redactor = redactor.clone();
    }

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        Box::pin(async { self.said().await.map(Into::into) })
    }

    fn ended(&self, trace: &Trace, _: &TurnOutcome) {
        let end = trace
            .exchanges
            .last()
            .and_then(|exchange| exchange.run_end.as_ref());
        let open = match end {
            Some(RunEnd::Interrupted(open)) => open.as_slice(),
            _ => &[],
        };
        let redactor = self.state().redactor.clone();
        let mut text = String::new();
        if self.source == LineSource::Stdin
            && let Some(turn) = trace.turns.last()
        {
            let said = redactor.text(&turn.input.shown).into_owned();
            let _is_written = writeln!(text, "{:8}{}", "user:", escape::line(&said));
        }
        for event in events_of_last_turn(trace) {
            text += &shown(&event, &redactor);
        }
        for message in open
            .iter()
            .filter_map(|interrupt| interrupt.message.as_deref())
        {
            let _is_written = writeln!(
                text,
                "{:8}{}",
                "wants:",
                escape::line(&redactor.text(message))
            );
        }
        self.print(&text);
        self.state().interrupts = open.len();
    }
}
