//! The requests of a captured conversation, as turns of a test.

use std::collections::{HashMap, VecDeque};

use super::CapturedConversation;
use ananke_agents::{Action, ServedProtocol, ServedRequest, ServedResponse};
use ananke_base::message::{
    AnswerTo, InterruptAnswer, PendingAnswer, ToolAnswer, ToolDeclaration, TurnInput,
};

/// The turns of a conversation, and the responses to their requests.
pub(super) struct CapturedTurns {
    pub(super) inputs: VecDeque<TurnInput>,
    pub(super) exchanges: VecDeque<CapturedAnswer>,
    /// The client-side tools.
    pub(super) tools: Vec<ToolDeclaration>,
    /// The answers of the client to calls of these, by the id of the call.
    pub(super) answers: HashMap<String, ToolAnswer>,
    /// The reason that the rest of it is missing, if there was more.
    pub(super) ends: Option<String>,
}

/// A request with its response.
pub(super) struct CapturedAnswer {
    pub(super) protocol: &'static dyn ServedProtocol,
    pub(super) request: Box<dyn ServedRequest>,
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
            ends: None,
        };
        for exchange in conversation.exchanges {
            turns.declare(exchange.request.tools());
            let input = exchange
                .request
                .actions()
                .last()
                .map_or(Ok(None), |action| turns.input(action));
            match (input, exchange.response) {
                (Ok(input), Ok(response)) => {
                    turns.inputs.extend(input);
                    let (protocol, request) = (exchange.protocol, exchange.request);
                    turns.exchanges.push_back(CapturedAnswer {
                        protocol,
                        request,
                        response,
                    });
                }
                (Err(why), _) => turns.ends = Some(why),
                (_, Err(incomplete)) => turns.ends = Some(incomplete.to_string()),
            }
            if turns.ends.is_some() {
                break;
            }
        }
        turns
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
    fn input(&mut self, action: &Action) -> Result<Option<TurnInput>, String> {
        match action {
            Action::User { content, .. } => Ok(Some(TurnInput::User(content.clone()))),
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
                Ok(Some(TurnInput::Resume(
                    answers.iter().map(answer).collect(),
                )))
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
