//! Turns whose events a client made, as a session has them.
//!
//! **Always:** each call has an id that no other open call of the conversation has, so that none is taken for another one.

use ananke::testing::{AgentEvent, EventRole, EventTurn};

use super::session_event::{EventRoleView, SessionEvent};
use super::session_messages::EarlierTurn;

/// The turns, in which outputs belong to calls.
pub(super) fn made_turns(turns: Vec<EarlierTurn>) -> Vec<EventTurn> {
    let mut calls = MadeCalls::default();
    let mut made = Vec::new();
    for EarlierTurn { input, events } in turns {
        calls.of_earlier_turns = calls.open.len();
        let events = events.into_iter().map(|event| calls.event(event)).collect();
        made.push(EventTurn { input, events });
    }
    made
}

/// The calls so far.
#[derive(Default)]
struct MadeCalls {
    /// The number of events so far.
    count: usize,
    open: Vec<OpenCall>,
    /// The number of open calls of the turns before this one, which are the first ones.
    of_earlier_turns: usize,
}

/// A call without an output.
struct OpenCall {
    name: String,
    /// The id that the client gave it.
    given: Option<String>,
    id: String,
}

impl MadeCalls {
    fn event(&mut self, event: SessionEvent) -> AgentEvent {
        self.count += 1;
        match event {
            SessionEvent::Message { role, content } => AgentEvent::Message {
                role: match role {
                    EventRoleView::Assistant => EventRole::Assistant,
                    EventRoleView::User => EventRole::User,
                },
                content,
            },
            SessionEvent::FunctionCall {
                name,
                arguments,
                tool_call_id,
            } => AgentEvent::FunctionCall {
                tool_call_id: self.open(&name, tool_call_id),
                name,
                arguments,
            },
            SessionEvent::FunctionCallOutput {
                name,
                output,
                is_error,
                tool_call_id,
                ..
            } => AgentEvent::FunctionCallOutput {
                tool_call_id: self.close(&name, tool_call_id),
                name,
                output,
                is_error,
                execution_time_ms: 0,
            },
        }
    }

    /// The id of a new call. One that an open call has would be taken for that call.
    fn open(&mut self, name: &str, given: Option<String>) -> String {
        let id = match &given {
            Some(given) if self.open.iter().all(|call| call.id != *given) => given.clone(),
            Some(given) => format!("{given}#{}", self.count),
            None => format!("call-{}", self.count),
        };
        self.open.push(OpenCall {
            name: name.to_owned(),
            given,
            id: id.clone(),
        });
        id
    }

    /// The id of the call that an output belongs to: the last one with its id; without an id, the first one of this turn to its
    /// tool, else the last one of earlier turns.
    fn close(&mut self, name: &str, given: Option<String>) -> String {
        let is_it = |call: &OpenCall| match &given {
            Some(given) => call.given.as_ref() == Some(given),
            None => call.name == name,
        };
        let (earlier, own) = self.open.split_at(self.of_earlier_turns);
        let in_turn = match &given {
            Some(_) => own.iter().rposition(is_it),
            None => own.iter().position(is_it),
        };
        let place = match in_turn {
            Some(place) => Some(earlier.len() + place),
            None => earlier.iter().rposition(is_it),
        };
        let Some(place) = place else {
            return given.unwrap_or_else(|| format!("call-{}", self.count));
        };
        if place < self.of_earlier_turns {
            self.of_earlier_turns -= 1;
        }
        self.open.remove(place).id
    }
}
