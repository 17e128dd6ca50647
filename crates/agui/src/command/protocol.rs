//! Programs that speak AG-UI as a protocol of the registry, and the one that a program could be.

use std::sync::Arc;

use serde_json::json;

use super::{CommandConfig, command_target::compile};
use crate::conversation_settings::ProtocolVersion;
use crate::signs::SIGNS;
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, Capabilities, Capability, FirstRequest, ProbeQuestion,
    ProbedProtocol, Protocol, ProtocolConfig, Target, TargetCandidate, target_keys,
};
use ananke_base::diagnostic::{Diagnostic, SourceFile, Spanned};
use ananke_model::model::{Text, Turn};
use ananke_model::variables::{Interpolation, Leaf};
use ananke_trace::outcome::AgentHost;

/// The capabilities of a program, which no other client sends requests to.
const fn capabilities(version: ProtocolVersion) -> Capabilities {
    version.capabilities().without(Capability::PassingRequests)
}

impl Protocol for CommandConfig {
    const TYPE: &'static str = "command";
    const SINCE: &'static str = "1.3";
    const ABILITIES: Capabilities = capabilities(ProtocolVersion::V1);
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
        capabilities(self.conversation.version())
    }

    fn host(&self) -> AgentHost {
        AgentHost::Program
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

/// Programs that read runs as lines, and print the events of AG-UI.
pub(super) struct ProbedCommand;

impl ProbedProtocol for ProbedCommand {
    fn candidates(&self, place: &AgentPlace, _: Option<&str>) -> Vec<TargetCandidate> {
        let candidate = |words: &[String]| TargetCandidate {
            speaks: "AG-UI in JSON lines",
            sends: "a run with a greeting to its stdin".to_owned(),
            target: Some(target_keys("command", [("cmd", json!(words))])),
            first: FirstRequest::Lines,
            lookup: None,
            question: ProbeQuestion::Greeting,
            turns: AgentTurns::User,
            at: place.clone(),
            place: CandidatePlace::Given,
        };
        place.program().map(candidate).into_iter().collect()
    }
}
