//! The kinds of blocks: which of them are calls, and who executes those.
//!
//! **Invariant:** a block that may be a call is a call or unread.

use std::borrow::Cow;

use serde_json::Value;

use super::message_event::{text_of, type_of};

/// The meaning of a block, which its type decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Text for the user.
    Text,
    /// Reasoning of the model.
    Reasoning,
    /// Reasoning that only the server can read.
    Redacted,
    /// An input for a tool, of which the side says who executes it.
    Call(ToolSide),
    /// The result of a call.
    Result,
    /// A block without a fact, such as a list of tools.
    Silent,
    /// A block of a type that is not known.
    Unknown,
}

/// The side that executes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolSide {
    Client,
    Server,
}

/// The type of a call that the client executes, also of one that code on the server makes.
pub(super) const TOOL_USE: &str = "tool_use";

/// Types of blocks without a fact that a rule is about.
const SILENT: [&str; 4] = [
    "mcp_tool_listing",
    "container_upload",
    "compaction",
    "fallback",
];

/// The end of the types of all calls that a server executes.
const SERVER_USE: &str = "_tool_use";

/// The end of the types of all results.
const RESULT: &str = "tool_result";

impl BlockKind {
    /// The kind of a block, by its type.
    pub(super) fn of(block: &Value) -> Self {
        let block_type = type_of(block);
        match block_type {
            "text" => return Self::Text,
            "thinking" => return Self::Reasoning,
            "redacted_thinking" => return Self::Redacted,
            TOOL_USE => return Self::Call(ToolSide::Client),
            _ => {}
        }
        if SILENT.contains(&block_type) {
            Self::Silent
        } else if block_type.ends_with(SERVER_USE) {
            Self::Call(ToolSide::Server)
        } else if block_type == RESULT || block_type.ends_with(&format!("_{RESULT}")) {
            Self::Result
        } else {
            Self::Unknown
        }
    }

    /// The kind of the block that a piece belongs to; `None` if the piece is not known.
    pub(super) fn of_delta(delta: &Value) -> Option<Self> {
        match type_of(delta) {
            "text_delta" | "citations_delta" => Some(Self::Text),
            "thinking_delta" | "signature_delta" => Some(Self::Reasoning),
            "input_json_delta" => Some(Self::Call(ToolSide::Client)),
            "compaction_delta" => Some(Self::Silent),
            _ => None,
        }
    }

    /// Whether a piece that usually comes for `piece` can be part of such a block: all calls have pieces of one type.
    pub(super) fn fits(self, piece: Self) -> bool {
        match piece {
            Self::Call(_) => matches!(self, Self::Call(_)),
            _ => self == piece,
        }
    }
}

/// The tool of a call: its own name, else that of the block's type. `None` if the block has to name it and does not.
pub(super) fn tool_name(block: &Value) -> Option<Cow<'_, str>> {
    if let Some(name) = text_of(block, "name") {
        return Some(Cow::Borrowed(name));
    }
    // These types say who executes the tool, and not which one it is.
    match type_of(block) {
        TOOL_USE | "server_tool_use" | "mcp_tool_use" => None,
        other => other.strip_suffix(SERVER_USE).map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_block_that_may_be_a_call_is_one() {
        use BlockKind::{Call, Result, Silent, Unknown};
        use ToolSide::{Client, Server};
        for (block_type, own_name, kind, tool) in [
            ("tool_use", Some("pay"), Call(Client), Some("pay")),
            ("tool_use", None, Call(Client), None),
            ("server_tool_use", Some("find"), Call(Server), Some("find")),
            ("mcp_tool_use", Some("roll"), Call(Server), Some("roll")),
            ("brand_new_tool_use", None, Call(Server), Some("brand_new")),
            ("tool_result", None, Result, None),
            ("web_search_tool_result", None, Result, None),
            ("mcp_tool_listing", None, Silent, None),
            ("news", Some("x"), Unknown, Some("x")),
            ("", None, Unknown, None),
        ] {
            let block = json!({ "type": block_type, "name": own_name });
            assert_eq!(BlockKind::of(&block), kind, "{block}");
            assert_eq!(tool_name(&block).as_deref(), tool, "{block}");
        }
    }
}
