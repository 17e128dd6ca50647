//! From the keys of an OpenAI-compatible model to the model.

use std::sync::Arc;

use url::Url;

use super::chat_request::RESERVED;
use super::config::{OpenaiConfig, OpenaiSettings};
use super::openai_target::OpenaiTarget;
use ananke_agents::http::{headers, retries};
use ananke_agents::{ModelParams, params, url_of_api};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, endpoint_url};

/// The path of chat completions under the base of an API.
pub(super) const CHAT_COMPLETIONS: &str = "chat/completions";

/// Checks a target, and fills in its variables.
///
/// # Errors
/// If a variable has no value yet, or if a problem was reported to `interpolation`.
pub(super) fn compile(
    target: &OpenaiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<OpenaiTarget> {
    // Every key is filled before the first `?` returns, so that one run reports the problems of all keys.
    let endpoint = endpoint_url(&target.endpoint, "endpoint", interpolation);
    let model = target.model.fill(interpolation);
    let instructions = target.instructions.fill(interpolation);
    let params = params(target.params.as_ref(), &RESERVED, interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let retries = retries(target.retry_429.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    // The tools of the server are apart from the other keys, because each request puts the client's tools before them.
    let ModelParams { keys, tools } = params?;
    Ok(OpenaiTarget::new(OpenaiSettings {
        endpoint: completions(endpoint?),
        model: model?,
        instructions: instructions?,
        params: keys,
        server_tools: tools,
        headers: headers?,
        // Every request of every session refers to the options.
        options: Arc::new(options?),
        retries: retries?,
        tools: target.tools.unwrap_or_default(),
    }))
}

/// The URL of the chat completions of an API whose base it may be.
pub(super) fn completions(endpoint: Url) -> Url {
    url_of_api(endpoint, CHAT_COMPLETIONS)
}
