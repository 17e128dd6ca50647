//! The origin of the conversations of a run.

use std::sync::Arc;

use super::conversation_driver::ConversationDriver;
use crate::observed::ObservedConversations;

/// The origin of the conversations of a run: what holds them.
#[derive(Clone, Default)]
pub enum ConversationOrigin {
    /// Its tests: their written turns, and what they say comes after them.
    #[default]
    Tests,
    /// A program.
    Driver(Arc<dyn ConversationDriver>),
    /// They were held before, one for each test.
    Observed(Arc<dyn ObservedConversations>),
}

impl ConversationOrigin {
    /// The program that holds them, if one does.
    pub(super) fn driver(&self) -> Option<&Arc<dyn ConversationDriver>> {
        match self {
            Self::Driver(driver) => Some(driver),
            Self::Tests | Self::Observed(_) => None,
        }
    }

    /// The conversations that were held before, if they were.
    pub(super) fn observed(&self) -> Option<&Arc<dyn ObservedConversations>> {
        match self {
            Self::Observed(observed) => Some(observed),
            Self::Tests | Self::Driver(_) => None,
        }
    }
}
