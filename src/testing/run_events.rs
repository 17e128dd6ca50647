//! The events of one run, and how far a test has looked at them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::agent_target::AgentTarget;
use crate::trace::AgentEvent;

/// The events of one run.
#[derive(Debug)]
pub(super) struct RunEvents {
    pub(super) events: Vec<AgentEvent>,
    /// What the user said.
    pub(super) input: String,
    /// The session's own target, which cannot be its judge.
    pub(super) target: Option<AgentTarget>,
    /// The index of the next event to look at.
    pub(super) cursor: Cursor,
}

/// How far a test has looked at events.
#[derive(Debug, Default)]
pub(super) struct Cursor(AtomicUsize);

impl Cursor {
    /// The index of the next event to look at.
    pub(super) fn index(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// What is before `index` was looked at.
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
            text.push_str(&["\n", mark, " ", &index.to_string(), "  ", &event.to_string()].concat());
        }
        text
    }
}
