//! The finding that a target answers none of its first tests.

use ananke_base::diagnostic::Place;
use ananke_derive::Mask;

/// The process that runs an agent: it decides what a user has to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentHost {
    /// Behind an address.
    Network,
    /// In a program that is started for each conversation.
    Program,
    /// In the process of a test of pytest or vitest, which runs it.
    TestProcess,
    /// In ananke itself: nothing else is needed.
    Embedded,
}

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
    /// The process that does not answer.
    #[mask(skip)]
    pub agent: AgentHost,
    /// The programs of the config that run as servers, each as it is called.
    pub servers: Vec<String>,
    /// Whether no further test is sent to the target.
    pub stops: bool,
}
