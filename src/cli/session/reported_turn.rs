//! A turn of a test, as the client of its agent has reported it: it gets the turn back before the next one, in the form that events
//! of sessions have.

use std::collections::HashMap;

use ananke::agents::external::{CallEvent, ExternalEvent, ResultEvent, TextEvent};
use serde::Deserialize as _;
use serde_json::Value;

use super::session_event::{EventRoleView, SessionEvent};
use super::session_messages::EarlierTurn;

/// A turn of which some events are reported.
#[derive(Debug, Default)]
pub(super) struct ReportedTurn {
    /// The words of the user; `None` if the turn answers interrupts.
    input: Option<String>,
    events: Vec<SessionEvent>,
    /// The places of the messages that came in pieces, by their ids.
    messages: HashMap<String, usize>,
    /// The tools of the calls of the conversation, by the ids of the calls.
    tools: HashMap<String, String>,
}

impl ReportedTurn {
    /// The turn `last` as its client gets it, and the turn after it, in which the user says `input`.
    pub(super) fn after(last: Option<Self>, input: Option<String>) -> (Option<EarlierTurn>, Self) {
        let next = Self {
            input,
            ..Self::default()
        };
        let Some(Self {
            input,
            events,
            tools,
            ..
        }) = last
        else {
            return (None, next);
        };
        // The result of a call may come in a later turn, so the tools of the calls stay known.
        (Some(EarlierTurn { input, events }), Self { tools, ..next })
    }

    /// Takes an event. One that cannot be read is left out, since its turn fails.
    pub(super) fn take(&mut self, event: &Value) {
        match ExternalEvent::deserialize(event) {
            Ok(ExternalEvent::Text(text)) => self.text(text),
            Ok(ExternalEvent::Call(CallEvent {
                id,
                name,
                arguments,
                ..
            })) => {
                self.tools.insert(id.clone(), name.clone());
                self.events.push(SessionEvent::FunctionCall {
                    name,
                    arguments,
                    tool_call_id: Some(id),
                });
            }
            Ok(ExternalEvent::Result(ResultEvent {
                id,
                output,
                is_error,
                ..
            })) => self.events.push(SessionEvent::FunctionCallOutput {
                name: self.tools.get(&id).cloned().unwrap_or_default(),
                output,
                is_error: is_error.unwrap_or_default(),
                tool_call_id: Some(id),
                execution_time_ms: None,
            }),
            Ok(
                ExternalEvent::Reasoning(_) | ExternalEvent::Usage(_) | ExternalEvent::Unread(_),
            )
            | Err(_) => {}
        }
    }

    fn text(&mut self, text: TextEvent) {
        let (Some(piece), id) = (text.delta.or(text.content), text.message_id) else {
            return;
        };
        let begun = id.as_ref().and_then(|id| self.messages.get(id));
        if let Some(begun) = begun
            && let Some(SessionEvent::Message { content, .. }) = self.events.get_mut(*begun)
        {
            content.push_str(&piece);
            return;
        }
        if let Some(id) = id {
            self.messages.insert(id, self.events.len());
        }
        self.events.push(SessionEvent::Message {
            role: EventRoleView::Assistant,
            content: piece,
        });
    }
}
