//! From the keys of an OpenAI-compatible model to the model.

use super::chat_request::RESERVED;
use super::config::OpenaiConfig;
use super::session::ChatCompletions;
use ananke_agents::{ModelKeys, ModelTarget};
use ananke_model::variables::{Interpolation, Leaf};

/// The path of chat completions under the base of an API.
pub(super) const CHAT_COMPLETIONS: &str = "chat/completions";

/// Checks a target, and fills in its variables.
///
/// # Errors
/// If a variable has no value yet, or if a problem was reported to `interpolation`.
pub(super) fn compile(
    target: &OpenaiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ModelTarget<ChatCompletions>> {
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
    let settings = keys.fill(CHAT_COMPLETIONS, &RESERVED, interpolation)?;
    Ok(ModelTarget::new(settings, ChatCompletions))
}
