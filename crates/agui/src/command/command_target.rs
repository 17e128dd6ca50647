//! An agent that is a program, and the way to it from the keys of a target.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{CommandConfig, CommandSettings, session::CommandSession};
use ananke_agents::{Limits, Session, SessionOptions, Target, TargetError, pipe::PipeProgram};
use ananke_model::model::Number;
use ananke_model::variables::{Fill as _, Interpolation, Leaf};
use ananke_trace::process::WrittenCommand;

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

/// The agent's name without a setting.
const AGENT: &str = "command";

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    target: &CommandConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<CommandTarget> {
    let agent: Leaf<Option<_>> = target.agent_id.fill(interpolation);
    let written = WrittenCommand {
        cmd: &target.cmd,
        env: target.env.as_ref(),
        cwd: target.cwd.as_ref(),
        may_lack_secrets: false,
    };
    let command = written.fill(interpolation, Interpolation::sent_text);
    let conversation = target.conversation.fill(interpolation);
    let mut bytes = |written: &Option<Number>, default: usize| match written {
        Some(written) => interpolation.number_within(written, 1..=u64::from(u32::MAX)),
        None => Ok(default),
    };
    let max_response_bytes = bytes(&target.max_response_bytes, Limits::MAX_RESPONSE_BYTES);
    let max_line_bytes = bytes(&target.max_event_bytes, Limits::MAX_EVENT_BYTES);
    let home = interpolation
        .source()
        .path
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    Ok(CommandTarget::new(CommandSettings {
        agent: agent?.unwrap_or_else(|| AGENT.to_owned()),
        program: PipeProgram {
            command: command?,
            home,
            max_line_bytes: max_line_bytes?,
            sharing: None,
        },
        max_response_bytes: max_response_bytes?,
        conversation: conversation?,
    }))
}
