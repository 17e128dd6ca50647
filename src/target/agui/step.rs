//! What an event means for a message, a call or reasoning: begun, continued or ended, whatever form the event has.
//! History and trace listen to the same steps.

use std::borrow::Cow;

use super::item::ItemKind;
use crate::trace::{Change, Role};

/// A step in assembling an item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    MessageBegins {
        id: &'a str,
        /// The role as sent, or `assistant` for one that is unknown.
        role: &'static str,
        subagent: Option<&'a str>,
    },
    MessageText {
        id: &'a str,
        delta: &'a str,
        /// Whether the message has ended already.
        is_late: bool,
    },
    MessageEnds {
        id: &'a str,
        role: &'static str,
        /// Its text since it began.
        text: &'a str,
    },
    CallBegins {
        id: &'a str,
        name: &'a str,
        /// The message it is part of.
        parent: Option<&'a str>,
        subagent: Option<&'a str>,
    },
    CallArgs {
        id: &'a str,
        delta: &'a str,
    },
    CallEnds {
        id: &'a str,
        /// The text of its arguments since it began.
        arguments: &'a str,
    },
    ReasoningBegins {
        id: &'a str,
    },
    ReasoningText {
        id: &'a str,
        delta: &'a str,
        subagent: Option<&'a str>,
    },
    ReasoningEnds {
        id: &'a str,
        /// Its text since it began.
        text: &'a str,
    },
}

impl<'a> Step<'a> {
    /// The end of an item with this role, if it is a message, and this text since it began.
    pub(super) fn end(kind: ItemKind, id: &'a str, role: &'static str, text: &'a str) -> Self {
        match kind {
            ItemKind::Message => Self::MessageEnds { id, role, text },
            ItemKind::Call => Self::CallEnds { id, arguments: text },
            ItemKind::Reasoning | ItemKind::ReasoningSpan => Self::ReasoningEnds { id, text },
        }
    }

    /// What the step changes for the trace.
    pub(super) fn change(self) -> Option<Change<'a>> {
        let named = |subagent: Option<&'a str>| subagent.filter(|id| !id.is_empty()).map(Cow::Borrowed);
        Some(match self {
            Self::MessageBegins { id, role, subagent } => {
                let role = match role {
                    "user" => Role::User,
                    "system" | "developer" => Role::System,
                    _ => Role::Assistant,
                };
                Change::MessageOpened { id: id.into(), role, subagent: named(subagent) }
            }
            Self::MessageText { id, delta, .. } => Change::MessageText { id: id.into(), delta: delta.into() },
            Self::MessageEnds { id, .. } => Change::MessageClosed { id: id.into() },
            Self::CallBegins { id, name, subagent, .. } => {
                Change::CallOpened { id: id.into(), name: name.into(), subagent: named(subagent) }
            }
            Self::CallArgs { id, delta } => Change::CallArgs { id: id.into(), delta: delta.into() },
            Self::CallEnds { id, .. } => Change::CallArgsDone { id: id.into() },
            Self::ReasoningText { id, delta, subagent } if !delta.is_empty() => {
                Change::Reasoning { id: id.into(), delta: delta.into(), subagent: named(subagent) }
            }
            Self::ReasoningBegins { .. } | Self::ReasoningText { .. } | Self::ReasoningEnds { .. } => {
                return None;
            }
        })
    }
}
