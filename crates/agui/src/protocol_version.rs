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

/// The capabilities that are missing in an agent of 0.x.
const NOT_OF_V0: &[Capability] = &[
    Capability::OpenTools,
    Capability::ToolSchemas,
    Capability::MessageParts,
    Capability::ToolParts,
    Capability::UntypedUrls,
];

/// The capabilities that every agent lacks.
const NOT_OF_V1: &[Capability] = &[
    Capability::OpenTools,
    Capability::ToolSchemas,
    Capability::MessageParts,
];

impl ProtocolVersion {
    /// The capabilities of agents of this version.
    pub(super) fn capabilities(self) -> Capabilities {
        match self {
            Self::V0 => Capabilities::all_but(NOT_OF_V0),
            Self::V1 => Capabilities::all_but(NOT_OF_V1),
        }
    }
}
