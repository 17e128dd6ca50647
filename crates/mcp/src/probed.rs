//! The servers of MCP that could be at a URL, or that a program could be.

use serde_json::json;
use url::Url;

use super::turns::TOOLS;
use ananke_agents::http::{below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, ProbeQuestion, ProbedProtocol,
    TargetCandidate, is_base, target_keys,
};

/// Servers of MCP, of both transports over HTTP and over stdio.
pub(super) struct ProbedMcp;

impl ProbedProtocol for ProbedMcp {
    fn candidates(&self, place: &AgentPlace, _: Option<&str>) -> Vec<TargetCandidate> {
        match place {
            AgentPlace::Program(words) => vec![TargetCandidate {
                speaks: "MCP on stdio",
                sends: "`server/discover`, `initialize` and `tools/list` to its stdin".to_owned(),
                target: Some(target_keys(
                    "mcp",
                    [("transport", json!("stdio")), ("command", json!(words))],
                )),
                first: FirstRequest::Lines,
                lookup: None,
                question: ProbeQuestion::Tools,
                turns: AgentTurns::Tools(TOOLS),
                at: place.clone(),
                place: CandidatePlace::Given,
            }],
            AgentPlace::Url(url) => {
                let usual = |name, transport| {
                    let url = is_base(url).then(|| below(url, [name].into_iter()));
                    url.flatten()
                        .map(|url| over_http(&url, transport, CandidatePlace::Usual))
                };
                let given = ["http", "sse"]
                    .map(|transport| over_http(url, transport, CandidatePlace::Given));
                given
                    .into_iter()
                    .chain(usual("mcp", "http"))
                    .chain(usual("sse", "sse"))
                    .collect()
            }
        }
    }
}

fn over_http(url: &Url, transport: &str, place: CandidatePlace) -> TargetCandidate {
    let (speaks, sends, first) = match transport {
        "sse" => (
            "MCP over sse",
            format!("GET {}, as a stream", shown(url)),
            FirstRequest::Get(vec![url.clone()]),
        ),
        _ => (
            "MCP over http",
            format!("POST {} with `server/discover`, `initialize`", shown(url)),
            // A server without a stream answers a GET with 405 (MCP, Streamable HTTP).
            FirstRequest::PostAfterGet(url.clone()),
        ),
    };
    TargetCandidate {
        speaks,
        sends,
        target: Some(target_keys(
            "mcp",
            [
                ("transport", json!(transport)),
                ("endpoint", json!(url.as_str())),
            ],
        )),
        first,
        lookup: None,
        question: ProbeQuestion::Tools,
        turns: AgentTurns::Tools(TOOLS),
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
