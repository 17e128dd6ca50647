//! The reason why a turn or a test could not be evaluated to its end.
//!
//! **Why:** A rule that failed says something about the agent; a problem says that nothing could be said. They are two
//! types, so that no report can count one as the other, and no agent that is down looks like one that is wrong.

use serde::{Deserialize, Serialize};

use super::sentence::without_data;
use super::{FailureReason, Status};
use ananke_derive::Mask;

/// The part that could not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The agent reported an error, cancelled the run unasked, or does not report what a rule needs.
    Agent,
    /// The conversation cannot go on as the test is written: a call without a mock, a question that no turn answers.
    /// Neither is the fault of the agent.
    Conversation,
    /// The response is not what the protocol promises.
    Protocol,
    /// A hook did not do its work.
    Hook,
    /// A script did not do its work.
    Script,
    /// A judge gave no verdict.
    Judge,
    /// A simulator did not say what the user says next.
    Simulator,
    /// The test could not be set up: a variable, a file that changed.
    Setup,
    /// The rules took longer to compute than they may.
    Judging,
    /// The turn took longer than its timeout.
    Timeout,
    /// A turn has no value for what it was to capture.
    Capture,
    /// There is no recording that can be replayed, or none could be written.
    Recording,
    /// The model that the agent's code asks was asked what nothing answers, or was not asked what it had to be.
    Model,
    /// Kept answers of the agent are evaluated again, and there is none to what the test asks now.
    NotAsked,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Agent,
        Self::Conversation,
        Self::Protocol,
        Self::Hook,
        Self::Script,
        Self::Judge,
        Self::Simulator,
        Self::Setup,
        Self::Judging,
        Self::Timeout,
        Self::Capture,
        Self::Recording,
        Self::Model,
        Self::NotAsked,
    ];

    /// The word for the kind in reports. Other programs read it, so that it must not change.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Conversation => "conversation",
            Self::Protocol => "protocol",
            Self::Hook => "hook",
            Self::Script => "script",
            Self::Judge => "judge",
            Self::Simulator => "simulator",
            Self::Setup => "setup",
            Self::Judging => "judging",
            Self::Timeout => "timeout",
            Self::Capture => "capture",
            Self::Recording => "recording",
            Self::Model => "model",
            Self::NotAsked => "not_asked",
        }
    }

    /// The status of a turn or test that a problem of this kind ends.
    pub fn status(self) -> Status {
        match self {
            // The agent did something else than the test is written for, which is a failure like that of a rule.
            Self::Conversation | Self::Capture => Status::Failed,
            Self::Timeout => Status::Timeout,
            // The kept answers do not contain what the test asks now, so that they do not show the result.
            Self::NotAsked => Status::NotShown,
            // A part that is needed did not work, so that nothing can be said about the agent.
            Self::Agent
            | Self::Protocol
            | Self::Hook
            | Self::Script
            | Self::Judge
            | Self::Simulator
            | Self::Setup
            | Self::Judging
            | Self::Recording
            | Self::Model => Status::Error,
        }
    }
}

/// The end of the command that records the models of a test again, which is the remedy if the agent asks something else.
pub const RECORD_MODELS: &str = "--models record";

/// The reason why a test or turn could not be evaluated to its end.
#[derive(Clone, Debug, PartialEq, Eq, Mask, Serialize, Deserialize)]
pub struct Problem {
    /// The part that could not do its work.
    #[mask(skip)]
    pub kind: ErrorKind,
    /// The error: `agent error: model unavailable`, `timeout after 30 s`.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl Problem {
    /// The message without what was received or printed.
    pub fn sentence(&self) -> &str {
        let line = self.message.lines().next().unwrap_or_default();
        line.split("; received: ").next().unwrap_or(line)
    }

    /// The key by which equal problems of several tests are grouped: the kind, and the sentence without the values that differ
    /// from test to test.
    pub fn reason(&self) -> FailureReason {
        let sentence = self.sentence();
        let about = match self.kind {
            // The sentence of a timeout continues after ": " with what had arrived until then, which is different each time.
            ErrorKind::Timeout => sentence.split(": ").next().unwrap_or(sentence),
            _ => sentence,
        };
        FailureReason {
            kind: self.kind.as_str().into(),
            // Only findings of rules have a tool and a path.
            tool: None,
            path: None,
            about: Some(without_data(about)),
        }
    }

    /// A problem without a remedy.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
        }
    }

    /// The same problem with a remedy.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}
