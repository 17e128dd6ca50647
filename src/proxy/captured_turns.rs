//! What was asked in a captured conversation, as turns of a test.

use std::collections::VecDeque;

use super::captured_conversation::CapturedConversation;
use crate::message::{AnswerTo, InterruptAnswer, PendingAnswer, TurnInput};
use crate::target::{Action, ServedProtocol, ServedRequest, ServedResponse};

/// The turns of a conversation, and the responses to their requests.
pub(super) struct CapturedTurns {
    pub(super) inputs: VecDeque<TurnInput>,
    pub(super) exchanges: VecDeque<CapturedAnswer>,
    /// Why there is no more of it, if there was more.
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
        let mut turns = Self { inputs: VecDeque::new(), exchanges: VecDeque::new(), ends: None };
        for exchange in conversation.exchanges {
            let input = exchange.request.actions().last().ok_or("it asks nothing".to_owned()).and_then(input);
            match (input, exchange.response) {
                (Ok(input), Ok(response)) => {
                    turns.inputs.push_back(input);
                    let (protocol, request) = (exchange.protocol, exchange.request);
                    turns.exchanges.push_back(CapturedAnswer { protocol, request, response });
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
}

/// The turn that asks this.
fn input(action: &Action) -> Result<TurnInput, String> {
    match action {
        Action::User { content, .. } => Ok(TurnInput::User(content.clone())),
        Action::Resume(answers) => {
            let only = answers.len() == 1;
            let answer = |answer: &InterruptAnswer| PendingAnswer {
                to: if only { AnswerTo::TheOnlyOne } else { AnswerTo::Id(answer.id.clone()) },
                is_resolved: answer.is_resolved,
                payload: answer.payload.clone(),
            };
            Ok(TurnInput::Resume(answers.iter().map(answer).collect()))
        }
        Action::ToolResults(_) => {
            Err("the client has executed a tool, which is not recorded: give the test `client_tools`"
                .to_owned())
        }
        Action::Connect | Action::Continue | Action::CallTool { .. } | Action::ListTools => {
            Err("a request has no message of the user".to_owned())
        }
    }
}
