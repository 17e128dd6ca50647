//! The chat routes that could be at a URL.

use serde_json::json;
use url::Url;

use ananke_agents::http::{below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, ProbeQuestion, ProbedProtocol,
    TargetCandidate, is_base, target_keys,
};

/// The path that `useChat` posts to unless the app says otherwise.
const USUAL: [&str; 2] = ["api", "chat"];

/// Backends of `useChat`.
pub(super) struct ProbedAiSdk;

impl ProbedProtocol for ProbedAiSdk {
    fn candidates(&self, place: &AgentPlace, _name: Option<&str>) -> Vec<TargetCandidate> {
        let Some(url) = place.url() else {
            return Vec::new();
        };
        let mut candidates = vec![route(url, CandidatePlace::Given)];
        if is_base(url)
            && let Some(usual) = below(url, USUAL.into_iter())
        {
            candidates.push(route(&usual, CandidatePlace::Usual));
        }
        candidates
    }
}

fn route(url: &Url, place: CandidatePlace) -> TargetCandidate {
    TargetCandidate {
        speaks: "UI message streams of AI SDK",
        sends: format!("POST {} with a greeting", shown(url)),
        target: Some(target_keys("ai-sdk", [("endpoint", json!(url.as_str()))])),
        first: FirstRequest::Post(url.clone()),
        lookup: None,
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
