//! The models that could be at a URL.

use bytes::Bytes;
use serde_json::json;
use url::Url;

use super::compile::{CHAT_COMPLETIONS, completions};
use ananke_agents::http::{Method, below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, NameLookup, ProbeQuestion,
    ProbedProtocol, TargetCandidate, is_base, listed_models, target_keys, url_beside,
};

/// The path of the base of an API below the root of its server.
const BASE: &str = "v1";

/// The name that is asked if nothing says which models there are. Servers of one model take any.
const ANY_MODEL: &str = "default";

/// Models behind chat completions, with and without a list of the models.
pub(super) struct ProbedOpenai;

impl ProbedProtocol for ProbedOpenai {
    fn candidates(&self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let Some(url) = place.url() else {
            return Vec::new();
        };
        let mut candidates = at(url, CandidatePlace::Given, name);
        // People name the server, and its API is below it.
        if is_base(url)
            && let Some(usual) = below(url, [BASE].into_iter())
        {
            candidates.extend(at(&usual, CandidatePlace::Usual, name));
        }
        candidates
    }
}

/// The candidates at a URL, which is the base of an API, or one of its paths. The path decides which of them are possible, since
/// each candidate costs a request. `name` is the model, if people gave one.
fn at(url: &Url, place: CandidatePlace, name: Option<&str>) -> Vec<TargetCandidate> {
    let path = url.path().trim_end_matches('/');
    let is_api = path.ends_with("/v1") || path.ends_with(CHAT_COMPLETIONS);
    let mut candidates = Vec::new();
    // The path of another API of models has no chat completions below it.
    if !path.ends_with("/responses") {
        candidates.push(listed(url, place));
    }
    // A greeting to a model that no list names is a POST, which is only sent where the path is that of the API.
    if is_api {
        candidates.push(chat(url, place, name.unwrap_or(ANY_MODEL)));
    }
    candidates
}

/// The candidate for chat completions with a model that the API lists: a GET of the list of models is first, since it costs
/// nothing, and a name from it is the key `model` of the target.
fn listed(url: &Url, place: CandidatePlace) -> TargetCandidate {
    // The list is at another path of the same API. If it is not there, nothing else is asked.
    let lookup = NameLookup {
        method: Method::Get,
        url: url_beside(url, &[CHAT_COMPLETIONS], "models"),
        body: Bytes::new(),
        read: listed_models,
        key: Some("model"),
    };
    TargetCandidate {
        speaks: "OpenAI chat completions",
        sends: format!("{}; if it lists models, a greeting", lookup.sends()),
        target: Some(target_keys("openai", [("endpoint", json!(url.as_str()))])),
        first: FirstRequest::Get(vec![lookup.url.clone()]),
        lookup: Some(lookup),
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}

/// The candidate for chat completions of an API that lists no models: without a lookup, a greeting to `model` shows the protocol.
fn chat(url: &Url, place: CandidatePlace, model: &str) -> TargetCandidate {
    TargetCandidate {
        speaks: "OpenAI chat completions",
        sends: format!("POST {} with a greeting", shown(&completions(url.clone()))),
        target: Some(target_keys(
            "openai",
            [("endpoint", json!(url.as_str())), ("model", json!(model))],
        )),
        first: FirstRequest::Post(completions(url.clone())),
        lookup: None,
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
