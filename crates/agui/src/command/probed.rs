//! The program that speaks AG-UI that a program could be.

use serde_json::json;

use ananke_agents::{Candidate, CandidatePlace, Place, ProbedProtocol, Question, target_keys};

/// Programs that read runs as lines, and print the events of AG-UI.
pub(super) struct ProbedCommand;

impl ProbedProtocol for ProbedCommand {
    fn candidates(&self, place: &Place, _: Option<&str>) -> Vec<Candidate> {
        let candidate = |words: &[String]| Candidate {
            speaks: "AG-UI in JSON lines",
            sends: "a run with a greeting to its stdin".to_owned(),
            target: Some(target_keys("command", [("cmd", json!(words))])),
            lookup: None,
            question: Question::Greeting,
            place: CandidatePlace::Given,
        };
        place.program().map(candidate).into_iter().collect()
    }
}
