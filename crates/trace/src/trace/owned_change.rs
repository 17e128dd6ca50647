//! A change that outlives the bytes it was read from.
//!
//! Flows in: a change that borrows from an event. Flows out: the same change with its own texts, for code that keeps changes.
//! **Invariant:** both are equal.

use super::{Change, ResultContent};
use crate::trace::facts::owned;

impl Change<'_> {
    /// The same change with its own copies of all borrowed texts, so that it can outlive the bytes that it was read from. Changes
    /// and fields that borrow nothing are moved.
    #[expect(clippy::too_many_lines, reason = "an arm for each change")]
    pub fn into_owned(self) -> Change<'static> {
        match self {
            Change::Stamped(micros) => Change::Stamped(micros),
            Change::RunStarted {
                run_id,
                thread_id,
                is_replay,
            } => Change::RunStarted {
                run_id: run_id.map(owned),
                thread_id: thread_id.map(owned),
                is_replay,
            },
            Change::RunEnded(end) => Change::RunEnded(end),
            Change::MessageOpened { id, role, subagent } => Change::MessageOpened {
                id: owned(id),
                role,
                subagent: subagent.map(owned),
            },
            Change::MessageText { id, delta } => Change::MessageText {
                id: owned(id),
                delta: owned(delta),
            },
            Change::MessageClosed { id } => Change::MessageClosed { id: owned(id) },
            Change::MessageRetracted { id } => Change::MessageRetracted { id: owned(id) },
            Change::CallOpened { id, name, subagent } => Change::CallOpened {
                id: owned(id),
                name: owned(name),
                subagent: subagent.map(owned),
            },
            Change::CallArgs { id, delta } => Change::CallArgs {
                id: owned(id),
                delta: owned(delta),
            },
            Change::CallArgsDone { id } => Change::CallArgsDone { id: owned(id) },
            Change::CallAnswered {
                id,
                result,
                is_error,
            } => {
                let result = match result {
                    ResultContent::Text(text) => ResultContent::Text(owned(text)),
                    ResultContent::Json(value) => ResultContent::Json(value),
                    ResultContent::Structured { value, text } => {
                        ResultContent::Structured { value, text }
                    }
                };
                Change::CallAnswered {
                    id: owned(id),
                    result,
                    is_error,
                }
            }
            Change::ResultArrived { number } => Change::ResultArrived { number },
            Change::ResultFollows { id, number } => Change::ResultFollows {
                id: owned(id),
                number,
            },
            Change::CallExecuted { id } => Change::CallExecuted { id: owned(id) },
            Change::CallFailed { id, is_denied } => Change::CallFailed {
                id: owned(id),
                is_denied,
            },
            Change::ToolsDeclared { tools, is_answer } => {
                Change::ToolsDeclared { tools, is_answer }
            }
            Change::Reasoning {
                id,
                delta,
                subagent,
            } => Change::Reasoning {
                id: owned(id),
                delta: owned(delta),
                subagent: subagent.map(owned),
            },
            Change::ModelCalled(call) => Change::ModelCalled(call),
            Change::ModelAskedAgain(again) => Change::ModelAskedAgain(again),
            Change::Custom { name, value } => Change::Custom {
                name: owned(name),
                value,
            },
            Change::Aside { text, source } => Change::Aside {
                text: owned(text),
                source,
            },
            Change::Truncated => Change::Truncated,
            Change::Usage { usage, model } => Change::Usage {
                usage,
                model: model.map(owned),
            },
            Change::StateReplaced(state) => Change::StateReplaced(state),
            Change::StatePatched(patch) => Change::StatePatched(patch),
            Change::Snapshot(items) => Change::Snapshot(items),
            Change::Violation {
                rule,
                message,
                events,
            } => Change::Violation {
                rule,
                message: owned(message),
                events,
            },
            Change::Unread(unread) => Change::Unread(unread.into_owned()),
            Change::Warning(message) => Change::Warning(owned(message)),
        }
    }
}
