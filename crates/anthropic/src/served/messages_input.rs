//! A request for a message as a server receives it.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::messages_answer::{MessagesAnswer, error, error_response};
use super::streamed::streamed;
use crate::message_event::{text_of, type_of};
use ananke_agents::{
    Action, OwnCalls, ServedFrame, ServedRequest, ServedResponse, TimedChange, described_action,
    round_of_request, text_of_content,
};
use ananke_base::message::{ToolAnswer, ToolDeclaration, UserContent};
use ananke_base::{context::digest, source::received_json::read_as};

/// The body of a request.
#[derive(Deserialize)]
struct MessagesBody {
    model: String,
    /// The most tokens of the answer. The API requires the number, by which its requests differ from those of other APIs.
    #[serde(rename = "max_tokens")]
    _max_tokens: Number,
    messages: Vec<MessagesItem>,
    tools: Option<Vec<Value>>,
    stream: Option<bool>,
}

#[derive(Deserialize)]
struct MessagesItem {
    role: String,
    content: Value,
}

/// A request with its conversation.
pub(super) struct MessagesInput {
    /// The id that distinguishes its response from others.
    id: String,
    model: String,
    is_streamed: bool,
    actions: Vec<Action>,
    tools: Vec<ToolDeclaration>,
}

impl MessagesInput {
    /// The request in the body: the actions of the client so far, and the tools that it executes.
    ///
    /// # Errors
    /// The reason that the body is not such a request.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let input: MessagesBody = read_as(body).map_err(|error| error.to_string())?;
        // Messages of the model are not kept, since they follow from the actions.
        let mut actions = Vec::new();
        for message in &input.messages {
            match message.role.as_str() {
                "user" => add_user(&message.content, &mut actions),
                "assistant" | "system" => {}
                other => return Err(format!("there is no role `{other}`")),
            }
        }
        // Without an action there is nothing to answer.
        if actions.is_empty() {
            return Err("no message is from the user".to_owned());
        }
        Ok(Self {
            // A hash, so that the same request gets the same id in each run.
            id: digest(&String::from_utf8_lossy(body)),
            model: input.model,
            is_streamed: input.stream.unwrap_or_default(),
            actions,
            tools: tools(&input.tools.unwrap_or_default()),
        })
    }

    fn answer(&self) -> MessagesAnswer<'_> {
        MessagesAnswer {
            id: &self.id,
            model: &self.model,
        }
    }
}

/// Adds the actions of a message of the user: results of one round, and then what the user says.
fn add_user(content: &Value, actions: &mut Vec<Action>) {
    let mut answers = Vec::new();
    for block in content.as_array().into_iter().flatten() {
        if type_of(block) == "tool_result" {
            answers.push(ToolAnswer {
                call: text_of(block, "tool_use_id").unwrap_or_default().to_owned(),
                content: text_of_content(&block["content"]).into(),
                is_error: block["is_error"] == true,
            });
        }
    }
    let said = text_of_content(content);
    // A message of files alone is one of the user as well.
    let is_said = answers.is_empty() || !said.is_empty();
    if !answers.is_empty() {
        actions.push(Action::ToolResults(answers));
    }
    if is_said {
        actions.push(Action::User {
            // Messages of the API have no ids.
            message_id: String::new(),
            name: None,
            content: UserContent::Text(said.into()),
        });
    }
}

/// The tools that the client executes. The agent cannot call one of another type.
fn tools(declared: &[Value]) -> Vec<ToolDeclaration> {
    let mut tools = Vec::new();
    for tool in declared {
        if matches!(type_of(tool), "" | "custom")
            && let Some(name) = text_of(tool, "name")
        {
            tools.push(ToolDeclaration {
                name: name.to_owned(),
                description: text_of(tool, "description").unwrap_or_default().to_owned(),
                parameters: tool["input_schema"].clone(),
            });
        }
    }
    tools
}

impl ServedRequest for MessagesInput {
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
        let round = round_of_request(&self.actions, runs, &self.tools, OwnCalls::Shown);
        if self.is_streamed {
            self.answer().events(&round)
        } else {
            self.answer().document(&round)
        }
    }

    fn failure(&self, message: &str) -> ServedResponse {
        error_response(Duration::ZERO, message, None)
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        ServedFrame::named_event(Duration::ZERO, "error", error(message, None)).bytes
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
