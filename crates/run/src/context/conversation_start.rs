//! The facts of a conversation that are known before its first turn.

use serde_json::Value;

use ananke_base::message::HistoryMessage;
use ananke_plan::Prepared;
use ananke_trace::trace::{KnownName, Peer, Trace};

/// The facts of a conversation that are known before its first turn.
#[derive(Clone, Debug, Default)]
pub struct ConversationStart {
    /// The peer of the conversation.
    pub peer: Peer,
    /// The agent's state.
    pub state: Value,
    /// The id of the thread.
    pub thread_id: String,
    /// The messages before the first turn.
    pub history: Vec<HistoryMessage>,
    /// Whether times are those of the agent's events.
    pub has_event_clock: bool,
    /// The names of what the agent sends and no rule is about.
    pub known: Vec<KnownName>,
    /// The names of the client-side tools that are declared.
    pub client_tools: Vec<String>,
}

impl ConversationStart {
    /// The facts of the conversation of a test that is prepared.
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let target = &prepared.target;
        let tools = prepared.client_tools.iter();
        Self {
            peer: target.peer(),
            state: target.state().clone(),
            thread_id: prepared.thread_id.clone(),
            history: prepared.history.clone(),
            has_event_clock: target.has_event_clock(),
            known: prepared.known.clone(),
            client_tools: tools.map(|tool| tool.declaration.name.clone()).collect(),
        }
    }

    /// The trace that a conversation fills.
    pub fn trace(&self) -> Trace {
        // An agent that repeats the history is not to be taken for one that says and does it now.
        let mut ids = Vec::new();
        for message in &self.history {
            ids.extend(message.id.clone());
            ids.extend(message.calls.iter().map(|call| call.id.clone()));
        }
        let trace = Trace::new(self.state.clone())
            .on_thread(self.thread_id.as_str())
            .after(ids);
        let trace = trace
            .remembering(&self.history)
            .knowing(&self.known)
            .with_peer(self.peer);
        if self.has_event_clock {
            trace.by_event_clock()
        } else {
            trace
        }
    }
}
