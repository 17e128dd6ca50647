//! The state of a conversation from turn to turn.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::content::Content;
use super::conversation_settings::ProtocolVersion;
use crate::messages::{CallIds, History};
use ananke_agents::{Action, SessionOptions};
use ananke_base::context::Ids;
use ananke_base::message::{InterruptAnswer, ToolDeclaration};
use ananke_trace::trace::State;

/// A thread with its messages and its state.
pub(super) struct ThreadState {
    pub(super) thread_id: String,
    pub(super) history: History,
    pub(super) calls: CallIds,
    /// The message of the user that the turn began with.
    pub(super) user_message: Option<UserMessage>,
    pub(super) state: State,
    /// Whether the agent has sent its state since `forget`.
    pub(super) state_is_known: bool,
    /// Whether the open interrupts were sent as custom events, as before the protocol had interrupts.
    pub(super) legacy_interrupts: bool,
    /// Whether a run was requested.
    pub(super) is_begun: bool,
    pub(super) client_tools: Arc<[ToolDeclaration]>,
    pub(super) ids: Arc<dyn Ids>,
}

/// A message of the user.
pub(super) struct UserMessage {
    pub(super) id: String,
    pub(super) text: String,
}

/// The new part of a run's input.
#[derive(Default)]
pub(super) struct NewInput {
    /// The ids of the messages that joined the history.
    pub(super) messages: Vec<String>,
    /// The answers to interrupts, if the run is resumed.
    pub(super) answers: Option<Vec<InterruptAnswer>>,
}

/// History and state from before a replay.
pub(super) struct SavedThread {
    history: History,
    calls: CallIds,
    state: State,
}

impl ThreadState {
    pub(super) fn new(options: SessionOptions, state: Value, version: ProtocolVersion) -> Self {
        let SessionOptions {
            thread_id,
            history,
            client_tools,
            ids,
            ..
        } = options;
        let is_begun = history.is_empty();
        let mut calls = CallIds::default();
        let history = History::of_earlier(history, version, &mut calls);
        Self {
            thread_id,
            // Without a history, everything in the first run is new.
            is_begun,
            history,
            calls,
            user_message: None,
            state: State::new(state),
            state_is_known: false,
            legacy_interrupts: false,
            client_tools,
            ids,
        }
    }

    /// Takes the action of the next run: its messages join the history.
    pub(super) fn take(&mut self, action: Action, version: ProtocolVersion) -> NewInput {
        self.history.discard_open();
        let mut new = NewInput::default();
        match action {
            Action::User {
                message_id,
                name,
                content,
            } => {
                self.calls.start_turn();
                self.user_message = Some(UserMessage {
                    id: message_id.clone(),
                    text: content.text().into_owned(),
                });
                let content = Content::of(content, version);
                self.history.say(&message_id, name, content);
                new.messages.push(message_id);
            }
            // A test with a turn of another protocol does not load.
            Action::Connect | Action::Continue | Action::Own { .. } => {
                self.calls.start_turn();
                self.user_message = None;
            }
            Action::Resume(answers) => {
                self.calls.continue_run();
                self.user_message = None;
                new.answers = Some(answers);
            }
            Action::ToolResults(answers) => {
                for answer in &answers {
                    self.answer_by_client(&answer.call);
                }
                self.calls.continue_run();
                let add = |answer| self.history.answer_call(answer, &*self.ids);
                new.messages.extend(answers.iter().map(add));
            }
        }
        new
    }

    /// The client answers a call. The answer to a call of another tool lets the agent go on with it: its result is still to
    /// come.
    fn answer_by_client(&mut self, call: &str) {
        let name = self.history.call(call).map(|call| &call.function.name);
        if name.is_some_and(|name| self.client_tools.iter().any(|tool| tool.name == *name)) {
            self.calls.answer_by_client(call);
        }
    }

    /// Clears history and state, for the agent to replay them.
    pub(super) fn forget(&mut self) -> SavedThread {
        self.state_is_known = false;
        let state = std::mem::replace(&mut self.state, State::new(Value::Object(Map::new())));
        SavedThread {
            history: std::mem::take(&mut self.history),
            calls: self.calls.forget(),
            state,
        }
    }

    /// Takes back what the agent did not replay.
    pub(super) fn recall(&mut self, remembered: SavedThread) {
        self.calls.restore(remembered.calls);
        if self.history.is_empty() {
            self.history = remembered.history;
        }
        if !self.state_is_known {
            self.state = remembered.state;
        }
    }
}
