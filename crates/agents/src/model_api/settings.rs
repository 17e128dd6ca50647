//! The settings of a model that every API has, from the keys of a target.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::base_url::ApiPath;
use super::params::{ModelParams, ReservedKeys, params};
use crate::common::ToolExecution;
use crate::error::TargetError;
use crate::http::{
    HttpConfig, HttpOptions, HttpRequest, Method, RETRY_HEADERS, RequestProgress, headers,
    headers_with_defaults, retries,
};
use ananke_base::message::RequestContext;
use ananke_base::source::{FreeMap, Node};
use ananke_model::model::{Number, Text, Toggle};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

/// The headers of every request.
const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "text/event-stream"),
];

/// The keys of a model that every API has, as they are written.
pub struct ModelKeys<'k> {
    /// The base URL of the API, or the full URL of its requests.
    pub endpoint: &'k Text,
    /// The name of the model.
    pub model: &'k Text,
    /// The instructions of every request.
    pub instructions: Option<&'k Text>,
    /// Further keys of every request.
    pub params: Option<&'k Node>,
    /// The side that executes the tools.
    pub tools: Option<ToolExecution>,
    /// Headers of every request.
    pub headers: Option<&'k FreeMap<Text>>,
    /// The number of times that a request is sent again that was rejected with HTTP 429.
    pub retry_429: Option<&'k Toggle<Number>>,
    /// The keys of every target over HTTP.
    pub http: &'k HttpConfig,
}

/// The settings of a model that every API has.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSettings {
    /// The URL that requests are posted to.
    pub endpoint: Url,
    /// The name of the model.
    pub model: String,
    /// The instructions of every request.
    pub instructions: Option<String>,
    /// What the target adds to every request.
    pub params: ModelParams,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// The options of connections and responses.
    pub options: Arc<HttpOptions>,
    /// The number of times that a request is sent again that was rejected with HTTP 429.
    pub retries: u32,
    /// The side that executes the tools.
    pub tools: ToolExecution,
}

impl ModelKeys<'_> {
    /// Checks the keys, and fills in their variables. Requests go to `path` below the endpoint, and set the `reserved` keys
    /// themselves.
    ///
    /// # Errors
    /// If a variable has no value yet, or if a problem was reported to `interpolation`.
    pub fn fill(
        &self,
        path: ApiPath,
        reserved: &ReservedKeys,
        interpolation: &mut Interpolation<'_>,
    ) -> Leaf<ModelSettings> {
        // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
        let endpoint = endpoint_url(self.endpoint, "endpoint", interpolation);
        let model = self.model.fill(interpolation);
        let instructions = self.instructions.fill(interpolation);
        let params = params(self.params, reserved, interpolation);
        let headers = headers(self.headers, interpolation);
        let retries = retries(self.retry_429, interpolation);
        let options = self.http.fill(interpolation);
        Ok(ModelSettings {
            endpoint: path.url(endpoint?),
            model: model?,
            instructions: instructions?,
            params: params?,
            headers: headers?,
            // Every request of every session refers to the options.
            options: Arc::new(options?),
            retries: retries?,
            tools: self.tools.unwrap_or_default(),
        })
    }
}

impl ModelSettings {
    /// The model that a request asks for: the option `connector` of the caller's context, else that of the target.
    pub fn model_of(&self, context: &RequestContext) -> String {
        match context.connector() {
            Some(connector) => connector.to_owned(),
            None => self.model.clone(),
        }
    }

    /// The keys that a request has in addition to its own, the `reserved` ones: the `params` of the target and the `props` of the
    /// caller, of whom the caller decides. A null in a test removes a key of the target.
    pub fn further_keys(
        &self,
        props: Map<String, Value>,
        reserved: &ReservedKeys,
    ) -> Map<String, Value> {
        let mut keys = self.params.keys.clone();
        // The caller's data must not replace the conversation or the tools. `params` need no such check, since a target with a
        // reserved key does not load.
        for (key, value) in props {
            if !reserved.names.contains(&key.as_str()) && key != ModelParams::TOOLS {
                keys.insert(key, value);
            }
        }
        keys
    }

    pub(super) fn post(&self, body: Bytes) -> HttpRequest {
        HttpRequest {
            method: Method::Post,
            url: self.endpoint.clone(),
            headers: headers_with_defaults(&self.headers, &HEADERS),
            body,
            response_headers: RETRY_HEADERS.map(str::to_owned).to_vec(),
            options: Arc::clone(&self.options),
            progress: RequestProgress::default(),
        }
    }
}

/// A request as the JSON of its body.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn request_body(request: &impl Serialize) -> Result<Bytes, TargetError> {
    match serde_json::to_vec(request) {
        Ok(body) => Ok(body.into()),
        Err(error) => Err(TargetError::new(format!(
            "the request cannot be written as JSON: {error}"
        ))),
    }
}
