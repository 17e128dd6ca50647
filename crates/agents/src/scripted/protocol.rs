//! Agents written in YAML as a protocol of the registry.

use std::sync::Arc;

use super::{ScriptedConfig, target::compile};
use crate::capabilities::{Capabilities, Capability};
use crate::protocol::{Protocol, ProtocolConfig};
use crate::target::Target;
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};
use ananke_trace::outcome::AgentHost;

impl Protocol for ScriptedConfig {
    const TYPE: &'static str = "scripted";
    const SINCE: &'static str = "1.3";
    const ABILITIES: Capabilities = Capabilities::of(&[
        Capability::ToolCalls,
        Capability::Usage,
        Capability::ModelRequests,
        Capability::State,
        Capability::UserTurns,
        Capability::Connect,
        Capability::Interrupts,
        Capability::ClientTools,
        Capability::History,
        Capability::ToolParts,
        Capability::FilesBesideImages,
        Capability::UntypedUrls,
    ]);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "timeout_ms",
            "Timeout for one turn, in milliseconds of virtual time (default 120000).",
        ),
        (
            "client_tools",
            "Client-side (frontend) tools: a `call` to one without a `result` is answered by its mock.",
        ),
    ];
}

impl ProtocolConfig for ScriptedConfig {
    fn describe(&self) -> &'static str {
        "a scripted agent"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn host(&self) -> AgentHost {
        AgentHost::Embedded
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn agent_id(&self) -> Option<&Text> {
        self.agent_id.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }
}
