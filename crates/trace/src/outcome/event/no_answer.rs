//! The finding that a target answers none of its first tests.

use ananke_base::diagnostic::Place;
use ananke_derive::Mask;

/// The first tests of a target got no complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Mask)]
pub struct NoAnswer {
    /// The number of those tests.
    pub tests: usize,
    /// Whether an answer to one of them began, with nothing but silence after it.
    pub begins: bool,
    /// The place of the agent's address in the config.
    pub place: Place,
    /// That line of the config.
    pub line: String,
    /// Whether the agent is a program that is started for each conversation.
    pub is_program: bool,
    /// The programs of the config that run as servers, each as it is called.
    pub servers: Vec<String>,
    /// The effect on the other tests.
    #[mask(skip)]
    pub after: AfterNoAnswer,
}

/// The effect on the tests of a target whose first ones got no answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterNoAnswer {
    /// No further test is sent to their target.
    #[default]
    Stop,
    /// They run.
    Continue,
}
