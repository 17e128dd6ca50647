//! The agents of AG-UI that could be at a URL: the agent itself, or a runtime of `CopilotKit` before it.

use bytes::Bytes;
use serde_json::{Value, json};
use url::Url;

use ananke_agents::http::{Method, below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, NameLookup, ProbeQuestion,
    ProbedProtocol, TargetCandidate, is_base, target_keys,
};

/// The paths that agents usually have.
const USUAL: [&str; 4] = ["agent", "agui", "ag-ui", "awp"];

/// The path of a runtime of `CopilotKit`.
const RUNTIME: [&str; 2] = ["api", "copilotkit"];

/// Agents of AG-UI.
pub(super) struct ProbedAgui;

impl ProbedProtocol for ProbedAgui {
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let Some(url) = place.url() else {
            return Vec::new();
        };
        let below = |segments: &[&str]| {
            is_base(url)
                .then(|| below(url, segments.iter().copied()))
                .flatten()
        };
        let usual = USUAL.iter().filter_map(|name| below(&[name]));
        let runtime = below(&RUNTIME);
        let given = runtimes(url, CandidatePlace::Given)
            .into_iter()
            .chain([agent(url, CandidatePlace::Given, name)]);
        let usual = usual.map(|url| agent(&url, CandidatePlace::Usual, name));
        let runtime = runtime.map(|url| runtimes(&url, CandidatePlace::Usual));
        given
            .chain(runtime.into_iter().flatten())
            .chain(usual)
            .collect()
    }
}

/// The agent at the URL itself.
fn agent(url: &Url, place: CandidatePlace, name: Option<&str>) -> TargetCandidate {
    let name = name.map(|name| ("agentId", json!(name)));
    let keys = [("endpoint", json!(url.as_str()))].into_iter().chain(name);
    TargetCandidate {
        speaks: "AG-UI",
        sends: format!("POST {} with a greeting", shown(url)),
        target: Some(target_keys("agui", keys)),
        first: FirstRequest::Post(url.clone()),
        lookup: None,
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}

/// The agents of a runtime at the URL: with routes of its own for each, and with a single route.
fn runtimes(url: &Url, place: CandidatePlace) -> [TargetCandidate; 2] {
    let runtime = |transport: &str, first: FirstRequest, lookup: NameLookup| TargetCandidate {
        speaks: "AG-UI behind CopilotKit",
        sends: format!("{}; if it lists agents, a greeting", lookup.sends()),
        target: Some(target_keys(
            "agui",
            [
                ("transport", json!(transport)),
                ("endpoint", json!(url.as_str())),
            ],
        )),
        first,
        lookup: Some(lookup),
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    };
    let (read, key) = (
        agents as fn(u16, &Value) -> Option<Vec<String>>,
        Some("agentId"),
    );
    let routes = NameLookup {
        method: Method::Get,
        url: below(url, ["info"].into_iter()).unwrap_or_else(|| url.clone()),
        body: Bytes::new(),
        read,
        key,
    };
    let single = NameLookup {
        method: Method::Post,
        url: url.clone(),
        body: Bytes::from(json!({ "method": "info" }).to_string()),
        read,
        key,
    };
    let info = FirstRequest::Get(vec![routes.url.clone()]);
    [
        runtime("copilotkit-rest", info, routes),
        runtime("copilotkit", FirstRequest::Post(url.clone()), single),
    ]
}

/// The agents that a runtime lists.
fn agents(status: u16, answer: &Value) -> Option<Vec<String>> {
    let names = match answer.get("agents")? {
        Value::Object(agents) => agents.keys().cloned().collect(),
        Value::Array(agents) => {
            let name = |agent: &Value| {
                let name = agent.get("name").or_else(|| agent.get("id"))?;
                Some(name.as_str()?.to_owned())
            };
            agents.iter().map(name).collect::<Option<_>>()?
        }
        _ => return None,
    };
    (status == 200).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_lists_its_agents() {
        let names = |answer: Value| agents(200, &answer);
        let expected = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(names(json!({ "agents": { "a": {}, "b": {} } })), expected);
        assert_eq!(
            names(json!({ "agents": [{ "name": "a" }, { "id": "b" }] })),
            expected
        );
        assert_eq!(names(json!({ "agents": [7] })), None);
        assert_eq!(names(json!({ "models": {} })), None);
        assert_eq!(agents(404, &json!({ "agents": {} })), None);
    }
}
