//! The strictness with which the requests of a replay are compared.

use ananke_base::message::Lane;

/// The similarity to a recorded request that a replayed one must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestMatch {
    /// Equal, but for generated ids.
    #[default]
    Exact,
    /// It may be another (`--replay-loose`).
    Loose,
    /// Equal, but for generated ids, if it is to the agent. What helpers and scripts are asked may differ.
    ExactForAgent,
}

impl RequestMatch {
    /// Whether a request of `lane` must be equal.
    pub(super) fn is_exact(self, lane: &Lane) -> bool {
        match self {
            Self::Exact => true,
            Self::ExactForAgent => *lane == Lane::Agent,
            Self::Loose => false,
        }
    }
}
