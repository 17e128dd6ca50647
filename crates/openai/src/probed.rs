//! The models that could be at a URL, and agents of the Responses API, of which no `type` speaks.

use bytes::Bytes;
use serde_json::{Value, json};
use url::Url;

use super::compile::{CHAT_COMPLETIONS, completions};
use ananke_agents::http::{Method, below, shown};
use ananke_agents::{
    AgentPlace, AgentTurns, CandidatePlace, FirstRequest, NameLookup, ProbeQuestion,
    ProbedProtocol, TargetCandidate, is_base, target_keys,
};

/// The path of the base of an API below the root of its server.
const BASE: &str = "v1";

/// The name that is asked if nothing says which models there are. Servers of one model take any.
const ANY_MODEL: &str = "default";

/// Models behind chat completions, with and without a list of the models, and the Responses API.
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
    let is_responses = path.ends_with("/responses");
    let is_api = path.ends_with("/v1") || path.ends_with(CHAT_COMPLETIONS);
    let mut candidates = Vec::new();
    if !is_responses {
        candidates.push(listed(url, place));
    }
    // A greeting to a model that no list names is a POST, which is only sent where the path is that of the API.
    if is_api {
        candidates.push(chat(url, place, name.unwrap_or(ANY_MODEL)));
    }
    // At the path of responses, a refusal of the model shows this API as well as a response, since nothing else there refuses
    // so. At the other paths chat completions refuse so, too.
    if is_responses {
        candidates.push(responses(url, place, name, response_or_refusal));
    } else if is_api {
        candidates.push(responses(url, place, name, response));
    }
    candidates
}

/// The candidate for chat completions with a model that the API lists: a GET of the list of models is first, since it costs
/// nothing, and a name from it is the key `model` of the target.
fn listed(url: &Url, place: CandidatePlace) -> TargetCandidate {
    // The list is at another path of the same API. If it is not there, nothing else is asked.
    let lookup = NameLookup {
        method: Method::Get,
        url: sibling(url, "models"),
        body: Bytes::new(),
        read: models,
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

/// The candidate for the Responses API. `read` recognises its answers; it reads no names of models, since there is no list.
fn responses(
    url: &Url,
    place: CandidatePlace,
    model: Option<&str>,
    read: fn(u16, &Value) -> Option<Vec<String>>,
) -> TargetCandidate {
    let model = model.unwrap_or(ANY_MODEL);
    let lookup = NameLookup {
        method: Method::Post,
        url: sibling(url, "responses"),
        body: Bytes::from(json!({ "model": model, "input": "Hello" }).to_string()),
        read,
        // The answer names no model that a target could have.
        key: None,
    };
    TargetCandidate {
        speaks: "the Responses API of OpenAI",
        sends: format!("{} with a greeting", lookup.sends()),
        // No `type` of targets speaks this API: the candidate only serves to name what was found.
        target: None,
        first: FirstRequest::Post(lookup.url.clone()),
        lookup: Some(lookup),
        question: ProbeQuestion::Greeting,
        turns: AgentTurns::User,
        at: AgentPlace::Url(url.clone()),
        place,
    }
}

/// The URL of a path of the API of which `url` is the base, or another path.
fn sibling(url: &Url, name: &str) -> Url {
    let mut base = url.clone();
    let path = url.path().trim_end_matches('/');
    let path = path
        .strip_suffix(CHAT_COMPLETIONS)
        .or_else(|| path.strip_suffix("responses"))
        .unwrap_or(path);
    base.set_path(path);
    below(&base, [name].into_iter()).unwrap_or(base)
}

/// The models that an answer lists.
fn models(status: u16, answer: &Value) -> Option<Vec<String>> {
    if status != 200 {
        return None;
    }
    let mut ids = Vec::new();
    for model in answer.get("data")?.as_array()? {
        ids.push(model.get("id")?.as_str()?.to_owned());
    }
    Some(ids)
}

/// No names, but a response of the Responses API.
fn response(status: u16, answer: &Value) -> Option<Vec<String>> {
    if status == 200 && answer["object"] == "response" {
        Some(Vec::new())
    } else {
        None
    }
}

/// No names, but a response, or a refusal of the model: at a URL that is that of responses, nothing else refuses so.
fn response_or_refusal(status: u16, answer: &Value) -> Option<Vec<String>> {
    let error = &answer["error"];
    let has_words = error.get("message").is_some() && error.get("type").is_some();
    if status == 400 && has_words {
        return Some(Vec::new());
    }
    response(status, answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_an_api_are_beside_each_other() {
        for url in [
            "http://h/v1",
            "http://h/v1/",
            "http://h/v1/chat/completions",
            "http://h/v1/responses?key=x",
        ] {
            let models = sibling(&url.parse().unwrap(), "models");
            assert_eq!(models.path(), "/v1/models", "{url}");
        }
    }

    #[test]
    fn an_answer_is_of_the_api_or_not() {
        let list = json!({ "object": "list", "data": [{ "id": "a" }, { "id": "b" }] });
        assert_eq!(
            models(200, &list),
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(models(404, &list), None);
        assert_eq!(models(200, &json!({ "data": [7] })), None);
        assert_eq!(
            response(200, &json!({ "object": "response" })),
            Some(Vec::new())
        );
        let error = json!({ "error": { "message": "m", "type": "t" } });
        for (status, expected) in [(400, Some(Vec::new())), (401, None), (404, None)] {
            assert_eq!(response_or_refusal(status, &error), expected, "{status}");
            assert_eq!(
                response(status, &error),
                None,
                "chat completions refuse so, too"
            );
        }
    }
}
