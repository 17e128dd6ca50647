//! The record of what happened before the first turn, as a test writes it.

use super::{Change, Input, MessageKind, ResultContent, Trace};
use ananke_base::context::At;
use ananke_base::message::{HistoryMessage, Role};

impl Trace {
    /// The record of these messages, as if each one of the user had begun a turn.
    pub(super) fn of_history(messages: &[HistoryMessage]) -> Self {
        let mut trace = Self::default();
        trace.begin_turn(Input::default());
        for (number, message) in messages.iter().enumerate() {
            if number > 0 && message.role == Role::User {
                trace.end_turn(&mut Vec::new());
                trace.begin_turn(Input::default());
            }
            for change in changes(number, message) {
                trace.apply(At(0), change, &mut Vec::new());
            }
        }
        trace.end_turn(&mut Vec::new());
        trace
    }
}

/// The changes that a message adds.
fn changes(number: usize, message: &HistoryMessage) -> Vec<Change<'_>> {
    let text = message
        .content
        .as_ref()
        .map(|content| content.text().into_owned())
        .unwrap_or_default();
    if let Some(id) = &message.answers {
        let result = ResultContent::Text(text.into());
        return vec![Change::CallAnswered {
            id: id.into(),
            result,
            is_error: None,
        }];
    }
    let role = match message.role {
        Role::User => MessageKind::User,
        Role::Assistant => MessageKind::Assistant,
        Role::System | Role::Developer | Role::Tool => MessageKind::System,
    };
    let id = || format!("message-{number}").into();
    let mut changes = vec![
        Change::MessageOpened {
            id: id(),
            role,
            subagent: None,
        },
        Change::MessageText {
            id: id(),
            delta: text.into(),
        },
        Change::MessageClosed { id: id() },
    ];
    for call in &message.calls {
        let id = || call.id.as_str().into();
        changes.extend([
            Change::CallOpened {
                id: id(),
                name: call.name.as_str().into(),
                subagent: None,
            },
            Change::CallArgs {
                id: id(),
                delta: call.arguments.as_str().into(),
            },
            Change::CallArgsDone { id: id() },
        ]);
    }
    changes
}
