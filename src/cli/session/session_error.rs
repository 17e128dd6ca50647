//! The error of a request, with its code.

use ananke::diagnostic::Diagnostic;
use ananke::testing::TestingError;
use serde_json::{Value, json};

/// The code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum SessionErrorCode {
    /// The line is not JSON.
    Parse = -32700,
    /// The line is not a request, or is too long.
    InvalidRequest = -32600,
    /// There is no such method.
    UnknownMethod = -32601,
    /// The keys of the request are wrong, or something that they name does not exist.
    InvalidParams = -32602,
    /// `initialize` comes first.
    NotInitialized = -32002,
    /// The run was cancelled.
    Cancelled = -32800,
    /// The agent could not be asked, or its turn did not end as it should.
    Agent = -32000,
    /// A judge or a script could not be asked, or gave no verdict.
    Judge = -32001,
    /// The conversation is over.
    Over = -32003,
    /// Too many requests wait for their answers.
    Busy = -32004,
    /// The tests cannot run: a server or the `setup` of the config failed, or a file cannot be written.
    Project = -32005,
}

/// The error of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SessionError {
    pub(super) code: SessionErrorCode,
    /// The problem, and the remedy.
    pub(super) message: String,
}

impl SessionError {
    /// An error with this code.
    pub(super) fn new(code: SessionErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The keys of a request are wrong, or what they name.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(SessionErrorCode::InvalidParams, message)
    }

    /// The tests cannot run.
    #[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
    pub(super) fn project(error: impl ToString) -> Self {
        Self::new(SessionErrorCode::Project, error.to_string())
    }

    /// There is no config.
    pub(super) fn without_config(problem: &Diagnostic) -> Self {
        let message = &problem.message;
        Self::params(format!(
            "{message}\nhelp: name one with `config`, or give the agent as an object: `target: {{type: …}}`"
        ))
    }

    /// Problems of a config or a test: every error, with its place and what to do.
    pub(super) fn of_problems(problems: &[Diagnostic]) -> Self {
        Self::from(TestingError::of_problems(problems))
    }

    /// The object of an answer.
    pub(super) fn to_json(&self) -> Value {
        json!({ "code": self.code as i64, "message": self.message })
    }
}

impl From<TestingError> for SessionError {
    fn from(error: TestingError) -> Self {
        let code = match &error {
            TestingError::Config(_) | TestingError::Usage(_) => SessionErrorCode::InvalidParams,
            TestingError::Agent(_) => SessionErrorCode::Agent,
            TestingError::Judge(_) => SessionErrorCode::Judge,
        };
        Self::new(code, error.to_string())
    }
}
