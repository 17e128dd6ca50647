//! From the keys of a model of the Responses API to the model.

use super::config::ResponsesConfig;
use super::responses_request::RESERVED;
use super::session::ResponsesApi;
use ananke_agents::{ModelKeys, ModelTarget};
use ananke_model::variables::{Interpolation, Leaf};

/// The path of responses under the base of an API.
pub(super) const RESPONSES: &str = "responses";

/// Checks a target, and fills in its variables.
///
/// # Errors
/// If a variable has no value yet, or if a problem was reported to `interpolation`.
pub(super) fn compile(
    target: &ResponsesConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ModelTarget<ResponsesApi>> {
    let keys = ModelKeys {
        endpoint: &target.endpoint,
        model: &target.model,
        instructions: target.instructions.as_ref(),
        params: target.params.as_ref(),
        tools: target.tools,
        headers: target.headers.as_ref(),
        retry_429: target.retry_429.as_ref(),
        http: &target.http,
    };
    let settings = keys.fill(RESPONSES, &RESERVED, interpolation)?;
    let history = target.history.unwrap_or_default();
    Ok(ModelTarget::new(settings, ResponsesApi { history }))
}
