//! The models of the Messages API that could be at a URL.

use super::config::MESSAGES;
use ananke_agents::{AgentPlace, ModelProbe, ModelUrl, ProbedProtocol, TargetCandidate};

/// Models of the Messages API, with and without a list of the models.
pub(super) struct ProbedAnthropic;

impl ProbedProtocol for ProbedAnthropic {
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let probe = ModelProbe {
            of_type: "anthropic",
            speaks: "the Messages API",
            path: MESSAGES,
            at,
        };
        probe.candidates(place, name)
    }
}

fn at(url: &ModelUrl<'_>) -> Vec<TargetCandidate> {
    // A server of other APIs may have this one as well, with the same models: it is asked after them.
    if url.ends_with("/v1") || url.ends_with("/messages") {
        vec![url.listed(), url.unlisted()]
    } else {
        Vec::new()
    }
}
