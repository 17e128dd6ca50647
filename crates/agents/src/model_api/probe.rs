//! The models that could be behind a URL: APIs differ in their path, and in where they are asked at all.

use bytes::Bytes;
use serde_json::{Value, json};
use url::Url;

use super::base_url::ApiPath;
use super::model_list::{listed_models, url_beside};
use crate::candidate::{
    AgentPlace, CandidatePlace, FirstRequest, ProbeQuestion, TargetCandidate, is_base, target_keys,
};
use crate::http::{Method, below, shown};
use crate::lookup::NameLookup;
use crate::protocol_turn::AgentTurns;

/// The path of the base of an API below the root of its server.
const BASE: &str = "v1";

/// The name that is asked if nothing says which models there are. Servers of one model take any.
const ANY_MODEL: &str = "default";

/// An API of models that could be at a URL.
#[derive(Clone, Copy, Debug)]
pub struct ModelProbe {
    /// The `type` of its targets.
    pub of_type: &'static str,
    /// The name of what it speaks.
    pub speaks: &'static str,
    /// The path of its requests.
    pub path: ApiPath,
    /// The candidates at one URL for a model with this name. Each of them costs a request, so that the path decides which are
    /// possible.
    pub at: fn(&ModelUrl<'_>) -> Vec<TargetCandidate>,
}

/// A URL at which models could be: the base of an API, or one of its paths.
#[derive(Clone, Copy, Debug)]
pub struct ModelUrl<'u> {
    url: &'u Url,
    place: CandidatePlace,
    /// The name of the model, if people say which.
    name: Option<&'u str>,
    probe: ModelProbe,
}

impl ModelProbe {
    /// The targets that the agent at `place` could be. `name` is the model there, if people say which.
    pub fn candidates(self, place: &AgentPlace, name: Option<&str>) -> Vec<TargetCandidate> {
        let Some(url) = place.url() else {
            return Vec::new();
        };
        let given = ModelUrl {
            url,
            place: CandidatePlace::Given,
            name,
            probe: self,
        };
        let mut candidates = (self.at)(&given);
        // People name the server, and its API is below it.
        if is_base(url)
            && let Some(usual) = below(url, [BASE].into_iter())
        {
            let place = CandidatePlace::Usual;
            let usual = ModelUrl {
                url: &usual,
                place,
                ..given
            };
            candidates.extend((self.at)(&usual));
        }
        candidates
    }
}

impl ModelUrl<'_> {
    /// Whether the path ends so, such as with `/v1`.
    pub fn ends_with(&self, end: &str) -> bool {
        self.url.path().trim_end_matches('/').ends_with(end)
    }

    /// The candidate with a model that the API lists: a GET of the list of models is first, since it costs nothing, and a name from
    /// it is the key `model` of the target.
    pub fn listed(&self) -> TargetCandidate {
        // The list is at another path of the same API. If it is not there, nothing else is asked.
        let lookup = NameLookup {
            method: Method::Get,
            url: url_beside(self.url, &[self.probe.path.below_base], "models"),
            body: Bytes::new(),
            read: listed_models,
            key: Some("model"),
        };
        let endpoint = json!(self.url.as_str());
        TargetCandidate {
            sends: format!("{}; if it lists models, a greeting", lookup.sends()),
            target: Some(target_keys(self.probe.of_type, [("endpoint", endpoint)])),
            first: FirstRequest::Get(vec![lookup.url.clone()]),
            lookup: Some(lookup),
            ..self.unlisted()
        }
    }

    /// The candidate of an API that lists no models: without a lookup, a greeting to the model shows the protocol.
    pub fn unlisted(&self) -> TargetCandidate {
        let posted = self.probe.path.url(self.url.clone());
        let endpoint = json!(self.url.as_str());
        let model = Value::from(self.name.unwrap_or(ANY_MODEL));
        let keys = [("endpoint", endpoint), ("model", model)];
        TargetCandidate {
            speaks: self.probe.speaks,
            sends: format!("POST {} with a greeting", shown(&posted)),
            target: Some(target_keys(self.probe.of_type, keys)),
            first: FirstRequest::Post(posted),
            lookup: None,
            question: ProbeQuestion::Greeting,
            turns: AgentTurns::User,
            at: AgentPlace::Url(self.url.clone()),
            place: self.place,
        }
    }
}
