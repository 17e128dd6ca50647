//! The messages of a history that items are.

use super::message_item::{MessageItem, text_of};
use ananke_base::message::{HistoryCall, HistoryMessage, Role, UserContent};

/// The message of the history that an item from before the first turn is; `None` if no message of a history contains it.
pub(crate) fn history_message(item: MessageItem) -> Option<HistoryMessage> {
    let text = |role, text: String| HistoryMessage {
        content: Some(UserContent::Text(text.into())),
        ..message(role)
    };
    match item {
        MessageItem::Instructs
        | MessageItem::Reasons(_)
        | MessageItem::Asks(None)
        | MessageItem::Says(None)
        | MessageItem::Unread(_) => None,
        MessageItem::Asks(Some(said)) => Some(text(Role::User, said)),
        MessageItem::Says(Some(said)) => Some(text(Role::Assistant, said)),
        MessageItem::Calls { id, name, args } => Some(HistoryMessage {
            calls: vec![HistoryCall {
                id: id.unwrap_or_default(),
                name: name.unwrap_or_default(),
                arguments: args.unwrap_or_else(|| "{}".to_owned()),
            }],
            ..message(Role::Assistant)
        }),
        MessageItem::Answers { id, result, .. } => Some(HistoryMessage {
            answers: id,
            ..text(Role::Tool, result.as_ref().map(text_of).unwrap_or_default())
        }),
    }
}

fn message(role: Role) -> HistoryMessage {
    HistoryMessage {
        role,
        id: None,
        name: None,
        content: None,
        calls: Vec::new(),
        answers: None,
    }
}
