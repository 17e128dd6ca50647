//! The lines of a recording as types.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::recorded_models::ModelPlace;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::AskedAgain;

/// The version of the format that is written.
pub(super) const VERSION: &str = "1.4";

/// The major version that is read.
pub(super) const MAJOR: &str = "1";

/// The text around the data of most events; of these only the data is kept.
pub(super) const EVENT: (&str, &str) = ("data: ", "\n\n");

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordingLine {
    Recording(Heading),
    /// The result of the config's `setup`.
    Setup(Map<String, Value>),
    Hook(HookLine),
    Script(ScriptLine),
    Typed(TypedLine),
    Request(RequestLine),
    Head(HeadLine),
    Event(EventLine),
    Text(TextLine),
    Bytes(Encoded),
    End(EndLine),
    Program(RunLine),
    Sent(SentLine),
    Output(OutputLine),
    /// The client closed the program's stdin.
    Closed(ClosedLine),
    Exit(ExitLine),
    /// The happenings with models at one step of an exchange. Versions before 1.4 have none.
    Models(ModelsLine),
    /// The problem of a model that ended the test.
    ModelProblem(ModelProblemLine),
    /// The last line: the hash of all lines before it. Versions before 1.3 have none.
    Hash(String),
}

#[derive(Serialize, Deserialize)]
pub(super) struct Heading {
    pub(super) version: String,
    pub(super) test: String,
    pub(super) run: u32,
    pub(super) attempt: u32,
    pub(super) started_unix_us: u64,
    pub(super) ended_unix_ms: u64,
    #[serde(default)]
    pub(super) ids: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) secrets: Vec<String>,
    /// Whether the requests of the agent to its models are seen.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) sees_models: bool,
    /// The actions that a walk took; only of a walk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) actions: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct HookLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<FailureLine>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ScriptLine {
    pub(super) turn: u32,
    pub(super) name: String,
    /// The hash of the request.
    pub(super) request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<FailureLine>,
}

/// The text that a person typed.
#[derive(Serialize, Deserialize)]
pub(super) struct TypedLine {
    pub(super) turn: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The reason that there is no text, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct FailureLine {
    pub(super) message: String,
    /// `timeout` if the time of the test was up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
}

impl FailureLine {
    /// The problem of a program of this kind.
    pub(super) fn problem(self, kind: ErrorKind) -> Problem {
        let is_timeout = self.kind.as_deref() == Some(ErrorKind::Timeout.as_str());
        let kind = if is_timeout { ErrorKind::Timeout } else { kind };
        Problem {
            kind,
            message: self.message,
            help: self.help,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct RequestLine {
    pub(super) turn: u32,
    /// The lane of the exchange; the default is the agent, as in versions before 1.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lane: Option<String>,
    /// Its number among those of this lane in this turn; versions before 1.2 leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) exchange: Option<u32>,
    pub(super) at_us: u64,
    /// The method of the request; the default is `POST`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    pub(super) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Box<RawValue>>,
    /// The body, if it is not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The hash of the body, which is omitted then; only in a kept run, where requests repeat all that was said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct HeadLine {
    pub(super) at_us: u64,
    pub(super) status: u16,
    pub(super) content_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) location: Option<String>,
    /// The headers that the protocol asked for, each with its name and its value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) headers: Vec<(String, String)>,
    /// The proxy that it came through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proxy: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct EventLine {
    pub(super) at_us: u64,
    pub(super) data: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TextLine {
    pub(super) at_us: u64,
    pub(super) text: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Encoded {
    pub(super) at_us: u64,
    pub(super) base64: String,
}

impl Encoded {
    /// The bytes that are written.
    ///
    /// # Errors
    /// If they are not valid base64: the message.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, &'static str> {
        decoded(&self.base64)
    }
}

fn decoded(base64: &str) -> Result<Vec<u8>, &'static str> {
    STANDARD
        .decode(base64)
        .map_err(|_| "this is not valid base64")
}

#[derive(Serialize, Deserialize)]
pub(super) struct EndLine {
    pub(super) how: EndKind,
    /// The moment at which the connection broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at_us: Option<u64>,
    /// The reason that it broke, or that there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<String>,
    /// The moment at which the exchange was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) closed_us: Option<u64>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RunLine {
    pub(super) turn: u32,
    /// The lane of the program; the default is the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lane: Option<String>,
    /// Its number among the programs of this lane in this turn.
    pub(super) exchange: u32,
    pub(super) argv: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SentLine {
    pub(super) turn: u32,
    pub(super) at_us: u64,
    #[serde(flatten)]
    pub(super) line: WrittenLine,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClosedLine {
    pub(super) at_us: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct OutputLine {
    pub(super) at_us: u64,
    #[serde(flatten)]
    pub(super) line: WrittenLine,
}

/// A line to or from a program. It is a string also if it is JSON: so its every character is kept, and a line that is
/// not JSON needs no form of its own.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WrittenLine {
    Text(String),
    /// The bytes of a text that is not UTF-8.
    Base64(String),
}

impl WrittenLine {
    /// The bytes of the line.
    ///
    /// # Errors
    /// If they are not valid base64: the message.
    pub(super) fn into_bytes(self) -> Result<Vec<u8>, &'static str> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Base64(base64) => decoded(&base64),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ExitLine {
    pub(super) how: EndKind,
    /// The moment at which its output ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at_us: Option<u64>,
    /// The exit code, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signal: Option<i32>,
    /// The reason that it was not started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<FailureLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stderr: Option<String>,
    /// What the test had to know of a program that was not its own before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// Until when the client listened.
    pub(super) closed_us: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ModelsLine {
    pub(super) turn: u32,
    /// The number of the exchange in the turn.
    pub(super) exchange: u32,
    /// The number of steps of the exchange before it; omitted after the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<u32>,
    /// The time that passed, although nothing slept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) passed_us: Option<u64>,
    /// The calls that were answered, each as JSON.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<Value>,
    /// The requests that were sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) asked_again: Vec<AskedAgain>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ModelProblemLine {
    #[serde(flatten)]
    pub(super) problem: FailureLine,
    /// The exchange that ended because a model had no answer; omitted if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed_in: Option<ModelPlace>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EndKind {
    Complete,
    Broken,
    Left,
    Late,
    Failed,
    /// A line of a program was too large.
    TooLarge,
}
