//! A turn of a test, as the client of its agent has reported it: it gets the turn back before the next one, in the form that events
//! of sessions have.

use std::collections::HashMap;
use std::mem;

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
    /// A turn after this one, in which the user says `input`.
    pub(super) fn followed_by(&mut self, input: Option<String>) -> Self {
        // The result of a call may come in a later turn, so the tools of the calls stay known.
        Self {
            input,
            tools: mem::take(&mut self.tools),
            ..Self::default()
        }
    }

    /// The turn in the form in which its client gets it.
    pub(super) fn into_earlier(self) -> EarlierTurn {
        EarlierTurn {
            input: self.input,
            events: self.events,
        }
    }

    /// Takes an event. One that cannot be read is ignored here, because it fails its turn.
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
        let Some(piece) = text.delta.or(text.content) else {
            return;
        };
        // A message that has begun goes on, wherever it is: another one may have begun since.
        if let Some(id) = text.message_id {
            let next = self.events.len();
            let place = *self.messages.entry(id).or_insert(next);
            if let Some(SessionEvent::Message { content, .. }) = self.events.get_mut(place) {
                content.push_str(&piece);
                return;
            }
        }
        self.events.push(SessionEvent::Message {
            role: EventRoleView::Assistant,
            content: piece,
        });
    }
}
