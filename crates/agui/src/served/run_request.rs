//! The request of a run as a server receives it.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

use super::encoder::{Encoder, error_event};
use super::recorded_ids::with_ids;
use crate::conversation_settings::ProtocolVersion;
use ananke_agents::{Action, ServedFrame, ServedRequest, ServedResponse, TimedChange, counted};
use ananke_base::message::{InterruptAnswer, ToolAnswer, ToolDeclaration, UserContent};
use ananke_base::source::received_json::read_as;
use ananke_base::text::truncate;

/// The number of characters of a text that a description contains.
const SHOWN: usize = 80;

/// The body of a request, as clients of any version write it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReceivedRunInput {
    #[serde(alias = "thread_id")]
    thread_id: String,
    #[serde(alias = "run_id")]
    run_id: String,
    messages: Vec<InputMessage>,
    tools: Option<Vec<InputTool>>,
    resume: Option<Vec<InputAnswer>>,
    #[serde(alias = "forwarded_props")]
    forwarded_props: Option<Value>,
    #[serde(alias = "protocol_version")]
    protocol_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputMessage {
    id: Option<String>,
    role: String,
    name: Option<String>,
    content: Option<Value>,
    #[serde(alias = "tool_call_id")]
    tool_call_id: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct InputTool {
    name: String,
    description: Option<String>,
    parameters: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputAnswer {
    #[serde(alias = "interrupt_id")]
    interrupt_id: String,
    status: String,
    payload: Option<Value>,
}

/// The request of a run.
pub(super) struct RunRequest {
    /// The ids of the thread and of the run.
    ids: [(&'static str, String); 2],
    /// The version that the client speaks.
    version: ProtocolVersion,
    begins: bool,
    actions: [Action; 1],
    tools: Vec<ToolDeclaration>,
}

impl RunRequest {
    /// # Errors
    /// The reason that the body is not a request of a run.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let input: ReceivedRunInput = read_as(body).map_err(|error| error.to_string())?;
        let action = action(&input)?;
        let says = |role: &str| {
            input
                .messages
                .iter()
                .filter(|message| message.role == role)
                .count()
        };
        let begins =
            matches!(action, Action::User { .. }) && says("user") == 1 && says("assistant") == 0;
        let tools = input
            .tools
            .into_iter()
            .flatten()
            .map(|tool| ToolDeclaration {
                name: tool.name,
                description: tool.description.unwrap_or_default(),
                parameters: tool.parameters.unwrap_or_default(),
            });
        Ok(Self {
            ids: [("threadId", input.thread_id), ("runId", input.run_id)],
            version: match input.protocol_version {
                Some(version) if version.starts_with("1.") => ProtocolVersion::V1,
                _ => ProtocolVersion::V0,
            },
            begins,
            actions: [action],
            tools: tools.collect(),
        })
    }

    fn thread_id(&self) -> &str {
        &self.ids[0].1
    }

    fn run_id(&self) -> &str {
        &self.ids[1].1
    }
}

/// The action that the request newly asks for.
fn action(input: &ReceivedRunInput) -> Result<Action, String> {
    if let Some(answers) = input.resume.as_ref().filter(|answers| !answers.is_empty()) {
        let answer = |answer: &InputAnswer| InterruptAnswer {
            id: answer.interrupt_id.clone(),
            is_resolved: answer.status != "cancelled",
            payload: answer.payload.clone(),
        };
        return Ok(Action::Resume(answers.iter().map(answer).collect()));
    }
    // Before the protocol had answers to interrupts.
    let command = input
        .forwarded_props
        .as_ref()
        .and_then(|props| props.get("command")?.get("resume"));
    if let Some(payload) = command {
        let answer = InterruptAnswer {
            id: String::new(),
            is_resolved: true,
            payload: Some(payload.clone()),
        };
        return Ok(Action::Resume(vec![answer]));
    }
    let answers = input
        .messages
        .iter()
        .rev()
        .take_while(|message| message.role == "tool");
    let mut answers: Vec<ToolAnswer> = answers.map(tool_answer).collect();
    if !answers.is_empty() {
        answers.reverse();
        return Ok(Action::ToolResults(answers));
    }
    let is_said = |message: &&InputMessage| ["user", "assistant"].contains(&message.role.as_str());
    match input.messages.iter().rfind(is_said) {
        // If the agent spoke last, it goes on from what the user said before.
        Some(_) => match input
            .messages
            .iter()
            .rfind(|message| message.role == "user")
        {
            Some(message) => Ok(Action::User {
                message_id: message.id.clone().unwrap_or_default(),
                name: message.name.clone(),
                content: UserContent::Text(text(message.content.as_ref()).into()),
            }),
            None => Err("no message is from the user".to_owned()),
        },
        None => Ok(Action::Connect),
    }
}

fn tool_answer(message: &InputMessage) -> ToolAnswer {
    ToolAnswer {
        call: message.tool_call_id.clone().unwrap_or_default(),
        content: message
            .error
            .clone()
            .unwrap_or_else(|| text(message.content.as_ref()))
            .into(),
        is_error: message.error.is_some(),
    }
}

/// The text of a content; of several parts, those that are text.
fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl ServedRequest for RunRequest {
    fn thread(&self) -> Option<&str> {
        Some(self.thread_id())
    }

    fn begins(&self) -> bool {
        self.begins
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn tools(&self) -> &[ToolDeclaration] {
        &self.tools
    }

    fn describe(&self) -> String {
        match &self.actions[0] {
            Action::User { content, .. } => {
                format!("{:?}", truncate::chars(&content.text(), SHOWN))
            }
            Action::Resume(answers) => counted("answer", answers.len()),
            Action::ToolResults(answers) => counted("result", answers.len()),
            _ => "connects to the thread".to_owned(),
        }
    }

    fn response(&self, runs: &[Vec<TimedChange>]) -> ServedResponse {
        let mut encoder = Encoder::new(self.thread_id(), self.run_id(), self.version);
        for timed in runs.iter().flatten() {
            encoder.encode(timed);
        }
        ServedResponse::events(encoder.into_frames())
    }

    fn failure(&self, message: &str) -> ServedResponse {
        let after = std::time::Duration::ZERO;
        ServedResponse::events(vec![ServedFrame {
            after,
            bytes: self.failure_frame(message),
        }])
    }

    fn failure_frame(&self, message: &str) -> Bytes {
        ServedFrame::event(std::time::Duration::ZERO, error_event(message, None)).bytes
    }

    fn adopted(&self, recorded: &dyn ServedRequest, piece: &Bytes) -> Bytes {
        with_ids(piece, recorded.ids(), self.ids())
    }

    fn ids(&self) -> &[(&'static str, String)] {
        &self.ids
    }
}
