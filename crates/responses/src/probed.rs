//! The models of the Responses API that could be at a URL.

use bytes::Bytes;
use serde_json::json;
use url::Url;

use super::compile::RESPONSES;
use ananke_agents::http::{Method, below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, NameLookup, ProbeQuestion,
    ProbedProtocol, TargetCandidate, is_base, listed_models, target_keys, url_beside, url_of_api,
};

/// The path of the base of an API below the root of its server.
const BASE: &str = "v1";

/// The name that is asked if nothing says which models there are. Servers of one model take any.
const ANY_MODEL: &str = "default";

/// Models of the Responses API, with and without a list of the models.
pub(super) struct ProbedResponses;

impl ProbedProtocol for ProbedResponses {
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
    // A server of chat completions may have this API as well, with the same models: it is asked after them.
    if path.ends_with("/v1") || path.ends_with("/responses") {
        let model = name.unwrap_or(ANY_MODEL);
        vec![listed(url, place), unlisted(url, place, model)]
    } else {
        Vec::new()
    }
}

/// The candidate with a model that the API lists: a GET of the list of models is first, since it costs nothing, and a name from
/// it is the key `model` of the target.
fn listed(url: &Url, place: CandidatePlace) -> TargetCandidate {
    // The list is at another path of the same API. If it is not there, nothing else is asked.
    let lookup = NameLookup {
        method: Method::Get,
        url: url_beside(url, &[RESPONSES], "models"),
        body: Bytes::new(),
        read: listed_models,
        key: Some("model"),
    };
    TargetCandidate {
        sends: format!("{}; if it lists models, a greeting", lookup.sends()),
        target: Some(target_keys(
            "responses",
            [("endpoint", json!(url.as_str()))],
        )),
        first: FirstRequest::Get(vec![lookup.url.clone()]),
        lookup: Some(lookup),
        ..unlisted(url, place, ANY_MODEL)
    }
}

/// The candidate of an API that lists no models: without a lookup, a greeting to `model` shows the protocol.
fn unlisted(url: &Url, place: CandidatePlace, model: &str) -> TargetCandidate {
    let posted = url_of_api(url.clone(), RESPONSES);
    TargetCandidate {
        speaks: "the Responses API",
        sends: format!("POST {} with a greeting", shown(&posted)),
        target: Some(target_keys(
            "responses",
            [("endpoint", json!(url.as_str())), ("model", json!(model))],
        )),
        first: FirstRequest::Post(posted),
        lookup: None,
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}
