//! An agent written in YAML, and the way to it from the keys of a target.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::{CompiledRule, ScriptedConfig, session::ScriptedSession};
use crate::error::TargetError;
use crate::http::headers;
use crate::session::{Session, SessionOptions};
use crate::target::Target;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_trace::trace::AgentTime;

/// An agent written in YAML.
#[derive(Debug)]
pub struct ScriptedTarget {
    agent: String,
    state: Value,
    rules: Vec<CompiledRule>,
}

impl ScriptedTarget {
    /// An agent of this name that does what `rules` say; a conversation starts with `state`.
    pub fn new(agent: String, state: Value, rules: Vec<CompiledRule>) -> Self {
        Self {
            agent,
            state,
            rules,
        }
    }
}

impl Target for ScriptedTarget {
    fn agent(&self) -> &str {
        &self.agent
    }

    fn time(&self) -> AgentTime {
        AgentTime::Virtual
    }

    fn state(&self) -> &Value {
        &self.state
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let opened = ScriptedSession::new(options, self.state.clone(), &self.rules);
        let opened = opened.map(|session| Box::new(session) as Box<dyn Session>);
        Box::pin(std::future::ready(opened.map_err(|error| {
            TargetError::new(format!(
                "a pattern of the scripted agent cannot be used: {error}"
            ))
        })))
    }
}

/// The agent's name without a setting.
const AGENT: &str = "scripted";

/// Makes the target from its keys in a config, whose variables are replaced.
///
/// # Errors
/// If a key is wrong, which is reported to `interpolation`, or if a variable has no value until the test runs.
pub(super) fn compile(
    target: &ScriptedConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<ScriptedTarget> {
    // All keys are filled before the first error returns, so that the problems of all are reported.
    let agent: Leaf<Option<_>> = target.agent_id.fill(interpolation);
    // A scripted agent gets no headers and no forwarded properties. They are checked, so that a config can switch to a real
    // agent.
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
