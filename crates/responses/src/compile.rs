//! From the keys of a model of the Responses API to the model.

use std::sync::Arc;

use super::config::{ResponsesConfig, ResponsesSettings};
use super::responses_request::RESERVED;
use super::responses_target::ResponsesTarget;
use ananke_agents::http::{headers, retries};
use ananke_agents::{ModelParams, params, url_of_api};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

/// The path of responses under the base of an API.
pub(super) const RESPONSES: &str = "responses";

/// Checks a target, and fills in its variables.
///
/// # Errors
/// If a variable has no value yet, or if a problem was reported to `interpolation`.
pub(super) fn compile(
    target: &ResponsesConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ResponsesTarget> {
    // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
    let endpoint = endpoint_url(&target.endpoint, "endpoint", interpolation);
    let model = target.model.fill(interpolation);
    let instructions = target.instructions.fill(interpolation);
    let params = params(target.params.as_ref(), &RESERVED, interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let retries = retries(target.retry_429.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    let ModelParams { keys, tools } = params?;
    Ok(ResponsesTarget::new(ResponsesSettings {
        endpoint: url_of_api(endpoint?, RESPONSES),
        model: model?,
        instructions: instructions?,
        params: keys,
        server_tools: tools,
        history: target.history.unwrap_or_default(),
        headers: headers?,
        // Every request of every session refers to the options.
        options: Arc::new(options?),
        retries: retries?,
        tools: target.tools.unwrap_or_default(),
    }))
}
