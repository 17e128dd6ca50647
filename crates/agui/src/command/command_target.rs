//! An agent that is a program.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::session::CommandSession;
use super::settings::CommandSettings;
use ananke_agents::pipe::PipeProgram;
use ananke_agents::{Session, SessionOptions, Target, TargetError};

/// An agent that is a program.
#[derive(Debug)]
pub struct CommandTarget {
    settings: Arc<CommandSettings>,
}

impl CommandTarget {
    /// The agent that `settings` describe.
    pub fn new(settings: CommandSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl Target for CommandTarget {
    fn agent(&self) -> &str {
        &self.settings.agent
    }

    fn program(&self) -> Option<&PipeProgram> {
        Some(&self.settings.program)
    }

    fn state(&self) -> &Value {
        &self.settings.conversation.state
    }

    fn has_event_clock(&self) -> bool {
        self.settings.conversation.event_clock
    }

    fn open(
        &self,
        options: SessionOptions,
    ) -> BoxFuture<'_, Result<Box<dyn Session>, TargetError>> {
        let session = CommandSession::new(Arc::clone(&self.settings), options);
        Box::pin(async move { Ok(Box::new(session) as Box<dyn Session>) })
    }
}
