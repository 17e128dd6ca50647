//! What people write, one type a file.
//!
//! The types mirror the YAML key by key; the doc comment of a field is its description in the generated schema and in
//! an editor's hover, and every field carries its since-version as `x-since`. Nothing here does input or output, and
//! no string has been interpolated yet. A type is read from a [`Node`](crate::source::Node) by `source::from_node`.

mod assert_block;
mod call_selector;
mod capture;
mod cases;
mod client_tool;
mod content;
mod file;
mod hook;
mod leaf;
mod message;
mod outcome;
mod quarantine;
mod redact;
mod report_format;
mod script;
mod sequence;
mod server;
mod snapshot;
mod switch;
mod test;
mod test_file;
mod text_or;
mod tool_rules;
mod turn;

use crate::source::TagDefault;

pub use assert_block::{AssertBlock, TextOf, TextRules, TimingLimits, UsageLimits, ValueRule, ValueType};
pub use call_selector::{CallSelector, CallStatus};
pub use capture::Capture;
pub use cases::{Cases, Skip};
pub use client_tool::{ClientTool, Mock, MockAnswer, MockCase};
pub use content::{Attachment, ContentPart, Media, TextPart, UserContent};
pub use file::{File, is_home};
pub use hook::Hook;
pub use leaf::{Flag, Given, Limit, Number, OneOrMany, Text, homes, mapping, optional_mapping};
pub use message::{Arguments, CallKind, CalledFunction, Message, MessageCall};
pub use outcome::{OutcomeIs, OutcomeRule, RunOutcome};
pub use quarantine::QuarantineEntry;
pub use redact::{RedactEntry, RedactMatch};
pub(crate) use report_format::report_formats;
pub use report_format::{ReportEntry, ReportFormat, ReportTarget};
pub use script::{ScriptProgram, ScriptRule};
pub use sequence::{SaidBy, SequenceMode, SequenceRule, SequenceStep};
pub use server::{Ready, Server};
pub use snapshot::{SnapshotOf, SnapshotRule};
pub use switch::Switch;
pub use test::Test;
pub use test_file::TestFile;
pub use text_or::TextOr;
pub use tool_rules::{Count, ForbidCalls, Require, Subagents, ToolRules};
pub use turn::{ConnectTurn, Resume, ResumeStatus, ResumeTurn, Turn, TurnSettings, UserTurn};

/// The schema versions this program knows, oldest first.
pub const VERSIONS: &[&str] = &["1.0", "1.1", "1.2", "1.3"];

/// The unions discriminated by `type` in which `type` may be left out, and what it then is (SPEC 1).
pub const TAG_DEFAULTS: &[TagDefault] = &[
    TagDefault { union: "Turn", tag: "user", key: None },
    TagDefault { union: "NamedTarget", tag: "extends", key: Some("extends") },
];

/// Values of `type` that the language has and this version does not carry out, and what each is: a file that uses one
/// is told more than that it is unknown.
pub const NOT_YET: &[(&str, &str)] = &[
    ("a2a", "a target that speaks A2A"),
    ("a2a:send", "a turn of an A2A target"),
    ("command", "a target that is a program of its own"),
    ("mcp", "a target that speaks MCP"),
    ("mcp:call", "a turn of an MCP target"),
    ("mcp:list", "a turn of an MCP target"),
    ("mcp:prompt", "a turn of an MCP target"),
    ("mcp:read", "a turn of an MCP target"),
    ("openai", "a target that speaks OpenAI's chat protocol"),
];
