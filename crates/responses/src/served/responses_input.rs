//! A request for a response as a server receives it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::responses_answer::{ResponsesAnswer, error_event, error_response};
use super::stored_responses::STORED;
use super::streamed::{id_of_response, streamed};
use crate::event::text_of;
use ananke_agents::{
    Action, OwnCalls, ServedFrame, ServedRequest, ServedResponse, TimedChange, described_action,
    round_of_request, text_of_content,
};
use ananke_base::message::{InterruptAnswer, ToolAnswer, ToolDeclaration, UserContent};
use ananke_base::{context::digest, source::received_json::read_as};

/// The body of a request.
#[derive(Deserialize)]
struct ResponsesBody {
    model: String,
    input: Option<Value>,
    tools: Option<Vec<Value>>,
    stream: Option<bool>,
    previous_response_id: Option<String>,
}

/// A request with its conversation.
pub(super) struct ResponsesInput {
    /// The id of its response, which no other has.
    id: String,
    model: String,
    is_streamed: bool,
    previous: Option<String>,
    actions: Arc<[Action]>,
    tools: Vec<ToolDeclaration>,
}

/// The actions of a client, as they are read item by item.
#[derive(Default)]
struct ActionReader {
    actions: Vec<Action>,
    /// Whether the last action may go on: a message of the model between two results shows that these are of two rounds.
    goes_on: bool,
}

/// Whether a body is a request that names a response which is not stored.
pub(super) fn names_unknown_response(body: &[u8]) -> bool {
    let Ok(body) = read_as::<ResponsesBody>(body) else {
        return false;
    };
    match body.previous_response_id {
        Some(id) => STORED.actions(&id).is_none(),
        None => false,
    }
}

impl ResponsesInput {
    /// The request in the body: the actions of the client so far, and the functions that it offers.
    ///
    /// # Errors
    /// The reason that the body is not such a request.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let input: ResponsesBody = read_as(body).map_err(|error| error.to_string())?;
        let mut reader = ActionReader::default();
        if let Some(id) = &input.previous_response_id {
            let Some(earlier) = STORED.actions(id) else {
                return Err(format!("the response `{id}` is not stored here"));
            };
            reader.actions.extend(earlier.iter().cloned());
        }
        let is_new = reader.actions.len();
        match &input.input {
            Some(Value::String(text)) => reader.user(text.as_str()),
            Some(Value::Array(items)) => {
                for item in items {
                    reader.item(item);
                }
            }
            Some(_) => return Err("`input` is neither a text nor a list".to_owned()),
            None => {}
        }
        // Without an action there is nothing to answer.
        if reader.actions.len() == is_new {
            return Err("no item of `input` is from the user".to_owned());
        }

        let mut tools = Vec::new();
        for tool in input.tools.iter().flatten() {
            // The agent cannot call a tool of another kind.
            if tool["type"] == "function"
                && let Some(name) = text_of(tool, "name")
            {
                tools.push(ToolDeclaration {
                    name: name.to_owned(),
                    description: text_of(tool, "description").unwrap_or_default().to_owned(),
                    parameters: tool["parameters"].clone(),
                });
            }
        }
        Ok(Self {
            // A hash, so that the same request gets the same id in each run.
            id: digest(&String::from_utf8_lossy(body)),
            model: input.model,
            is_streamed: input.stream.unwrap_or_default(),
            previous: input.previous_response_id,
            actions: reader.actions.into(),
            tools,
        })
    }

    fn answer(&self) -> ResponsesAnswer<'_> {
        ResponsesAnswer {
            id: &self.id,
            model: &self.model,
            previous: self.previous.as_deref(),
        }
    }
}

impl ActionReader {
    /// Reads one item. Those of the model are not kept, since they follow from the actions.
    fn item(&mut self, item: &Value) {
        let item_type = text_of(item, "type").unwrap_or("message");
        if item_type == "message" {
            match item["role"].as_str() {
                Some("user") => self.user(&text_of_content(&item["content"])),
                Some("assistant") => self.goes_on = false,
                // Instructions (`system`, `developer`) are not an action of the client.
                _ => {}
            }
        } else if item_type == "mcp_approval_response" {
            self.approval(item);
        } else if item_type.ends_with("_output") {
            self.result(item);
        } else {
            self.goes_on = false;
        }
    }

    fn user(&mut self, text: &str) {
        self.actions.push(Action::User {
            // Messages of a request have no ids.
            message_id: String::new(),
            name: None,
            content: UserContent::Text(text.into()),
        });
        self.goes_on = false;
    }

    fn result(&mut self, item: &Value) {
        let answer = ToolAnswer {
            call: text_of(item, "call_id").unwrap_or_default().to_owned(),
            content: match &item["output"] {
                Value::Array(_) => text_of_content(&item["output"]).into(),
                output => output.clone(),
            },
            is_error: item["status"] == "failed",
        };
        match self.actions.last_mut() {
            Some(Action::ToolResults(answers)) if self.goes_on => answers.push(answer),
            _ => self.actions.push(Action::ToolResults(vec![answer])),
        }
        self.goes_on = true;
    }

    fn approval(&mut self, item: &Value) {
        let id = text_of(item, "approval_request_id").unwrap_or_default();
        let approves = item["approve"] == true;
        let answer = InterruptAnswer {
            id: id.to_owned(),
            is_resolved: approves,
            payload: Some(approves.into()),
        };
        match self.actions.last_mut() {
            Some(Action::Resume(answers)) if self.goes_on => answers.push(answer),
            _ => self.actions.push(Action::Resume(vec![answer])),
        }
        self.goes_on = true;
    }
}

impl ServedRequest for ResponsesInput {
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
        let answer = self.answer();
        STORED.store(&answer.id(), Arc::clone(&self.actions));
        if self.is_streamed {
            answer.events(&round)
        } else {
            answer.document(&round)
        }
    }

    fn failure(&self, message: &str) -> ServedResponse {
        error_response(Duration::ZERO, message, None)
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        ServedFrame::named_event(Duration::ZERO, "error", error_event(message, None)).bytes
    }

    fn answered_by(&self, response: &ServedResponse) {
        if let Some(id) = id_of_response(response) {
            STORED.store(&id, Arc::clone(&self.actions));
        }
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
