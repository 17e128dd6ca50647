//! The program that speaks AG-UI that a program could be.

use serde_json::json;

use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, ProbeQuestion, ProbedProtocol, TargetCandidate,
    target_keys,
};

/// Programs that read runs as lines, and print the events of AG-UI.
pub(super) struct ProbedCommand;

impl ProbedProtocol for ProbedCommand {
    fn candidates(&self, place: &AgentPlace, _: Option<&str>) -> Vec<TargetCandidate> {
        let candidate = |words: &[String]| TargetCandidate {
            speaks: "AG-UI in JSON lines",
            sends: "a run with a greeting to its stdin".to_owned(),
            target: Some(target_keys("command", [("cmd", json!(words))])),
            lookup: None,
            question: ProbeQuestion::Greeting,
            turns: AgentTurns::User,
            at: place.clone(),
            place: CandidatePlace::Given,
        };
        place.program().map(candidate).into_iter().collect()
    }
}
