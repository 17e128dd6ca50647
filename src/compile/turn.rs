//! What each turn does, with its variables filled.

use std::time::Duration;

use serde_json::{Map, Value};

use super::attachment::{self, Files};
use super::capture::Capture;
use crate::diagnostic::{Code, Spanned};
use crate::message::UserContent;
use crate::model::{Resume, ResumeStatus, Turn, TurnSettings};
use crate::source::Node;
use crate::variables::{Filling, Late};

/// A turn that is ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedTurn {
    /// What it is called.
    pub id: Option<String>,
    /// What it does.
    pub input: TurnInput,
    /// What its message is called, where it was written as the last of the `messages`.
    pub message: MessageId,
    /// How long it may take, where it says so itself.
    pub timeout: Option<Duration>,
    /// Passed to the agent with its runs, over what is passed with every run.
    pub props: Map<String, Value>,
    /// What it keeps for those behind it.
    pub captures: Vec<Capture>,
}

/// The id and the sender's name that a test gives a message of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageId {
    /// Its id; without one it gets a new one.
    pub id: Option<String>,
    /// The name of who says it.
    pub name: Option<String>,
}

impl PreparedTurn {
    /// Checks and fills a turn; `None` where something is known later or was reported.
    pub(crate) fn fill(turn: &Turn, files: Files<'_>, filling: &mut Filling<'_>) -> Option<Self> {
        let TurnSettings { id, timeout_ms, props, capture } = turn.settings();
        let id = Late::optional(id.map(|id| filling.text(id)));
        let timeout = Late::optional(timeout_ms.map(|number| filling.number(number)));
        let props = passed_on(props, filling);
        let captures: Vec<Option<Capture>> = capture
            .into_iter()
            .flatten()
            .map(|(name, written)| Capture::fill(name, written, filling))
            .collect();
        let input = TurnInput::fill(turn, files, filling);
        Some(Self {
            id: id.ready()?,
            input: input?,
            message: MessageId::default(),
            timeout: timeout.ready()?.map(Duration::from_millis),
            props: props?,
            captures: captures.into_iter().collect::<Option<_>>()?,
        })
    }
}

impl PreparedTurn {
    /// Passes `outer` on as well, under what the turn itself passes on: key by key.
    pub(crate) fn pass_on_under(&mut self, outer: &Map<String, Value>) {
        let own = std::mem::replace(&mut self.props, outer.clone());
        self.props.extend(own);
    }
}

/// A mapping that is passed to the agent; empty where there is none.
pub(crate) fn passed_on(written: Option<&Node>, filling: &mut Filling<'_>) -> Option<Map<String, Value>> {
    let value = Late::optional(written.map(|node| filling.json(node))).ready()?;
    Some(match value {
        Some(Value::Object(props)) => props,
        _ => Map::new(),
    })
}

/// What a turn does.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnInput {
    /// The user says this.
    User(UserContent),
    /// Connects to the thread.
    Connect,
    /// Answers what the agent waits for.
    Resume(Vec<Reply>),
}

/// The answer to one thing the agent waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What is answered.
    pub to: ReplyTo,
    /// Whether it is answered, and not called off.
    pub resolved: bool,
    /// The answer.
    pub payload: Option<Value>,
}

/// What of the things an agent waits for is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyTo {
    /// The only one.
    TheOnlyOne,
    /// The interrupt of this id, or the call of this id.
    Id(String),
    /// The one about a call of this tool.
    Tool(String),
}

impl TurnInput {
    /// Checks and fills a turn; `None` where something is known later or was reported.
    pub(crate) fn fill(turn: &Turn, files: Files<'_>, filling: &mut Filling<'_>) -> Option<Self> {
        match turn {
            Turn::User(turn) => {
                let attachments = turn.attachments.as_deref().unwrap_or_default();
                attachment::user_content(&turn.user, attachments, files, filling).map(Self::User)
            }
            Turn::Connect(_) => Some(Self::Connect),
            Turn::Resume(turn) => {
                let several = turn.resume.len() > 1;
                let replies: Vec<Option<Reply>> =
                    turn.resume.iter().map(|written| reply(written, several, filling)).collect();
                replies.into_iter().collect::<Option<_>>().map(Self::Resume)
            }
        }
    }

    /// The turn in words, for people: what the user says, or what is done instead.
    pub fn describe(&self) -> String {
        match self {
            Self::User(content) => content.describe(),
            Self::Connect => CONNECT.to_owned(),
            Self::Resume(replies) => {
                let replies: Vec<String> = replies.iter().map(Reply::describe).collect();
                format!("{RESUME} {}", replies.join(", "))
            }
        }
    }

    /// The same of a turn as it is written, of which something is known later.
    pub(crate) fn written(turn: &Turn) -> String {
        match turn {
            Turn::User(turn) => turn.user.written(),
            Turn::Connect(_) => CONNECT.to_owned(),
            Turn::Resume(_) => RESUME.to_owned(),
        }
    }
}

const CONNECT: &str = "(connects to the thread)";
const RESUME: &str = "(resumes)";

impl Reply {
    fn describe(&self) -> String {
        let to = match &self.to {
            ReplyTo::TheOnlyOne => String::new(),
            ReplyTo::Id(id) => format!("`{id}` "),
            ReplyTo::Tool(tool) => format!("the call of `{tool}` "),
        };
        let status = if self.resolved { "resolved" } else { "cancelled" };
        let payload = self.payload.as_ref().map(|payload| format!(" {payload}")).unwrap_or_default();
        format!("{to}{status}{payload}")
    }
}

fn reply(written: &Spanned<Resume>, several: bool, filling: &mut Filling<'_>) -> Option<Reply> {
    let Resume { id, tool, status, payload } = &written.value;
    let payload = Late::optional(payload.as_ref().map(|node| filling.json(node)));
    let to = match (id, tool) {
        (Some(id), None) => filling.text(id).ready().map(ReplyTo::Id),
        (None, Some(tool)) => filling.text(tool).ready().map(ReplyTo::Tool),
        (None, None) if !several => Some(ReplyTo::TheOnlyOne),
        (None, None) => {
            let message = "several answers, and this one does not say what it answers";
            let help = "give it the interrupt's `id`, or the `tool` whose call waits";
            filling.report(Code::MissingKey, written.span, message, Some(help.to_owned()));
            None
        }
        (Some(_), Some(tool)) => {
            let message = "`id` and `tool` both say what is answered";
            filling.report(Code::Contradiction, tool.span, message, Some("keep one of them".to_owned()));
            None
        }
    };
    Some(Reply { to: to?, resolved: *status == ResumeStatus::Resolved, payload: payload.ready()? })
}
