//! AG-UI as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::{AguiConfig, AguiTransport, ProtocolVersion};
use crate::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use crate::model::{Text, Turn};
use crate::source::FreeMap;
use crate::target::capabilities::{Capabilities, Capability};
use crate::target::protocol::{Protocol, ProtocolConfig};
use crate::target::target::Target;
use crate::variables::Filling;

/// What a server of 0.x can do.
const OF_V0: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::State,
    Capability::UserTurns,
    Capability::Connect,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
];

/// What a server of 1.0 can do.
const OF_V1: &[Capability] = &[
    Capability::ToolCalls,
    Capability::Usage,
    Capability::State,
    Capability::UserTurns,
    Capability::Connect,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
    Capability::ToolParts,
    Capability::UntypedUrls,
];

impl Protocol for AguiConfig {
    const TYPE: &'static str = "agui";
    const SINCE: &'static str = "1.0";
}

impl ProtocolConfig for AguiConfig {
    fn describe(&self) -> &'static str {
        match self.version() {
            ProtocolVersion::V0 => "an agent of AG-UI 0.x",
            ProtocolVersion::V1 => "an agent of AG-UI",
        }
    }

    fn capabilities(&self) -> Capabilities {
        match self.version() {
            ProtocolVersion::V0 => Capabilities::new(OF_V0),
            ProtocolVersion::V1 => Capabilities::new(OF_V1),
        }
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, filling: &mut Filling<'_>) -> Option<Arc<dyn Target>> {
        compile(self, filling).map(|target| Arc::new(target) as Arc<dyn Target>)
    }

    /// Some servers take a run without messages for a run like any other (SPEC 4).
    fn check_turns(&self, turns: &[Spanned<Turn>], source: &Arc<SourceFile>) -> Option<Diagnostic> {
        if self.transport() != AguiTransport::Http || self.connect.is_some() {
            return None;
        }
        let turn = turns.iter().find(|turn| matches!(turn.value, Turn::Connect(_)))?;
        let message =
            "connecting over plain HTTP sends a run without messages, which some agents answer by running";
        let warning = Diagnostic::warning(Code::ConnectOverHttp, message).at(source, turn.span, "");
        Some(warning.help(
            "say `connect: empty_run` on the target if this agent tells its thread then, or reach it through a \
             runtime with `transport: copilotkit`",
        ))
    }
}
