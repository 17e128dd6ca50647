//! From the keys of an AG-UI target to the agent.

use std::sync::Arc;

use super::agui_target::AguiTarget;
use super::config::AguiConfig;
use super::settings::AguiSettings;
use ananke_agents::http::headers;
use ananke_model::variables::{Interpolation, http_url};

/// The agent's name without a setting, which only a runtime has to know.
const AGENT: &str = "agui";

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(
    target: &AguiConfig,
    interpolation: &mut Interpolation<'_>,
) -> Option<AguiTarget> {
    let agent = target
        .agent_id
        .as_ref()
        .map_or_else(|| Ok(AGENT.to_owned()), |text| interpolation.text(text));
    let endpoint = interpolation
        .sent_text(&target.endpoint)
        .ok()
        .and_then(|text| http_url(&text, "endpoint", &target.endpoint, interpolation));
    let headers = headers(target.headers.as_ref(), interpolation);
    let options = target.http.fill(interpolation);
    let conversation = target.conversation.fill(interpolation);
    Some(AguiTarget::new(AguiSettings {
        agent: agent.ok()?,
        endpoint: endpoint?,
        headers: headers?,
        options: Arc::new(options?),
        transport: target.transport(),
        conversation: conversation?,
    }))
}
