//! The peer of a test, in the words of reports, and the kind of time that it lives in.

use serde::{Deserialize, Serialize};

/// The peer of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Peer {
    /// An agent, which decides what it says and does.
    #[default]
    Agent,
    /// A server, whose tools the test calls itself: it only answers.
    Server,
}

impl Peer {
    /// `the agent`
    pub fn noun(self) -> &'static str {
        match self {
            Self::Agent => "the agent",
            Self::Server => "the server",
        }
    }

    /// `the agent said`
    pub fn said(self) -> &'static str {
        match self {
            Self::Agent => "the agent said",
            Self::Server => "the server answered",
        }
    }

    /// `the agent's last message`
    pub fn last_message(self) -> &'static str {
        match self {
            Self::Agent => "the agent's last message",
            Self::Server => "the server's last answer",
        }
    }
}

/// The kind of time that the durations of a test are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AgentTime {
    /// The time that passed while the test ran.
    #[default]
    Wall,
    /// The time of an agent whose delays are simulated: it passes without anything waiting for it.
    Virtual,
}
