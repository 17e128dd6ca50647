//! The add-on that takes what tests exercise of their agents.

use std::sync::Arc;

use super::conversation_tape::{ConversationMutator, ConversationTape};
use crate::context::{AttemptPurpose, ConversationBeginning, ConversationEnd, Follower, Tap};
use crate::coverage::{CoverageCollector, NoticedChanges};
use ananke_conversation::Observer;
use ananke_trace::redact::Redactor;

/// Takes what tests exercise of their agents, and of what their rules notice a change.
#[derive(Clone, Debug)]
pub struct CoverageTap {
    /// The collector of what tests exercise.
    pub collector: Arc<CoverageCollector>,
    /// The mutator that says of what rules notice a change.
    pub mutator: Arc<dyn ConversationMutator>,
}

/// Follows one conversation for the collector.
struct CoverageFollower {
    tap: CoverageTap,
    tape: ConversationTape,
    redactor: Redactor,
}

impl Tap for CoverageTap {
    /// A follower for one conversation; `None` if the conversation shows nothing new.
    fn follow(&self, beginning: &ConversationBeginning<'_>) -> Option<Box<dyn Follower>> {
        // Coverage counts declared tools even if no conversation calls them, so they are known from the beginning.
        let redactor = beginning.redactor.clone();
        self.collector.declare(beginning.client_tools, &redactor);
        // An attempt that only verifies a recording repeats a conversation that was followed when it was recorded.
        if beginning.purpose == AttemptPurpose::Verify {
            return None;
        }
        // The tape keeps the conversation for the mutator, which changes it to see if a rule notices.
        let tape = ConversationTape::default();
        tape.begin(beginning);
        Some(Box::new(CoverageFollower {
            tap: self.clone(),
            tape,
            redactor,
        }))
    }
}

impl Follower for CoverageFollower {
    fn observer(&self) -> Option<Box<dyn Observer>> {
        Some(Box::new(self.tape.clone()))
    }

    fn ended(&self, end: &ConversationEnd<'_>) {
        // Rules that fail on the conversation as it was do not notice a change of it.
        let mut noticed = NoticedChanges::default();
        if end.has_passed {
            noticed = self.tap.mutator.noticed(self.tape.take());
        }
        self.tap
            .collector
            .observe(end.trace, &noticed, &self.redactor);
    }
}
