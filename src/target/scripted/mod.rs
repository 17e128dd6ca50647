//! An agent written in YAML and built into the program: neutral changes without a wire, in virtual time.

mod session;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use regex::Regex;
use serde_json::Value;

use super::{Capabilities, Opening, Session, Target, TargetError};
use crate::plan::{ScriptedSettings, Step};
use crate::trace::Path;
use crate::variables::Patterns;

/// A scripted agent.
#[derive(Debug)]
pub struct ScriptedTarget {
    settings: Arc<ScriptedSettings>,
}

/// A rule whose patterns are compiled.
struct Answering {
    user: Option<Arc<Regex>>,
    turn: Option<u64>,
    thread: Option<Arc<Regex>>,
    state: Vec<(Path, Value)>,
    steps: Vec<Step>,
}

impl ScriptedTarget {
    /// An agent that does what `settings` say.
    pub fn new(settings: ScriptedSettings) -> Self {
        Self { settings: Arc::new(settings) }
    }
}

impl Target for ScriptedTarget {
    fn capabilities(&self) -> Capabilities {
        Capabilities { tool_calls_visible: true }
    }

    fn open(&self, opening: Opening) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let opened = compile(&self.settings).map(|rules| {
            Box::new(session::ScriptedSession::new(opening, self.settings.state.clone(), rules))
                as Box<dyn Session>
        });
        Box::pin(std::future::ready(opened.map_err(|error| TargetError {
            message: format!("a pattern of the scripted agent cannot be used: {error}"),
            received: super::Received::default(),
            help: None,
        })))
    }
}

fn compile(settings: &ScriptedSettings) -> Result<Vec<Answering>, regex::Error> {
    let mut patterns = Patterns::default();
    let mut rules = Vec::new();
    for rule in &settings.rules {
        rules.push(Answering {
            user: rule.when.user.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?,
            turn: rule.when.turn,
            thread: rule.when.thread.as_ref().map(|pattern| patterns.compile(pattern)).transpose()?,
            state: rule.when.state.clone(),
            steps: rule.steps.clone(),
        });
    }
    Ok(rules)
}
