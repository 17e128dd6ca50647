//! The states of a task, in the spelling of either version.

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskState {
    /// The agent works, or will: `submitted`, `working`; also a state that is not known.
    Open,
    /// It waits for a message of the user.
    InputRequired,
    /// It waits until the user has authorized something.
    AuthRequired,
    /// It is done.
    Completed,
    /// It failed.
    Failed,
    /// It was rejected.
    Rejected,
    /// It was cancelled.
    Canceled,
}

impl TaskState {
    /// The state that `word` names: `TASK_STATE_INPUT_REQUIRED`, `input-required`.
    pub(super) fn parse(word: &str) -> Self {
        let plain = word
            .strip_prefix("TASK_STATE_")
            .unwrap_or(word)
            .to_ascii_lowercase()
            .replace('_', "-");
        match plain.as_str() {
            "input-required" => Self::InputRequired,
            "auth-required" => Self::AuthRequired,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "rejected" => Self::Rejected,
            "canceled" | "cancelled" => Self::Canceled,
            _ => Self::Open,
        }
    }

    /// Whether the agent waits for input or an authorization.
    pub(super) fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Whether nothing more comes of the task.
    pub(super) fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Rejected | Self::Canceled
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_one_state() {
        for (one, other, state) in [
            ("TASK_STATE_SUBMITTED", "submitted", TaskState::Open),
            ("TASK_STATE_WORKING", "working", TaskState::Open),
            (
                "TASK_STATE_INPUT_REQUIRED",
                "input-required",
                TaskState::InputRequired,
            ),
            (
                "TASK_STATE_AUTH_REQUIRED",
                "auth-required",
                TaskState::AuthRequired,
            ),
            ("TASK_STATE_COMPLETED", "completed", TaskState::Completed),
            ("TASK_STATE_FAILED", "failed", TaskState::Failed),
            ("TASK_STATE_REJECTED", "rejected", TaskState::Rejected),
            ("TASK_STATE_CANCELED", "canceled", TaskState::Canceled),
            ("TASK_STATE_UNSPECIFIED", "unspecified", TaskState::Open),
        ] {
            assert_eq!([TaskState::parse(one), TaskState::parse(other)], [state; 2]);
        }
    }
}
