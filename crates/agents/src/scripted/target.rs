//! An agent written in YAML.

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::script::CompiledRule;
use super::session::ScriptedSession;
use crate::error::TargetError;
use crate::session::{Session, SessionOptions};
use crate::target::Target;
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
