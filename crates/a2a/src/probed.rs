//! The agents of A2A that could be at a URL.

use serde_json::json;
use url::Url;

use super::discovery::well_known;
use ananke_agents::http::shown;
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, ProbeQuestion, ProbedProtocol, TargetCandidate,
    is_base, target_keys,
};

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
        lookup: None,
        question: ProbeQuestion::Tools,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
