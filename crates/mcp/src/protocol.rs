//! Servers of MCP as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::{McpConfig, McpTransport};
use super::probed::ProbedMcp;
use super::turns::{CallTurn, ListTurn, PromptTurn, ReadTurn, TOOLS};
use ananke_agents::{
    Capabilities, Capability, ProbedProtocol, Protocol, ProtocolConfig, ProtocolTurnType, Target,
    ToolTurns,
};
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};
use ananke_trace::outcome::AgentHost;

/// The abilities of a server: it is no agent that talks.
const ABILITIES: &[Capability] = &[Capability::ToolCalls, Capability::ToolSchemas];

impl Protocol for McpConfig {
    const TYPE: &'static str = "mcp";
    const SINCE: &'static str = "1.2";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const IDLE_KEYS: &'static [&'static str] = &["client_tools"];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedMcp);
    const SIGNS: &'static [&'static str] = &[
        "\"serverInfo\":",
        "\"method\":\"notifications/",
        "\"id\":\"server-error\"",
        "Mcp-Session-Id",
        "Clientmustaccept",
        "NovalidsessionID",
        "MissingsessionID",
        "Servernotinitialized",
    ];
    const OWN_TURNS: &'static [ProtocolTurnType] = &[
        ProtocolTurnType::of::<CallTurn>(),
        ProtocolTurnType::of::<ListTurn>(),
        ProtocolTurnType::of::<ReadTurn>(),
        ProtocolTurnType::of::<PromptTurn>(),
    ];
    const TOOL_TURNS: Option<ToolTurns> = Some(TOOLS);
}

impl ProtocolConfig for McpConfig {
    fn describe(&self) -> &'static str {
        "a server of MCP"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn how_to_get(&self, lacking: Capability) -> Option<&'static str> {
        (lacking == Capability::UserTurns).then_some(
            "the test calls the tools itself: `- { type: mcp:call, tool: search, args: { query: shoes } }`; `ananke tools` lists them",
        )
    }

    fn host(&self) -> AgentHost {
        match self.transport.value {
            McpTransport::Stdio => AgentHost::Program,
            McpTransport::Http | McpTransport::Sse => AgentHost::Network,
        }
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }
}
