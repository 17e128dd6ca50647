//! The keys of an agent in the process of a test, as a protocol of the registry.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::target::ExternalTarget;
use crate::capabilities::{Capabilities, Capability};
use crate::protocol::{Protocol, ProtocolConfig};
use crate::target::Target;
use ananke_model::model::{NotBefore, Text};
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_trace::outcome::AgentHost;

/// An agent that is an object in the process of a test: pytest, vitest or another runner has it, and reports what it does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = NotBefore("1.4"))]
pub struct ExternalConfig {
    /// The name of the agent, also in reports.
    #[schemars(length(min = 1), example = &"shop")]
    pub agent: Text,
}

impl Protocol for ExternalConfig {
    const TYPE: &'static str = "external";
    const SINCE: &'static str = "1.4";
    const ABILITIES: Capabilities = Capabilities::of(&[
        Capability::ToolCalls,
        Capability::Usage,
        Capability::State,
        Capability::UserTurns,
        Capability::Interrupts,
    ]);
    const IDLE_KEYS: &'static [&'static str] = &["client_tools"];
}

impl ProtocolConfig for ExternalConfig {
    fn describe(&self) -> &'static str {
        "an agent in the process of a test"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn host(&self) -> AgentHost {
        AgentHost::TestProcess
    }

    fn agent_id(&self) -> Option<&Text> {
        Some(&self.agent)
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        let agent: String = self.agent.fill(interpolation)?;
        Ok(Arc::new(ExternalTarget::new(agent)))
    }
}
