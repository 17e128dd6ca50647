//! Servers of MCP as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::{McpConfig, McpTransport};
use super::probed::ProbedMcp;
use ananke_agents::{Capabilities, Capability, ProbedProtocol, Protocol, ProtocolConfig, Target};
use ananke_base::source::FreeMap;
use ananke_model::model::{Text, TurnKind, TurnType};
use ananke_model::variables::Interpolation;

/// The capabilities that a server lacks: it is not an agent that answers in text.
const LACKING: &[Capability] = &[
    Capability::Usage,
    Capability::State,
    Capability::UserTurns,
    Capability::MessageParts,
    Capability::Connect,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
];

impl Protocol for McpConfig {
    const TYPE: &'static str = "mcp";
    const SINCE: &'static str = "1.2";
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
    const TURN_TYPES: &'static [TurnType] = &[
        TurnType {
            name: "mcp:call",
            since: "1.2",
            description: "Calls a tool of an MCP server.",
            kind: TurnKind::CallTool,
        },
        TurnType {
            name: "mcp:list",
            since: "1.2",
            description: "Lists the tools of an MCP server. The text of the turn is the list as JSON.",
            kind: TurnKind::ListTools,
        },
        TurnType {
            name: "mcp:read",
            since: "1.2",
            description: "Reads a resource of an MCP server. The text of the turn is the text of its contents.",
            kind: TurnKind::ReadResource,
        },
        TurnType {
            name: "mcp:prompt",
            since: "1.2",
            description: "Gets a prompt of an MCP server. The text of the turn is the text of its messages.",
            kind: TurnKind::GetPrompt,
        },
    ];
}

impl ProtocolConfig for McpConfig {
    fn describe(&self) -> &'static str {
        "a server of MCP"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::all_but(LACKING)
    }

    fn how_to_get(&self, lacking: Capability) -> Option<&'static str> {
        (lacking == Capability::UserTurns).then_some(
            "the test calls the tools itself: `- { type: mcp:call, tool: search, args: { query: shoes } }`; `ananke tools` lists them",
        )
    }

    fn is_program(&self) -> bool {
        self.transport.value == McpTransport::Stdio
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Option<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }
}
