//! The requests of a captured conversation, as turns of a test.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::{CapturedConversation, CapturedRequest, Incomplete};
use ananke_agents::{Action, PassedTurn, ServedResponse, Target};
use ananke_base::message::{
    AnswerTo, ClientInput, InterruptAnswer, PendingAnswer, ToolAnswer, ToolDeclaration, TurnInput,
};

/// The turns of a conversation, and the responses to their requests.
pub(super) struct CapturedTurns {
    pub(super) inputs: VecDeque<ClientInput>,
    pub(super) exchanges: VecDeque<CapturedAnswer>,
    /// The client-side tools.
    pub(super) tools: Vec<ToolDeclaration>,
    /// The answers of the client to calls of these, by the id of the call.
    pub(super) answers: HashMap<String, ToolAnswer>,
    /// The target, if it describes the requests.
    pub(super) target: Option<Arc<dyn Target>>,
    /// The parts of requests that no turn can send, in words.
    pub(super) notes: Vec<String>,
    /// The reason that the rest of it is missing, if there was more.
    pub(super) ends: Option<String>,
}

/// A request with its response.
pub(super) struct CapturedAnswer {
    pub(super) request: CapturedRequest,
    pub(super) response: ServedResponse,
}

impl CapturedTurns {
    /// The turns up to the first that cannot be written as one.
    pub(super) fn of(conversation: CapturedConversation) -> Self {
        let mut turns = Self {
            inputs: VecDeque::new(),
            exchanges: VecDeque::new(),
            tools: Vec::new(),
            answers: HashMap::new(),
            target: conversation.target,
            notes: Vec::new(),
            ends: None,
        };
        for exchange in conversation.exchanges {
            turns.add(exchange.request, exchange.response);
            if turns.ends.is_some() {
                break;
            }
        }
        turns
    }

    fn add(&mut self, mut request: CapturedRequest, response: Result<ServedResponse, Incomplete>) {
        // A request repeats what was sent before it, so that only its last action is new.
        let input = match &mut request {
            CapturedRequest::OfProtocol(_, request) => {
                self.declare(request.tools());
                match request.actions().last() {
                    Some(action) => self.input(action),
                    None => Ok(None),
                }
            }
            CapturedRequest::OfTarget(described) => {
                Ok(described.turn.as_mut().map(|turn| self.described(turn)))
            }
        };
        let input = match input {
            Ok(input) => input,
            Err(why) => {
                self.ends = Some(why);
                return;
            }
        };
        // A turn whose response is not complete cannot be held again, nor can the turns after it, which continue from there.
        match response {
            Ok(response) => {
                self.inputs.extend(input);
                self.exchanges
                    .push_back(CapturedAnswer { request, response });
            }
            Err(incomplete) => self.ends = Some(incomplete.to_string()),
        }
    }

    /// The input of a turn that the target describes.
    fn described(&mut self, turn: &mut PassedTurn) -> ClientInput {
        let number = self.inputs.len() + 1;
        for left_out in turn.left_out.drain(..) {
            self.notes.push(format!(
                "turn {number} does not send {left_out}, as the client did"
            ));
        }
        ClientInput {
            input: turn.input.clone(),
            request: std::mem::take(&mut turn.additions),
        }
    }

    /// Adds tools that are not known yet.
    fn declare(&mut self, tools: &[ToolDeclaration]) {
        for tool in tools {
            if !self.tools.iter().any(|known| known.name == tool.name) {
                self.tools.push(tool.clone());
            }
        }
    }

    /// The turn that asks this; `None` if it goes on with the turn before it.
    fn input(&mut self, action: &Action) -> Result<Option<ClientInput>, String> {
        match action {
            Action::User { content, .. } => Ok(Some(TurnInput::User(content.clone()).into())),
            Action::Resume(answers) => {
                let only = answers.len() == 1;
                let answer = |answer: &InterruptAnswer| PendingAnswer {
                    to: if only {
                        AnswerTo::TheOnlyOne
                    } else {
                        AnswerTo::Id(answer.id.clone())
                    },
                    is_resolved: answer.is_resolved,
                    payload: answer.payload.clone(),
                };
                let answers = answers.iter().map(answer).collect();
                Ok(Some(TurnInput::Resume(answers).into()))
            }
            Action::ToolResults(answers) if !self.inputs.is_empty() => {
                self.answers.extend(
                    answers
                        .iter()
                        .map(|answer| (answer.call.clone(), answer.clone())),
                );
                Ok(None)
            }
            Action::ToolResults(_) | Action::Connect | Action::Continue | Action::Own { .. } => {
                Err("it does not begin with a message of the user".to_owned())
            }
        }
    }
}
