//! The models behind chat completions that could be at a URL.

use super::config::CHAT_COMPLETIONS;
use ananke_agents::{AgentPlace, ApiPath, ModelProbe, ModelUrl, ProbedProtocol, TargetCandidate};

/// Models behind chat completions, with and without a list of the models.
pub(super) struct ProbedOpenai;

impl ProbedProtocol for ProbedOpenai {
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let probe = ModelProbe {
            of_type: "openai",
            speaks: "OpenAI chat completions",
            path: ApiPath::below_base(CHAT_COMPLETIONS),
            at,
        };
        probe.candidates(place, name)
    }
}

fn at(url: &ModelUrl<'_>) -> Vec<TargetCandidate> {
    let mut candidates = Vec::new();
    // The path of another API of models has no chat completions below it, so that a question there would find nothing.
    if !url.ends_with("/responses") && !url.ends_with("/messages") {
        candidates.push(url.listed());
    }
    // A greeting to a model that no list names is a POST, which is only sent where the path is that of the API.
    if url.ends_with("/v1") || url.ends_with(CHAT_COMPLETIONS) {
        candidates.push(url.unlisted());
    }
    candidates
}
