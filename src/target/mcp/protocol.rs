//! Servers of MCP as a protocol of the registry.

use std::path::Path;
use std::sync::Arc;

use super::config::McpConfig;
use super::mcp_target::McpTarget;
use crate::model::{Number, TurnKind};
use crate::process::WrittenCommand;
use crate::target::capabilities::{Capabilities, Capability};
use crate::target::limits::Limits;
use crate::target::pipe::PipeProgram;
use crate::target::protocol::{Protocol, ProtocolConfig, TurnType};
use crate::target::target::Target;
use crate::variables::Interpolation;

/// What a server cannot do: it is no agent that talks.
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
        "a program that is a server of MCP"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::all_but(LACKING)
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Option<Arc<dyn Target>> {
        let written = WrittenCommand { cmd: &self.command, env: self.env.as_ref(), cwd: self.cwd.as_ref() };
        let command = written.fill(interpolation, Interpolation::sent_text);
        let mut bytes = |written: &Option<Number>, default: usize| {
            let Some(written) = written else { return Some(default) };
            let number = interpolation.number_within(written, 1, u64::from(u32::MAX)).ok()?;
            usize::try_from(number).ok()
        };
        let max_response_bytes = bytes(&self.max_response_bytes, Limits::MAX_RESPONSE_BYTES);
        let max_line_bytes = bytes(&self.max_event_bytes, Limits::MAX_EVENT_BYTES);
        let home = interpolation.source().path.parent().map(Path::to_path_buf).unwrap_or_default();
        let program = PipeProgram { command: command?, home, max_line_bytes: max_line_bytes? };
        Some(Arc::new(McpTarget::new(program, self.protocol.unwrap_or_default(), max_response_bytes?)))
    }
}
