//! The models of the Responses API that could be at a URL.

use super::config::RESPONSES;
use ananke_agents::{AgentPlace, ApiPath, ModelProbe, ModelUrl, ProbedProtocol, TargetCandidate};

/// Models of the Responses API, with and without a list of the models.
pub(super) struct ProbedResponses;

impl ProbedProtocol for ProbedResponses {
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let probe = ModelProbe {
            of_type: "responses",
            speaks: "the Responses API",
            path: ApiPath::below_base(RESPONSES),
            at,
        };
        probe.candidates(place, name)
    }
}

fn at(url: &ModelUrl<'_>) -> Vec<TargetCandidate> {
    // A server of chat completions may have this API as well, with the same models: it is asked after them.
    if url.ends_with("/v1") || url.ends_with("/responses") {
        vec![url.listed(), url.unlisted()]
    } else {
        Vec::new()
    }
}
