//! The keys of a target that is a program, and the settings that are known before it is started.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::conversation_config::ConversationConfig;
use crate::conversation_settings::ConversationSettings;
use ananke_agents::pipe::PipeProgram;
use ananke_base::source::FreeMap;
use ananke_model::model::{Number, Since, Text};

/// An agent that is a program, without a network. Each test starts it with its first turn. It reads a run as one line of JSON
/// from stdin, and prints the events of AG-UI to stdout, one per line.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.3"))]
pub struct CommandConfig {
    /// Program and arguments, one word per entry. Not run through a shell: `~`, `*` and `$NAME` are not expanded.
    #[schemars(length(min = 1), example = serde_json::json!(["python3", "agent.py"]), extend("x-spelling" = "command"))]
    pub cmd: Vec<Text>,
    /// Environment variables, in addition to ananke's own.
    #[schemars(example = serde_json::json!({"LOG_LEVEL": "debug"}))]
    pub env: Option<FreeMap<Text>>,
    /// Working directory, relative to the config's directory (default: that directory). `~` is the home directory.
    #[schemars(example = &"agent")]
    pub cwd: Option<Text>,
    /// The agent's name in reports (default `command`).
    pub agent_id: Option<Text>,
    /// The keys of a conversation.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub conversation: ConversationConfig,
    /// Size limit for a response in bytes (default 67108864, which is 64 MiB). A larger one is an error.
    #[serde(rename = "max_response_bytes")]
    #[schemars(example = 1_000_000)]
    pub max_response_bytes: Option<Number>,
    /// Size limit for a line in bytes (default 16777216, which is 16 MiB). A larger one is an error.
    #[serde(rename = "max_event_bytes")]
    #[schemars(example = 100_000)]
    pub max_event_bytes: Option<Number>,
}

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
