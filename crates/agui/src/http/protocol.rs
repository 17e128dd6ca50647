//! AG-UI as a protocol of the registry.

use std::sync::Arc;

use super::{AguiConfig, AguiTransport, agui_target::compile, probed::ProbedAgui};
use crate::conversation_settings::ProtocolVersion;
use crate::served::ServedAgui;
use crate::signs::SIGNS;
use ananke_agents::{
    Capabilities, ProbedProtocol, Protocol, ProtocolConfig, ServedProtocol, Target,
};
use ananke_base::diagnostic::{Diagnostic, SourceFile, Spanned};
use ananke_base::source::FreeMap;
use ananke_model::model::{Text, Turn, TurnKind, TurnType};
use ananke_model::variables::{Interpolation, Leaf};

impl Protocol for AguiConfig {
    const TYPE: &'static str = "agui";
    const SINCE: &'static str = "1.0";
    const ABILITIES: Capabilities = ProtocolVersion::V1.capabilities();
    const TURN_TYPES: &'static [TurnType] = &[
        TurnType {
            name: "agui:connect",
            since: "1.0",
            description: "Connects to the thread and adopts the messages and state that the agent replays. Only its own assertions apply to them.",
            kind: TurnKind::Connect,
        },
        TurnType {
            name: "agui:resume",
            since: "1.3",
            description: "The name that `resume` had before schema version 1.4.",
            kind: TurnKind::Resume,
        },
    ];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedAgui);
    const SIGNS: &'static [&'static str] = SIGNS;
    const SERVED: Option<&'static dyn ServedProtocol> = Some(&ServedAgui);
}

impl ProtocolConfig for AguiConfig {
    fn describe(&self) -> &'static str {
        match self.conversation.version() {
            ProtocolVersion::V0 => "an agent of AG-UI 0.x",
            ProtocolVersion::V1 => "an agent of AG-UI",
        }
    }

    fn capabilities(&self) -> Capabilities {
        self.conversation.version().capabilities()
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn agent_id(&self) -> Option<&Text> {
        self.agent_id.as_ref()
    }

    fn missing(&self) -> Option<(&'static str, &'static str)> {
        let asks_runtime = self.transport() != AguiTransport::Http;
        (asks_runtime && self.agent_id.is_none()).then_some((
            "the key `agentId` is missing: a runtime of CopilotKit is asked for an agent by its name",
            "add the name that the agent has there: `agentId: shop`",
        ))
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }

    fn check_turns(&self, turns: &[Spanned<Turn>], source: &Arc<SourceFile>) -> Option<Diagnostic> {
        if self.transport() != AguiTransport::Http {
            return None;
        }
        let or_else = ", or reach it through a runtime with `transport: copilotkit`";
        self.conversation
            .check_connect(turns, source, "connecting over plain HTTP", or_else)
    }
}
