//! The versions of AG-UI, and what agents of each can do.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_agents::{Capabilities, Capability};

/// A version of AG-UI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum ProtocolVersion {
    /// Requests declare version 1.0, and files are parts with their own types.
    #[default]
    #[serde(rename = "1.0")]
    V1,
    /// Requests declare no version, and files are parts with the type `binary`.
    #[serde(rename = "0.x")]
    V0,
}

/// The abilities of every agent.
const OF_ALL: &[Capability] = OF_V1.split_at(9).0;

/// The abilities of agents of 1.0: first those of every agent.
const OF_V1: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::State,
    Capability::UserTurns,
    Capability::Connect,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
    Capability::FilesBesideImages,
    Capability::ToolParts,
    Capability::UntypedUrls,
];

impl ProtocolVersion {
    /// The capabilities of agents of this version.
    pub(super) fn capabilities(self) -> Capabilities {
        match self {
            Self::V0 => Capabilities::of(OF_ALL),
            Self::V1 => Capabilities::of(OF_V1),
        }
    }
}
