//! Programs that speak AG-UI as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::CommandConfig;
use super::probed::ProbedCommand;
use crate::protocol_version::ProtocolVersion;
use crate::signs::SIGNS;
use ananke_agents::{Capabilities, ProbedProtocol, Protocol, ProtocolConfig, Target};
use ananke_base::diagnostic::{Diagnostic, SourceFile, Spanned};
use ananke_model::model::{Text, Turn};
use ananke_model::variables::{Interpolation, Leaf};

impl Protocol for CommandConfig {
    const TYPE: &'static str = "command";
    const SINCE: &'static str = "1.3";
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedCommand);
    const SIGNS: &'static [&'static str] = SIGNS;
}

impl ProtocolConfig for CommandConfig {
    fn describe(&self) -> &'static str {
        match self.conversation.version() {
            ProtocolVersion::V0 => "a program that speaks AG-UI 0.x",
            ProtocolVersion::V1 => "a program that speaks AG-UI",
        }
    }

    fn capabilities(&self) -> Capabilities {
        self.conversation.version().capabilities()
    }

    fn is_program(&self) -> bool {
        true
    }

    fn agent_id(&self) -> Option<&Text> {
        self.agent_id.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }

    fn check_turns(&self, turns: &[Spanned<Turn>], source: &Arc<SourceFile>) -> Option<Diagnostic> {
        self.conversation
            .check_connect(turns, source, "connecting to a program", "")
    }
}
