//! The facts that a conversation has shown so far, to recognise them when they are shown again.

use std::collections::{HashMap, HashSet};

use super::message_item::{MessageItem, same_arguments};
use super::same_facts::arguments_key;

/// A call that something executes, and that no message has had yet.
#[derive(Debug)]
struct ExecutedCall {
    id: String,
    name: Option<String>,
    args: Option<String>,
}

/// The calls and texts of a conversation.
#[derive(Debug, Default)]
pub(crate) struct KnownFacts {
    /// The calls of the running turn that messages may have too.
    executed: Vec<ExecutedCall>,
    /// The tools and arguments of every call.
    calls: HashSet<(Option<String>, String)>,
    /// Every text, without whitespace.
    text: String,
    /// The ids of calls by those that messages have for them.
    own_ids: HashMap<String, String>,
}

impl KnownFacts {
    /// The beginning of the ids of calls that have none of their own.
    pub(crate) const MADE_ID: &str = "call";

    /// A call is made.
    pub(crate) fn calls(&mut self, name: Option<&str>, args: Option<&str>) {
        let name = name.map(str::to_owned);
        self.calls
            .insert((name, arguments_key(args.unwrap_or_default())));
    }

    /// A text is said.
    pub(crate) fn says(&mut self, text: &str) {
        self.text += &without_whitespace(text);
    }

    /// A call is executed that no message has had.
    pub(crate) fn executes(&mut self, id: String, name: Option<String>, args: Option<String>) {
        self.executed.push(ExecutedCall { id, name, args });
    }

    /// The id of the executed call that a message has, if no other message has had it.
    pub(crate) fn executed(
        &mut self,
        id: Option<&str>,
        name: Option<&str>,
        args: Option<&str>,
    ) -> Option<String> {
        let is_it = |call: &ExecutedCall| match id {
            Some(id) if id == call.id => true,
            Some(_) if !call.id.starts_with(Self::MADE_ID) => false,
            _ => call.name.as_deref() == name && same_arguments(call.args.as_deref(), args),
        };
        let place = self.executed.iter().position(is_it)?;
        let call = self.executed.remove(place);
        if let Some(id) = id {
            self.own_ids.insert(id.to_owned(), call.id.clone());
        }
        Some(call.id)
    }

    /// The id of the call that a message calls `id`.
    pub(crate) fn own_id(&self, id: String) -> String {
        self.own_ids.get(&id).cloned().unwrap_or(id)
    }

    /// Whether the same call was made, or the text was said, alone or as a part of the texts.
    pub(crate) fn has(&self, item: &MessageItem) -> bool {
        match item {
            MessageItem::Calls { name, args, .. } => {
                let call = (
                    name.clone(),
                    arguments_key(args.as_deref().unwrap_or_default()),
                );
                self.calls.contains(&call)
            }
            MessageItem::Says(Some(text)) => self.text.contains(&*without_whitespace(text)),
            _ => false,
        }
    }

    /// The turn is over: no message has its calls any more.
    pub(crate) fn end_turn(&mut self) {
        self.executed.clear();
    }
}

fn without_whitespace(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_executed_is_in_one_message() {
        let mut known = KnownFacts::default();
        for id in ["c1", "call-2"] {
            let args = r#"{"n": 1}"#.to_owned();
            known.executes(id.to_owned(), Some("pay".to_owned()), Some(args));
        }
        let mut of_message = |id, args| known.executed(id, Some("pay"), args);
        let (same, other) = (Some(r#"{"n":1}"#), Some(r#"{"n":2}"#));
        assert_eq!(of_message(Some("x"), other), None, "other arguments");
        assert_eq!(of_message(Some("x"), same).as_deref(), Some("call-2"));
        assert_eq!(of_message(Some("x"), same), None, "another id");
        assert_eq!(of_message(Some("c1"), None).as_deref(), Some("c1"));
        assert_eq!(known.own_id("x".to_owned()), "call-2");
        assert_eq!(known.own_id("y".to_owned()), "y");
    }

    #[test]
    fn what_was_said_in_pieces_is_known() {
        let mut known = KnownFacts::default();
        known.says("I look. ");
        known.says("It rains.");
        known.calls(Some("pay"), Some(r#"{"n": 1}"#));
        let says = |text: &str| MessageItem::Says(Some(text.to_owned()));
        assert!(known.has(&says("I look.\nIt rains.")) && !known.has(&says("It snows.")));
        let calls = |args: &str| MessageItem::Calls {
            id: None,
            name: Some("pay".to_owned()),
            args: Some(args.to_owned()),
        };
        assert!(known.has(&calls(r#"{"n":1}"#)) && !known.has(&calls(r#"{"n":2}"#)));
    }
}
