//! A request of an API of models, as `mock` and the proxy answer it: with an agent, which may execute tools itself.

use std::sync::Arc;

use bytes::Bytes;

use super::model_wire::{ModelApiError, ModelBody, ModelWire};
use super::rounds::{OwnCalls, round_of_request};
use crate::served::{
    ServedFrame, ServedRequest, ServedResponse, TimedChange, described_action, text_of_content,
};
use crate::session::Action;
use ananke_base::context::digest;
use ananke_base::message::{InterruptAnswer, ToolAnswer, ToolDeclaration, UserContent};
use ananke_trace::trace::{ModelRequest, PromptMessage};

/// An API of models, with what `mock` and the proxy need of it in addition.
pub trait ServedModelWire: ModelWire {
    /// The calls that an agent executes itself, as the API has them.
    fn own_calls(&self) -> OwnCalls;

    /// The frame that says in the middle of a response that the agent has failed.
    fn failure_frame(&self, message: &str) -> ServedFrame;

    /// The response as a stream, if it is an answer in one document; any other response is returned unchanged.
    fn streamed(&self, response: ServedResponse) -> ServedResponse;

    /// The actions of the conversation that the response with this id answers, if responses are stored.
    fn stored_actions(&self, _id: &str) -> Option<Arc<[Action]>> {
        None
    }

    /// Stores that the response answers a conversation with these actions, since a later request may name it instead of them.
    fn store(&self, _response: &ServedResponse, _actions: &Arc<[Action]>) {}
}

/// A request of an API of models with its conversation.
pub struct ServedModelRequest {
    wire: &'static dyn ServedModelWire,
    /// The id of its response, which no other has.
    id: String,
    body: ModelBody,
    actions: Arc<[Action]>,
    tools: Vec<ToolDeclaration>,
}

impl ServedModelRequest {
    /// The request in the body: the actions of the client so far, and the tools that it executes.
    ///
    /// # Errors
    /// The reason why the body is no request of this API.
    pub fn read(wire: &'static dyn ServedModelWire, body: &[u8]) -> Result<Self, String> {
        // A hash, so that the same request gets the same id in each run.
        let id = digest(&String::from_utf8_lossy(body));
        let body = wire.read(body)?;
        // A request that goes on from a response has the conversation before it nowhere, because servers store it.
        let mut actions = Vec::new();
        if let Some(previous) = &body.previous {
            let Some(earlier) = wire.stored_actions(previous) else {
                return Err(format!("the response `{previous}` is not stored here"));
            };
            actions.extend(earlier.iter().cloned());
        }
        // Without an action there is nothing to answer.
        let requested = actions_of(&body.request);
        if requested.is_empty() {
            return Err("no message is from the user".to_owned());
        }
        actions.extend(requested);

        let mut tools = Vec::new();
        for tool in &body.request.tools {
            tools.push(ToolDeclaration {
                name: tool.name.clone(),
                description: tool.description.clone(),
                parameters: tool.parameters.clone(),
            });
        }
        Ok(Self {
            wire,
            id,
            body,
            actions: actions.into(),
            tools,
        })
    }
}

/// The actions of the client in a conversation: what the user says, and the results and approvals that answer one round each.
/// Messages of the model follow from them; but one between two results shows that these are of two rounds.
fn actions_of(request: &ModelRequest) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut is_same_round = false;
    for message in &request.messages {
        match message {
            // Instructions are not an action, because the agent has its own.
            PromptMessage::System(_) => {}
            // Files alone that follow results are a part of them, since most APIs have results that are texts.
            PromptMessage::User { text, files }
                if is_same_round && text.is_empty() && !files.is_empty() => {}
            PromptMessage::User { text, .. } => {
                actions.push(Action::User {
                    // Messages of a request have no ids.
                    message_id: String::new(),
                    name: None,
                    content: UserContent::Text(text.as_str().into()),
                });
                is_same_round = false;
            }
            PromptMessage::Assistant { .. } => is_same_round = false,
            PromptMessage::Result {
                call,
                content,
                is_error,
            } => {
                let answer = ToolAnswer {
                    call: call.clone(),
                    content: if content.is_array() {
                        text_of_content(content).into()
                    } else {
                        content.clone()
                    },
                    is_error: *is_error,
                };
                match actions.last_mut() {
                    Some(Action::ToolResults(answers)) if is_same_round => answers.push(answer),
                    _ => actions.push(Action::ToolResults(vec![answer])),
                }
                is_same_round = true;
            }
            PromptMessage::Approval { id, is_approved } => {
                let answer = InterruptAnswer {
                    id: id.clone(),
                    is_resolved: *is_approved,
                    payload: Some((*is_approved).into()),
                };
                match actions.last_mut() {
                    Some(Action::Resume(answers)) if is_same_round => answers.push(answer),
                    _ => actions.push(Action::Resume(vec![answer])),
                }
                is_same_round = true;
            }
        }
    }
    actions
}

impl ServedRequest for ServedModelRequest {
    fn thread(&self) -> Option<&str> {
        None
    }

    fn begins(&self) -> bool {
        self.actions.len() == 1
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn tools(&self) -> &[ToolDeclaration] {
        &self.tools
    }

    fn describe(&self) -> String {
        match self.actions.last() {
            Some(action) => described_action(action),
            None => String::new(),
        }
    }

    /// The response to this request. `runs` has one run of the agent for each action of the client.
    fn response(&self, runs: &[Vec<TimedChange>]) -> ServedResponse {
        let own_calls = self.wire.own_calls();
        let round = round_of_request(&self.actions, runs, &self.tools, own_calls);
        let response = self.wire.answer(&self.body, &self.id, &round);
        self.wire.store(&response, &self.actions);
        response
    }

    fn failure(&self, message: &str) -> ServedResponse {
        self.wire.error(&ModelApiError::of_server(message, None))
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        self.wire.failure_frame(message).bytes
    }

    fn answered_by(&self, response: &ServedResponse) {
        self.wire.store(response, &self.actions);
    }

    fn adopted(&self, _recorded: &dyn ServedRequest, piece: &Bytes) -> Bytes {
        piece.clone()
    }

    fn asks_for_stream(&self) -> bool {
        self.body.is_streamed
    }

    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        if self.body.is_streamed {
            response
        } else {
            self.wire.streamed(response)
        }
    }

    fn ids(&self) -> &[(&'static str, String)] {
        &[]
    }
}
