//! The facts of a conversation that are known before its first turn.

use std::sync::Arc;

use serde_json::Value;

use ananke_base::message::HistoryMessage;
use ananke_plan::Prepared;
use ananke_trace::trace::{KnownName, Peer, Prices, Trace};

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
    /// The prices of models; `None` if costs do not matter.
    pub prices: Option<Arc<Prices>>,
    /// The names of the client-side tools that are declared.
    pub client_tools: Vec<String>,
}

impl ConversationStart {
    /// The facts of the conversation of a test whose target and messages are filled.
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let target = &prepared.target;
        let tools = prepared.client_tools.written.iter();
        Self {
            peer: target.peer(),
            state: target.state().clone(),
            thread_id: prepared.thread_id.clone(),
            history: prepared.history.clone(),
            has_event_clock: target.has_event_clock(),
            known: prepared.known.clone(),
            prices: prepared.prices.clone(),
            client_tools: tools.map(|tool| tool.declaration.name.clone()).collect(),
        }
    }

    /// An empty trace of this conversation, to which its turns are added.
    pub fn trace(&self) -> Trace {
        // Some agents send the history again. Messages and calls with these ids are then not taken for new ones.
        let mut history_ids = Vec::new();
        for message in &self.history {
            history_ids.extend(message.id.clone());
            history_ids.extend(message.calls.iter().map(|call| call.id.clone()));
        }
        let trace = Trace::new(self.state.clone())
            .on_thread(self.thread_id.as_str())
            .after(history_ids);

        // Rules can look into the history. Known names are those of data that is left unread on purpose, so the trace does not
        // report them as unread.
        let trace = trace
            .remembering(&self.history)
            .knowing(&self.known)
            .with_peer(self.peer)
            .priced(self.prices.clone());
        // Times are those of the events if the target says that their clock is right, else those of their arrival.
        if self.has_event_clock {
            trace.by_event_clock()
        } else {
            trace
        }
    }
}
