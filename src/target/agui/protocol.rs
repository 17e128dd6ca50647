//! AG-UI as a protocol of the registry.

use std::sync::Arc;

use super::compile::compile;
use super::config::{AguiConfig, AguiTransport, ProtocolVersion};
use crate::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use crate::model::{Text, Turn, TurnKind};
use crate::source::FreeMap;
use crate::target::capabilities::{Capabilities, Capability};
use crate::target::protocol::{Protocol, ProtocolConfig, TurnType};
use crate::target::target::Target;
use crate::variables::Interpolation;

/// What a server of 0.x cannot do.
const NOT_OF_V0: &[Capability] = &[Capability::ToolParts, Capability::UntypedUrls];

impl Protocol for AguiConfig {
    const TYPE: &'static str = "agui";
    const SINCE: &'static str = "1.0";
    const TURN_TYPES: &'static [TurnType] = &[
        TurnType {
            name: "agui:connect",
            since: "1.0",
            description: "Connects to the thread and adopts the messages and state that the agent replays.",
            kind: TurnKind::Connect,
        },
        TurnType {
            name: "agui:resume",
            since: "1.3",
            description: "Answers open interrupts, or a call that only a person can answer.",
            kind: TurnKind::Resume,
        },
    ];
    const RULES: &'static str = include_str!("../../../docs/sequence.md");
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
            ProtocolVersion::V0 => Capabilities::all_but(NOT_OF_V0),
            ProtocolVersion::V1 => Capabilities::all_but(&[]),
        }
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Option<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
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
            "set `connect: empty_run` on the target if this agent replays its thread then, or reach it through a \
             runtime with `transport: copilotkit`",
        ))
    }
}
