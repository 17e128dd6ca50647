//! The add-ons of a run: each follows conversations with agents, and a run knows nothing else of it.
//!
//! **Why:** Coverage, mutation and the writing of tests want to see each conversation, and none of them is the run's
//! business. A list of taps lets a run know none of them; a tap sees a conversation from its beginning to its end, with
//! the trace, and has no say in the verdict.

use std::fmt::Debug;

use serde_json::{Map, Value};

use super::conversation_start::ConversationStart;
use ananke_base::message::ToolDeclaration;
use ananke_conversation::{InputSource, Observer};
use ananke_rules::Inherited;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::Trace;

/// An add-on of a run: it may follow each conversation with an agent.
pub trait Tap: Debug + Send + Sync {
    /// The follower of a conversation that is about to begin; `None` if it does not follow this one.
    fn follow(&self, beginning: &ConversationBeginning<'_>) -> Option<Box<dyn Follower>>;
}

/// The purposes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptPurpose {
    /// An outcome, which is reported.
    Report,
    /// The check of a recording: nothing is reported and nothing is written.
    Verify,
}

/// The facts of a conversation that is about to begin.
pub struct ConversationBeginning<'a> {
    /// The purpose of its attempt.
    pub purpose: AttemptPurpose,
    /// The facts that are known before its first turn.
    pub start: &'a ConversationStart,
    /// The rules that watch it.
    pub rules: &'a Inherited,
    /// The client-side tools that are declared.
    pub client_tools: &'a [ToolDeclaration],
    /// The variables that the test and its row gave, filled.
    pub variables: &'a dyn Fn() -> Map<String, Value>,
    /// Masks the secrets of the test.
    pub redactor: &'a Redactor,
}

/// Follows one conversation with an agent.
pub trait Follower: Send + Sync {
    /// The source of its inputs, which it may follow.
    fn inputs<'a>(&self, inputs: Box<dyn InputSource + 'a>) -> Box<dyn InputSource + 'a> {
        inputs
    }

    /// An observer of what is sent and received.
    fn observer(&self) -> Option<Box<dyn Observer>> {
        None
    }

    /// The conversation has ended.
    fn ended(&self, end: &ConversationEnd<'_>) {
        let _ = end;
    }
}

/// The facts of a conversation that has ended.
pub struct ConversationEnd<'a> {
    /// The facts that the rules looked at.
    pub trace: &'a Trace,
    /// Whether it came to its end, and no rule failed.
    pub has_passed: bool,
    /// Puts markers instead of secrets, as the recording of the attempt does.
    pub marked: &'a dyn Fn(&str) -> String,
}
