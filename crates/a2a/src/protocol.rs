//! A2A as a protocol of the registry, and the agents of A2A that could be at a URL.

use std::sync::Arc;

use serde_json::json;
use url::Url;

use super::auth_config::A2aAuth;
use super::compile::compile;
use super::config::A2aConfig;
use super::discovery::well_known;
use super::send_turn::SendTurn;
use ananke_agents::http::shown;
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, Capabilities, Capability, FirstRequest, ProbeQuestion,
    ProbedProtocol, Protocol, ProtocolConfig, ProtocolTurnType, Target, TargetCandidate, is_base,
    target_keys,
};
use ananke_base::diagnostic::Span;
use ananke_base::source::FreeMap;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, Leaf};

/// The abilities of an agent that names a convention for its tool calls: first those of every agent.
const WITH_CONVENTION: &[Capability] = &[
    Capability::UserTurns,
    Capability::FilesBesideImages,
    Capability::UntypedUrls,
    Capability::ToolCalls,
];

/// The abilities of every agent: all of these but calls.
const ABILITIES: &[Capability] = WITH_CONVENTION.split_at(3).0;

impl Protocol for A2aConfig {
    const TYPE: &'static str = "a2a";
    const SINCE: &'static str = "1.1";
    const ABILITIES: Capabilities = Capabilities::of(WITH_CONVENTION);
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "threadId",
        "The value of `${THREAD_ID}` (default: a new one for each test). It is sent to the agent only as part of `contextId`.",
    )];
    const IDLE_KEYS: &'static [&'static str] = &["client_tools"];
    const PROBED: Option<&'static dyn ProbedProtocol> = Some(&ProbedA2a);
    const SIGNS: &'static [&'static str] = &[
        "\"supportedInterfaces\":",
        "\"preferredTransport\":",
        "\"result\":{\"task\":",
        "\"result\":{\"statusUpdate\":",
        "\"result\":{\"artifactUpdate\":",
        "\"kind\":\"status-update\"",
        "\"kind\":\"artifact-update\"",
        "\"state\":\"TASK_STATE_",
        "\"code\":-32009",
        "\"domain\":\"a2a-protocol.org\"",
        "Requestpayloadvalidationerror",
        "InvalidJSON-RPCRequest.",
    ];
    const OWN_TURNS: &'static [ProtocolTurnType] = &[ProtocolTurnType::of::<SendTurn>()];
}

impl ProtocolConfig for A2aConfig {
    fn describe(&self) -> &'static str {
        "an agent of A2A"
    }

    fn address(&self) -> Option<Span> {
        self.agent_card_url.as_ref().map(|url| url.span)
    }

    fn capabilities(&self) -> Capabilities {
        let has_convention = self
            .tool_calls
            .as_ref()
            .is_some_and(|conventions| !conventions.is_empty());
        Capabilities::of(if has_convention {
            WITH_CONVENTION
        } else {
            ABILITIES
        })
    }

    fn how_to_get(&self, lacking: Capability) -> Option<&'static str> {
        (lacking == Capability::ToolCalls).then_some(
            "the protocol does not show them; if the agent follows a convention that does, name it: `tool_calls: [adk]` in the target",
        )
    }

    fn headers(&self) -> Option<&FreeMap<Text>> {
        self.headers.as_ref()
    }

    fn missing(&self) -> Option<(&'static str, &'static str)> {
        let is_found =
            self.agent_card_url.is_some() || self.agent_card.is_some() || self.endpoint.is_some();
        (!is_found).then_some((
            "a target of the type `a2a` needs `agentCardUrl`, `agentCard` or `endpoint`",
            "add the base URL of the agent: `agentCardUrl: \"http://127.0.0.1:9000\"`",
        ))
    }

    fn credentials(&self) -> Vec<&Text> {
        self.auth
            .iter()
            .flat_map(|auth| A2aAuth::texts(auth))
            .collect()
    }

    fn compile(&self, interpolation: &mut Interpolation<'_>) -> Leaf<Arc<dyn Target>> {
        compile(self, interpolation).map(|target| Arc::new(target) as Arc<dyn Target>)
    }
}

/// Agents of A2A: their card is below the URL, at it, or below the root of the server.
pub(super) struct ProbedA2a;

impl ProbedProtocol for ProbedA2a {
    fn candidates(&self, place: &AgentPlace, _: Option<&str>) -> Vec<TargetCandidate> {
        let Some(url) = place.url() else {
            return Vec::new();
        };
        let mut root = url.clone();
        root.set_path("/");
        root.set_query(None);
        let at_root = (!is_base(url)).then(|| candidate(&root, CandidatePlace::Usual));
        [candidate(url, CandidatePlace::Given)]
            .into_iter()
            .chain(at_root)
            .collect()
    }
}

fn candidate(url: &Url, place: CandidatePlace) -> TargetCandidate {
    let card = well_known(url);
    TargetCandidate {
        speaks: "A2A",
        sends: format!("GET {}", shown(card.first().unwrap_or(url))),
        target: Some(target_keys("a2a", [("agentCardUrl", json!(url.as_str()))])),
        first: FirstRequest::Get(card),
        lookup: None,
        question: ProbeQuestion::Tools,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
