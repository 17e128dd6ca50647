//! From the keys of an AG-UI target to the agent.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::agui_target::AguiTarget;
use super::config::{AguiConfig, ContextEntry, HistorySent};
use super::settings::{AguiSettings, ContextItem};
use crate::target::clock::EventClock;
use crate::target::http::headers;
use crate::variables::{Interpolation, http_url};

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(target: &AguiConfig, interpolation: &mut Interpolation<'_>) -> Option<AguiTarget> {
    let agent = interpolation.text(&target.agent_id).ok();
    let endpoint = interpolation
        .sent_text(&target.endpoint)
        .ok()
        .and_then(|text| http_url(&text, "endpoint", &target.endpoint, interpolation));
    let headers = headers(target.headers.as_ref(), interpolation);
    let forwarded_props = interpolation.optional_json(target.forwarded_props.as_ref());
    let state = interpolation.optional_json(target.state.as_ref());
    let options = target.http.fill(interpolation);
    let mut item = |ContextEntry { description, value }: &ContextEntry| {
        let (description, value) = (interpolation.text(description), interpolation.text(value));
        Some(ContextItem { description: description.ok()?, value: value.ok()? })
    };
    let context: Vec<Option<ContextItem>> = target.context.iter().flatten().map(&mut item).collect();
    let context: Option<Vec<ContextItem>> = context.into_iter().collect();
    Some(AguiTarget::new(AguiSettings {
        agent: agent?,
        endpoint: endpoint?,
        headers: headers?,
        options: Arc::new(options?),
        context: context?,
        forwarded_props: forwarded_props.ok()?.unwrap_or_else(|| Value::Object(Map::new())),
        state: state.ok()?.unwrap_or_else(|| Value::Object(Map::new())),
        transport: target.transport(),
        version: target.version(),
        event_clock: target.clock == Some(EventClock::Event),
        last_only: target.history.unwrap_or_default() == HistorySent::Last,
    }))
}
