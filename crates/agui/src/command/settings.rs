//! The settings of an agent that is a program, which are known before it is started.

use crate::conversation_settings::ConversationSettings;
use ananke_agents::pipe::PipeProgram;

/// An agent that is a program.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// The program.
    pub program: PipeProgram,
    /// The largest response, in bytes.
    pub max_response_bytes: usize,
    /// The settings that every run has.
    pub conversation: ConversationSettings,
}
