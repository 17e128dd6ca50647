//! From the keys of an AG-UI target to the agent.

use std::sync::Arc;

use super::agui_target::AguiTarget;
use super::config::AguiConfig;
use super::settings::AguiSettings;
use ananke_agents::http::headers;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, http_url};

/// The agent's name without a setting, which only a runtime has to know.
const AGENT: &str = "agui";

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &AguiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<AguiTarget> {
    let agent: Leaf<Option<_>> = target.agent_id.fill(interpolation);
    let endpoint = http_url(&target.endpoint, "endpoint", interpolation);
    let headers = headers(target.headers.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    let conversation = target.conversation.fill(interpolation);
    Ok(AguiTarget::new(AguiSettings {
        agent: agent?.unwrap_or_else(|| AGENT.to_owned()),
        endpoint: endpoint?,
        headers: headers?,
        options: Arc::new(options?),
        transport: target.transport(),
        conversation: conversation?,
    }))
}
