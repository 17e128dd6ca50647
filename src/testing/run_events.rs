//! The events of one run, and how far a test has looked at them.

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::session_line::SessionStart;
use super::session_project::SessionProject;
use ananke_base::text::escape;
use ananke_trace::trace::{AgentEvent, Interrupt};

/// The events of one run.
#[derive(Debug)]
pub(super) struct RunEvents {
    pub(super) events: Vec<AgentEvent>,
    /// The interrupts that the agent waits for at the end.
    pub(super) interrupts: Vec<Interrupt>,
    /// The agent's state at the end.
    pub(super) state: Value,
    /// The input of the user.
    pub(super) input: String,
    /// The project of the session, whose target cannot be its judge.
    pub(super) project: Arc<SessionProject>,
    /// The thread and the secrets of the session.
    pub(super) start: SessionStart,
    /// The index of the next event to look at.
    pub(super) cursor: Cursor,
}

/// The position up to which a test has looked at events.
#[derive(Debug, Default)]
pub(super) struct Cursor(AtomicUsize);

impl Cursor {
    /// The index of the next event to look at.
    pub(super) fn index(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Passes the events before `index`, which were looked at.
    pub(super) fn pass(&self, index: usize) {
        self.0.store(index, Ordering::Relaxed);
    }
}

impl RunEvents {
    /// The list of events, with a mark at one of them.
    pub(super) fn listed(&self, marked: Option<usize>) -> String {
        let mut text = "events:".to_owned();
        if self.events.is_empty() {
            text.push_str(" none");
        }
        for (index, event) in self.events.iter().enumerate() {
            let mark = if marked == Some(index) { ">" } else { " " };
            text.push_str(
                &[
                    "\n",
                    mark,
                    " ",
                    &(index + 1).to_string(),
                    "  ",
                    &event.to_string(),
                ]
                .concat(),
            );
        }
        for Interrupt { id, message, .. } in &self.interrupts {
            let asks = message
                .as_ref()
                .map(|message| format!(": {message}"))
                .unwrap_or_default();
            text.push_str(&["\nwaiting for an answer to the interrupt `", id, "`", &asks].concat());
        }
        text
    }

    /// `text` for a terminal, with every secret masked.
    pub(super) fn shown(&self, text: &str) -> String {
        escape::terminal(&self.start.redactor.text(text)).into_owned()
    }

    /// The message of a failed assertion: with the list of events, a mark at the one that is wrong, and the place of
    /// the assertion if the panic itself does not have it.
    pub(super) fn failure(
        &self,
        message: &str,
        marked: Option<usize>,
        caller: Option<&Location<'_>>,
    ) -> String {
        let place = caller
            .map(|caller| format!("\n\nasserted at {caller}"))
            .unwrap_or_default();
        self.shown(&format!("{message}\n\n{}{place}", self.listed(marked)))
    }

    /// An assertion fails.
    #[track_caller]
    pub(super) fn fail(&self, message: &str, marked: Option<usize>) -> ! {
        panic!("{}", self.failure(message, marked, None))
    }
}
