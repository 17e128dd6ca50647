//! The AI SDK as a protocol of the registry.

use std::sync::Arc;

use super::aisdk_target::compile;
use super::config::AiSdkConfig;
use super::probed::ProbedAiSdk;
use super::served::ServedAiSdk;
use ananke_agents::{
    Capabilities, Capability, ProbedProtocol, Protocol, ProtocolConfig, ServedProtocol, Target,
};
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// The protocol has no tokens, no state and no replay of a chat. A call that waits for an approval is an interrupt.
const ABILITIES: &[Capability] = &[
    Capability::ToolCalls,
    Capability::UserTurns,
    Capability::Interrupts,
    Capability::ClientTools,
    Capability::History,
    Capability::FilesBesideImages,
    Capability::OwnRequests,
    Capability::PassingRequests,
];

impl Protocol for AiSdkConfig {
    const TYPE: &'static str = "ai-sdk";
    const SINCE: &'static str = "1.4";
    const ABILITIES: Capabilities = Capabilities::of(ABILITIES);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        (
            "client_tools",
            "Client-side tools, whose calls are answered by their mocks. A request of the protocol cannot declare them: the backend has their declarations.",
        ),
        (
            "threadId",
            "The `id` of the chat (default: a new one for each test). `${THREAD_ID}` is this id.",
        ),
    ];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedAiSdk);
    const SIGNS: &'static [&'static str] = &[
        "{\"type\":\"start\"}",
        "{\"type\":\"start\",\"messageId\":",
        "{\"type\":\"start\",\"messageMetadata\":",
        "\"type\":\"start-step\"",
        "\"type\":\"text-start\"",
        "\"type\":\"text-delta\"",
        "\"type\":\"reasoning-start\"",
        "\"type\":\"tool-input-start\"",
        "\"type\":\"tool-input-available\"",
    ];
    const SERVED: Option<&'static dyn ServedProtocol> = Some(&ServedAiSdk);
}

impl ProtocolConfig for AiSdkConfig {
    fn describe(&self) -> &'static str {
        "a backend of AI SDK"
    }

    fn capabilities(&self) -> Capabilities {
        Self::ABILITIES
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_reads_the_requests_that_a_mock_answers() {
        assert!(AiSdkConfig::SERVED.is_some());
        assert!(AiSdkConfig::ABILITIES.has(Capability::PassingRequests));
    }
}
