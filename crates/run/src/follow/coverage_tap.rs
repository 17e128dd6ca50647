//! The add-on that takes what tests exercise of their agents.

use std::sync::Arc;

use super::conversation_tape::{ConversationMutator, ConversationTape};
use crate::context::{AttemptPurpose, ConversationBeginning, ConversationEnd, Follower, Tap};
use crate::coverage::CoverageCollector;
use ananke_conversation::Observer;
use ananke_trace::redact::Redactor;

/// Takes what tests exercise of their agents, and of what their rules notice a change.
#[derive(Clone, Debug)]
pub struct CoverageTap {
    /// Takes it.
    pub collector: Arc<CoverageCollector>,
    /// Says of what rules notice a change.
    pub mutator: Arc<dyn ConversationMutator>,
}

/// Follows one conversation for it.
struct CoverageFollower {
    tap: CoverageTap,
    tape: ConversationTape,
    redactor: Redactor,
}

impl Tap for CoverageTap {
    fn follow(&self, beginning: &ConversationBeginning<'_>) -> Option<Box<dyn Follower>> {
        let redactor = beginning.redactor.clone();
        self.collector.declare(beginning.client_tools, &redactor);
        if beginning.purpose == AttemptPurpose::Verify {
            return None;
        }
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
        let taped = self.tape.take();
        let noticed = end.has_passed.then(|| self.tap.mutator.noticed(taped));
        let noticed = noticed.unwrap_or_default();
        self.tap
            .collector
            .observe(end.trace, &noticed, &self.redactor);
    }
}
