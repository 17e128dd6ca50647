//! The content of a recording of one test, as it is kept in memory: moments in microseconds since the test began.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::recorded_models::RecordedModels;
use ananke_agents::{Method, ResponseHead};
use ananke_base::message::Lane;
use ananke_trace::outcome::Problem;
use ananke_trace::process::ExitStatus;

/// Everything that came from outside while one attempt at a test was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Recorded {
    /// The moment at which the test began, in microseconds since the Unix epoch.
    pub(super) started_unix_us: u64,
    /// The moment at which its conversation was over, in milliseconds since the Unix epoch.
    pub(super) ended_unix_ms: u64,
    /// The ids that were drawn, by what they are for ([`ids_of`]), in their order.
    pub(super) ids: BTreeMap<String, Vec<String>>,
    /// The names of the secrets that markers replace.
    pub(super) secrets: Vec<String>,
    /// The actions that a walk took.
    pub(super) actions: Vec<String>,
    /// The output of the config's `setup`.
    pub(super) setup: Map<String, Value>,
    /// The output of each hook of the test; there is none after one that failed.
    pub(super) hooks: Vec<Result<Map<String, Value>, Problem>>,
    /// The requests and their answers.
    pub(super) exchanges: Vec<RecordedExchange>,
    /// The inputs that people were asked for, and their answers.
    pub(super) typed: Vec<TypedInput>,
    /// The programs that were spoken to.
    pub(super) programs: Vec<ProgramRun>,
    /// The requests to scripts and their answers.
    pub(super) scripts: Vec<ScriptAnswer>,
    /// The happenings with the models of the agent; `None` if its requests to models are not seen.
    pub(super) models: Option<RecordedModels>,
    /// Whether its file is not as it was written.
    pub(super) is_edited: bool,
}

/// The name under which ids of this kind that `lane` draws are kept: those of a helper are its own, so that a
/// conversation gets the same ids with and without it.
pub(super) fn ids_of(lane: &Lane, kind: &str) -> String {
    match lane {
        Lane::Agent => kind.to_owned(),
        Lane::Helper { .. } => format!("{lane}:{kind}"),
    }
}

/// One request to a script, and its answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScriptAnswer {
    /// The number of exchanges with the agent before it.
    pub(super) after: usize,
    /// The turn it belongs to, counted from 1.
    pub(super) turn: u32,
    /// The name of the script.
    pub(super) name: String,
    /// The hash of the request, secrets masked.
    pub(super) request: String,
    /// The answer, or the reason that there is none.
    pub(super) gave: Result<Value, Problem>,
}

/// The text that a person typed when the agent waited for input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypedInput {
    /// The turn it belongs to, counted from 1.
    pub(super) turn: u32,
    /// The text, or in words why there is none.
    pub(super) gave: Result<String, String>,
}

/// The place of an exchange, or of a run of a program, in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExchangeKey {
    /// The turn, counted from 1.
    pub(super) turn: u32,
    /// The lane.
    pub(super) lane: Lane,
    /// The number among those of this lane in this turn, counted from 1.
    pub(super) number: u32,
}

impl ExchangeKey {
    /// The key of the next one of `lane` in `turn`, after those that were `before` it.
    pub(super) fn after<'k>(
        before: impl DoubleEndedIterator<Item = &'k Self>,
        turn: u32,
        lane: &Lane,
    ) -> Self {
        let last = before.rev().find(|last| last.is_of(turn, lane));
        Self {
            turn,
            lane: lane.clone(),
            number: last.map_or(1, |last| last.number + 1),
        }
    }

    /// Whether it is of `lane` in `turn`.
    pub(super) fn is_of(&self, turn: u32, lane: &Lane) -> bool {
        self.turn == turn && self.lane == *lane
    }
}

/// One request, and its response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedExchange {
    /// The turn it belongs to, its lane, and its number among the exchanges of these.
    pub(super) key: ExchangeKey,
    /// The moment at which it was sent.
    pub(super) sent: u64,
    /// The method of the request.
    pub(super) method: Method,
    /// The path it was sent to.
    pub(super) path: String,
    /// The body of the request; empty if only its hash is known.
    pub(super) body: String,
    /// The hash of what was sent, secrets masked; only in a kept run.
    pub(super) hash: Option<String>,
    /// The response.
    pub(super) answer: RecordedResponse,
    /// The moment at which its client closed it, if it did.
    pub(super) closed: Option<u64>,
}

/// The response.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RecordedResponse {
    /// Nothing until it was closed; with what was missing, in words.
    Late(Option<String>),
    /// No connection: the message, and what to do.
    Failed(String, Option<String>),
    /// A response.
    Received {
        /// The moment at which its head arrived.
        at: u64,
        /// Its head.
        head: ResponseHead,
        /// Its body, event by event, each with the moment that completed it.
        pieces: Vec<(u64, Bytes)>,
        /// The end of the body.
        end: BodyEnd,
    },
}

/// The end of a body.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BodyEnd {
    /// It was complete.
    Complete,
    /// The connection broke.
    Broken(u64, String),
    /// The client stopped reading.
    Left,
}

/// One run of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProgramRun {
    /// The turn it was started in, its lane, and its number among the programs of these.
    pub(super) key: ExchangeKey,
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    /// The lines, in the order in which the client sent and read them.
    pub(super) lines: Vec<ProgramLine>,
    /// The end of its output.
    pub(super) end: ProgramRunEnd,
    /// The last lines that it printed to stderr, as the client read them, or as they were when it ended the program.
    pub(super) stderr: Option<String>,
    /// What the test had to know of a program that was not its own before.
    pub(super) note: Option<String>,
    /// Until when the client listened.
    pub(super) closed: u64,
}

/// A line to or from a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgramLine {
    /// The client sent it in this turn.
    Sent {
        /// Counted from 1.
        turn: u32,
        /// The line without its end.
        line: String,
        /// The moment at which it was sent.
        at: u64,
    },
    /// The program printed it: when it came, and the line without its end.
    Received(u64, Bytes),
    /// The client closed the program's stdin.
    Closed(u64),
}

impl ProgramLine {
    /// The number of bytes of the line.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Sent { line, .. } => line.len(),
            Self::Received(_, line) => line.len(),
            Self::Closed(_) => 0,
        }
    }
}

/// The end of a program's output.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgramRunEnd {
    /// It was not started: the message, and what to do.
    Failed(String, Option<String>),
    /// The program closed it: when, and how it ended if that is known.
    Complete(u64, Option<ExitStatus>),
    /// A line was too large.
    TooLarge(u64),
    /// The client stopped reading.
    Left,
}
