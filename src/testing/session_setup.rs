//! The setup of a session that another program than a Rust test holds.

use std::path::PathBuf;
use std::sync::Arc;

use super::agent_target::AgentTarget;
use super::session_project::SessionProject;
use ananke_agents::{Transport, UndeclaredCalls};
use ananke_base::context::Context;

/// The agent of a session.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum SessionAgent {
    /// A target in place.
    Written(AgentTarget),
    /// The target of this name of the config at this path, or the default one.
    OfConfig(PathBuf, Option<String>),
}

/// The setup of a session.
#[doc(hidden)]
#[derive(Clone)]
pub struct SessionSetup {
    /// The outside world.
    pub context: Context,
    /// The agent.
    pub agent: SessionAgent,
    /// The system message of a bare model that has none.
    pub instructions: Option<String>,
    /// The way to agents, if it is not the network.
    pub transport: Option<Arc<dyn Transport>>,
    /// The handling of calls to tools that were not declared.
    pub undeclared: UndeclaredCalls,
}

impl SessionSetup {
    /// The project of the session.
    pub(super) fn project(&self) -> SessionProject {
        let context = self.context.clone();
        let project = match &self.agent {
            SessionAgent::Written(target) => SessionProject::of_target(context, target.clone()),
            SessionAgent::OfConfig(path, name) => {
                SessionProject::of_config(context, path, name.as_deref())
            }
        };
        project.with_transport(self.transport.clone())
    }
}
