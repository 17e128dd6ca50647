//! The end of a turn, and the state of its task after it.

use super::{dialect::Dialect, incoming::ReportedError, task_state::TaskState};
use ananke_agents::TargetError;
use ananke_trace::trace::RunEnd;

/// The state of the task after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterTurn {
    /// It waits for the next message.
    TaskWaits,
    /// It is over.
    TaskIsOver,
    /// The state before: the turn had no task.
    Unchanged,
}

/// The codes with which an agent says that it is not asked like this: it has no such method, or not this version.
const REFUSALS: [&str; 2] = ["-32601", "-32009"];

/// The code with which an older agent says that this is no request: it knows no such method, and looks no further.
const NO_REQUEST: &str = "-32600";

/// Whether the agent may be one of an older version. It has not taken the message in, so it can be sent once more.
pub(super) fn may_be_older(error: &ReportedError) -> bool {
    is_refusal(error) || error.code.as_deref() == Some(NO_REQUEST)
}

/// Whether the agent does not take such requests at all.
pub(super) fn is_refusal(error: &ReportedError) -> bool {
    error
        .code
        .as_deref()
        .is_some_and(|code| REFUSALS.contains(&code))
}

/// The error of an agent that does not take such requests.
pub(super) fn refusal(error: &ReportedError, dialect: Dialect) -> TargetError {
    let Dialect { version, binding } = dialect;
    let message = format!(
        "the agent does not accept requests of A2A {version} over {binding}: {}",
        words(error)
    );
    TargetError::new(message).with_help(
        "does its agent card name another interface? Without a card, write one: `agentCard: { url: …, protocolVersion: \"0.3\" }`",
    )
}

/// The error of an agent that does not take requests of either version, asked for `first` at first.
pub(super) fn refusal_of_both(first: &ReportedError, error: &ReportedError) -> TargetError {
    let message = format!(
        "the agent accepts requests of A2A neither in version 1.0 nor in 0.3, over JSON-RPC: {}; {}",
        words(first),
        words(error)
    );
    TargetError::new(message)
        .with_help("it speaks JSON-RPC, but not A2A: is it a server of another protocol?")
}

fn words(error: &ReportedError) -> String {
    let code = error
        .code
        .as_ref()
        .map(|code| format!(" (code `{code}`)"))
        .unwrap_or_default();
    format!("{}{code}", error.message)
}

/// The end of the run: with an error of the agent, or with its task in this state; `text` is what the agent said about
/// that.
pub(super) fn run_end(
    error: Option<ReportedError>,
    state: Option<TaskState>,
    text: &str,
) -> RunEnd {
    if let Some(ReportedError { code, message }) = error {
        return RunEnd::Error { message, code };
    }
    let failed = |code: &str, without: &str| {
        let message = if text.is_empty() {
            without.to_owned()
        } else {
            text.to_owned()
        };
        RunEnd::Error {
            message,
            code: Some(code.to_owned()),
        }
    };
    match state {
        // A direct message.
        None | Some(TaskState::Completed | TaskState::Open) => RunEnd::Finished,
        // The next message answers it.
        Some(TaskState::InputRequired) => RunEnd::Interrupted(Vec::new()),
        Some(TaskState::AuthRequired) => {
            let said = if text.is_empty() {
                String::new()
            } else {
                format!(": {text}")
            };
            let message =
                format!("the task waits for an authorization that a test cannot give{said}");
            RunEnd::Error {
                message,
                code: Some("auth-required".to_owned()),
            }
        }
        Some(TaskState::Failed) => {
            failed("failed", "the task failed, and the agent does not say why")
        }
        Some(TaskState::Rejected) => failed(
            "rejected",
            "the agent rejected the task, and does not say why",
        ),
        Some(TaskState::Canceled) => RunEnd::Cancelled,
    }
}

/// The state of the task after the turn.
pub(super) fn after(state: Option<TaskState>) -> AfterTurn {
    match state {
        None => AfterTurn::Unchanged,
        Some(state) if state.is_interrupted() => AfterTurn::TaskWaits,
        Some(_) => AfterTurn::TaskIsOver,
    }
}
