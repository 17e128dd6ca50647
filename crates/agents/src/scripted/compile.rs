//! From the keys of an agent written in YAML to the agent.

use serde_json::{Map, Value};

use super::config::ScriptedConfig;
use super::target::ScriptedTarget;
use crate::http::headers;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};

/// The agent's name without a setting.
const AGENT: &str = "scripted";

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &ScriptedConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ScriptedTarget> {
    let agent: Leaf<Option<_>> = target.agent_id.fill(interpolation);
    // These are not sent, but are checked.
    let headers = headers(target.headers.as_ref(), interpolation);
    let forwarded_props: Leaf<Option<Value>> = target.forwarded_props.fill(interpolation);
    let state: Leaf<Option<_>> = target.state.fill(interpolation);
    let rules = target.rules.fill(interpolation);
    headers?;
    forwarded_props?;
    Ok(ScriptedTarget::new(
        agent?.unwrap_or_else(|| AGENT.to_owned()),
        state?.unwrap_or_else(|| Map::new().into()),
        rules?,
    ))
}
