//! Who listens to the events of an answer: the history that the next request sends, and the trace.

use super::conversation::Conversation;
use super::step::Step;
use super::warnings::Warnings;
use crate::trace::Change;

/// Where changes of the trace go.
pub(super) type Tell<'t> = dyn FnMut(Change<'_>) + Send + 't;

/// The listeners of one event.
pub(super) struct Listeners<'a, 't> {
    pub(super) conversation: &'a mut Conversation,
    pub(super) warnings: &'a mut Warnings,
    pub(super) tell: &'a mut Tell<'t>,
}

impl Listeners<'_, '_> {
    /// Passes a step to each of them.
    pub(super) fn hear(&mut self, step: Step<'_>) {
        self.conversation.history.hear(step);
        if let Some(change) = step.change() {
            (self.tell)(change);
        }
    }
}
