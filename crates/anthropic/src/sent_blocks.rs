//! The blocks of a reply as the next request has them: each as it came, put together from its pieces.
//!
//! **Invariant:** a call goes back only with its result, and reasoning unchanged.

use std::collections::HashSet;

use serde_json::Value;

use super::block_kind::{BlockKind, ToolSide};
use super::block_reader::BlockReader;
use super::content_blocks::ContentBlock;
use super::ending::StopReason;
use super::request_messages::input_of;
use super::tool_use::ToolUse;
use ananke_agents::{AnsweredCalls, TargetError};
use ananke_base::source::received_json::without_marks;

/// The part of a complete reply that the session keeps.
#[derive(Debug)]
pub(super) struct MessageReply {
    /// The blocks as the next request has them.
    pub(super) content: Vec<Value>,
    /// The calls that the client executes.
    pub(super) calls: Vec<ToolUse>,
    /// Whether the server goes on once it is asked again.
    pub(super) is_paused: bool,
    /// The container in which the server executes code.
    pub(super) container: Option<String>,
}

/// The calls of the server that the next request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServerCalls {
    /// All of them, since the server goes on.
    All,
    /// The ones with a result, since the others are over.
    Answered,
}

impl BlockReader<'_> {
    /// The part of the response that the session keeps.
    ///
    /// # Errors
    /// If a call has no name.
    pub(super) fn into_reply(
        self,
        stop: Option<&StopReason>,
        container: Option<String>,
    ) -> Result<MessageReply, TargetError> {
        if self.has_nameless {
            return Err(TargetError::new(
                "the model called a tool without naming it",
            ));
        }
        let is_paused = stop == Some(&StopReason::Paused);
        // Calls of the server that have no result are sent only if the server will execute them.
        let server_calls = if is_paused || self.is_waiting() {
            ServerCalls::All
        } else {
            ServerCalls::Answered
        };
        let of_client: HashSet<String> = self.calls.iter().map(|call| call.key.clone()).collect();
        let mut content = Vec::new();
        let mut is_reasoning_alone = true;
        for block in self.blocks.into_all() {
            let kind = block.kind;
            // The client's calls that the response answers do not go back, nor do their results, because the API takes results of them
            // from the client alone.
            if kind == BlockKind::Result && (block.key.is_empty() || of_client.contains(&block.key))
            {
                continue;
            }
            if let Some(sent) = sent_back(block, &self.answered, server_calls) {
                is_reasoning_alone &= matches!(kind, BlockKind::Reasoning | BlockKind::Redacted);
                content.push(sent);
            }
        }
        // The API refuses a message that ends with reasoning. One without anything else has nothing that the next answer needs.
        if is_reasoning_alone && !is_paused {
            content.clear();
        }
        let mut calls = self.calls;
        calls.retain(|call| self.answered.is_sent_back(&call.key));
        Ok(MessageReply {
            content,
            calls,
            is_paused,
            container,
        })
    }
}

/// A block as the next request has it; `None` if a request cannot have it.
fn sent_back(
    block: ContentBlock,
    answered: &AnsweredCalls,
    server_calls: ServerCalls,
) -> Option<Value> {
    let mut sent = without_marks(&block.value).into_owned();
    match block.kind {
        BlockKind::Text => {
            if block.text.is_empty() {
                return None;
            }
            sent["text"] = block.text.into();
        }
        BlockKind::Reasoning => sent["thinking"] = block.text.into(),
        BlockKind::Call(side) => {
            let is_sent = match side {
                ToolSide::Client => answered.is_sent_back(&block.key),
                ToolSide::Server => {
                    server_calls == ServerCalls::All || answered.contains(&block.key)
                }
            };
            if !is_sent {
                return None;
            }
            // A call without an id is answered by its key.
            if sent["id"].as_str().is_none_or(str::is_empty) {
                sent["id"] = block.key.into();
            }
            sent["input"] = input_of(&block.text);
        }
        BlockKind::Result | BlockKind::Redacted | BlockKind::Silent | BlockKind::Unknown => {}
    }
    Some(sent)
}
