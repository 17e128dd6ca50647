//! A chat-completions request as a server receives it.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::chat_answer::{ChatAnswer, error};
use super::streamed::streamed;
use ananke_agents::{
    Action, OwnCalls, ServedFrame, ServedRequest, ServedResponse, TimedChange, described_action,
    round_of_request, text_of_content,
};
use ananke_base::message::{ToolAnswer, ToolDeclaration, UserContent};
use ananke_base::{context::digest, source::received_json::read_as};

/// The body of a request.
#[derive(Deserialize)]
struct ChatBody {
    model: String,
    messages: Vec<BodyMessage>,
    tools: Option<Vec<BodyTool>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct BodyMessage {
    role: String,
    name: Option<String>,
    #[serde(default)]
    content: Value,
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
struct BodyTool {
    function: Option<BodyFunction>,
}

#[derive(Deserialize)]
struct BodyFunction {
    name: String,
    description: Option<String>,
    parameters: Option<Value>,
}

/// A request with its conversation.
pub(super) struct ChatInput {
    /// The id that distinguishes its response from others.
    id: String,
    model: String,
    is_streamed: bool,
    reports_usage: bool,
    actions: Vec<Action>,
    tools: Vec<ToolDeclaration>,
}

impl ChatInput {
    /// The request in the body: the actions of the client so far, and the tools it offers.
    ///
    /// # Errors
    /// The reason that the body is not such a request.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let input: ChatBody = read_as(body).map_err(|error| error.to_string())?;

        // An action is a message of the user, or the results that answer the calls of one round. Messages of the model are not
        // kept, since they follow from the actions; but one between two results shows that these are of two rounds.
        let mut actions = Vec::new();
        let mut is_same_round = false;
        for message in &input.messages {
            match message.role.as_str() {
                "user" => actions.push(Action::User {
                    // Messages of chat completions have no ids.
                    message_id: String::new(),
                    name: message.name.clone(),
                    content: UserContent::Text(text_of_content(&message.content).into()),
                }),
                "tool" => {
                    match actions.last_mut() {
                        Some(Action::ToolResults(answers)) if is_same_round => {
                            answers.push(tool_answer(message));
                        }
                        _ => actions.push(Action::ToolResults(vec![tool_answer(message)])),
                    }
                    is_same_round = true;
                }
                "assistant" => is_same_round = false,
                // Instructions (`system`, `developer`) are not an action of the client.
                _ => {}
            }
        }
        // Without an action there is nothing to answer.
        if actions.is_empty() {
            return Err("no message is from the user".to_owned());
        }

        let mut tools = Vec::new();
        for tool in input.tools.unwrap_or_default() {
            // A tool without a function is of another kind, and the agent cannot call it.
            if let Some(function) = tool.function {
                tools.push(ToolDeclaration {
                    name: function.name,
                    description: function.description.unwrap_or_default(),
                    parameters: function.parameters.unwrap_or_default(),
                });
            }
        }
        let is_streamed = input.stream.unwrap_or_default();
        let asks_usage = match input.stream_options {
            Some(options) => options.include_usage.unwrap_or_default(),
            None => false,
        };
        Ok(Self {
            // A hash, so that the same request gets the same id in each run.
            id: digest(&String::from_utf8_lossy(body)),
            model: input.model,
            is_streamed,
            // A response that is not streamed always reports the tokens that were used. A stream does so on request.
            reports_usage: asks_usage || !is_streamed,
            actions,
            tools,
        })
    }
}

fn tool_answer(message: &BodyMessage) -> ToolAnswer {
    ToolAnswer {
        call: message.tool_call_id.clone().unwrap_or_default(),
        content: text_of_content(&message.content).into(),
        is_error: false,
    }
}

impl ServedRequest for ChatInput {
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
        let round = round_of_request(&self.actions, runs, &self.tools, OwnCalls::Hidden);
        let answer = ChatAnswer {
            id: &self.id,
            model: &self.model,
            reports_usage: self.reports_usage,
        };
        if self.is_streamed {
            answer.chunks(&round)
        } else {
            answer.document(&round)
        }
    }

    fn failure(&self, message: &str) -> ServedResponse {
        let bytes = Bytes::from(error(message, None).to_string());
        ServedResponse::new(
            500,
            "application/json",
            vec![ServedFrame {
                after: Duration::ZERO,
                bytes,
            }],
        )
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        ServedFrame::event(Duration::ZERO, error(message, None)).bytes
    }

    fn adopted(&self, _recorded: &dyn ServedRequest, piece: &Bytes) -> Bytes {
        piece.clone()
    }

    fn asks_for_stream(&self) -> bool {
        self.is_streamed
    }

    fn streamed(&self, response: ServedResponse) -> ServedResponse {
        if self.is_streamed {
            response
        } else {
            streamed(response)
        }
    }

    fn ids(&self) -> &[(&'static str, String)] {
        &[]
    }
}
