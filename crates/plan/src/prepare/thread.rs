//! The thread of a test's conversation: what hooks know of it, and what it is when they are over.

use std::sync::Arc;

use super::preparation::Preparation;
use crate::loaded::THREAD;
use ananke_base::diagnostic::Diagnostic;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Mode, Piece, as_text, scan};

impl Preparation {
    /// The target's `threadId`, where it does not name `THREAD_ID` itself.
    pub(super) fn literal_thread(&self) -> Option<&Text> {
        let names_itself = |text: &Text| {
            scan(&text.value).is_ok_and(|pieces| {
                pieces
                    .iter()
                    .any(|piece| matches!(piece, Piece::Reference(reference) if reference.name == THREAD))
            })
        };
        self.target()
            .model
            .common
            .thread_id
            .as_ref()
            .filter(|text| !names_itself(text))
    }

    /// Sets the `THREAD_ID` that hooks know: nothing if the target's `threadId` waits for what they give.
    pub(super) fn first_thread(&mut self) {
        if self.thread_is_given {
            return;
        }
        let thread = match self.literal_thread() {
            Some(text) => {
                let scope = self.scope.clone();
                let scope = if self.hooks() > 0 {
                    scope.open()
                } else {
                    scope
                };
                Interpolation::again(&scope, &self.plan.config.source, Mode::Send)
                    .text(text)
                    .ok()
            }
            None => Some(self.context.ids.next("thread")),
        };
        if let Some(thread) = thread {
            self.scope.set(THREAD, thread);
        }
    }

    /// The conversation's thread. `THREAD_ID` is a variable of that name if set, else the target's literal `threadId`,
    /// else generated (SPEC 2); a `threadId` that names it is built on it.
    pub(super) fn thread(&mut self, problems: &mut Vec<Diagnostic>) -> Option<String> {
        let plan = Arc::clone(&self.plan);
        let source = &plan.config.source;
        if let (Some(literal), false) = (self.literal_thread(), self.thread_is_given) {
            let thread = Interpolation::new(&self.scope, source, Mode::Send, problems)
                .text(literal)
                .ok()?;
            self.scope.set(THREAD, thread);
        }
        match &self.target().model.common.thread_id {
            Some(written) => Interpolation::new(&self.scope, source, Mode::Send, problems)
                .text(written)
                .ok(),
            None => self
                .scope
                .values()
                .find(|(name, _)| *name == THREAD)
                .map(|(_, value)| as_text(value)),
        }
    }
}
