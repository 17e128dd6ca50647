//! The roles of helpers.

/// The task of a target that is not under test itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelperRole {
    /// A verdict on what the agent did.
    Validator,
    /// The next input of a user.
    Simulator,
    /// Test cases.
    Generator,
    /// A report of a run.
    Reporter,
}

impl HelperRole {
    /// Every role.
    pub const ALL: [Self; 4] = [
        Self::Validator,
        Self::Simulator,
        Self::Generator,
        Self::Reporter,
    ];

    /// The `test_mode` of a question to it.
    pub fn test_mode(self) -> &'static str {
        match self {
            Self::Validator => "validator",
            Self::Simulator => "simulator",
            Self::Generator => "generator",
            Self::Reporter => "reporter",
        }
    }

    /// The name of the role for users, also in the name of its lane.
    pub fn name(self) -> &'static str {
        match self {
            Self::Validator => "judge",
            Self::Simulator | Self::Generator | Self::Reporter => self.test_mode(),
        }
    }

    /// The form that the answer of this role must have, as help about an answer that cannot be read. `None` if the role has no
    /// such help: the error about a generator or a reporter says what was missing.
    pub fn help(self) -> Option<&'static str> {
        match self {
            Self::Validator => Some(
                "a judge answers with one JSON object and nothing else, such as `{\"passed\": false, \"reason\": \"…\"}`, \
                 or ends with a line `PASS: …` or `FAIL: …`",
            ),
            Self::Simulator => Some(
                "a simulator answers with one JSON object and nothing else, such as `{\"input\": \"…\", \"goal_achieved\": false}`, \
                 or with what the user says",
            ),
            Self::Generator | Self::Reporter => None,
        }
    }

    /// The instructions of a bare model, which does not know the role by itself.
    pub fn prompt(self) -> &'static str {
        match self {
            Self::Validator => include_str!("prompts/validator.txt"),
            Self::Simulator => include_str!("prompts/simulator.txt"),
            Self::Generator => include_str!("prompts/generator.txt"),
            Self::Reporter => include_str!("prompts/reporter.txt"),
        }
    }
}
