//! Reads the blocks of one response: text, reasoning and results. `call_reader` reads the calls.
//!
//! **Invariant:** what blocks mean is reported in the order in which they begin, and nothing is reported twice.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::block_changes::BlockChanges;
use super::block_kind::BlockKind;
use super::content_blocks::ContentBlocks;
use super::message_event::{sent_text, type_of};
use super::open_messages::OpenMessages;
use super::tool_use::ToolUse;
use super::unread::{of_block, of_delta};
use ananke_agents::{AnsweredCalls, CallKeys, ToolLoop};
use ananke_base::context::Ids;
use ananke_base::source::received_json::{Halves, SentText};
use ananke_trace::trace::{Change, MessageKind, Unread};

/// Reads the blocks of one response.
pub(super) struct BlockReader<'a> {
    ids: &'a dyn Ids,
    /// The keys of the calls of the conversation so far.
    pub(super) call_keys: &'a mut CallKeys,
    /// The calls that the response itself answers.
    pub(super) answered: AnsweredCalls,
    /// The key of each call of the server that has no result yet, by its id. A response may answer those before it.
    pub(super) server_calls: &'a mut BTreeMap<String, String>,
    pub(super) blocks: ContentBlocks,
    /// The blocks that have begun without a text. They are reported once they have one, or before another block.
    waiting: Vec<usize>,
    messages: OpenMessages,
    /// The block of the newest call with each id.
    pub(super) calls_by_id: HashMap<String, usize>,
    /// The calls that the client executes.
    pub(super) calls: Vec<ToolUse>,
    /// Whether a call has no name.
    pub(super) has_nameless: bool,
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(
        ids: &'a dyn Ids,
        tools: &'a mut ToolLoop,
        server_calls: &'a mut BTreeMap<String, String>,
    ) -> Self {
        Self {
            ids,
            call_keys: &mut tools.keys,
            answered: AnsweredCalls::new(tools.execution),
            server_calls,
            blocks: ContentBlocks::default(),
            waiting: Vec::new(),
            messages: OpenMessages::default(),
            calls_by_id: HashMap::new(),
            calls: Vec::new(),
            has_nameless: false,
        }
    }

    /// Reads a block that is whole, as a server that does not stream puts it into the beginning of its message.
    pub(super) fn whole(&mut self, value: &Value, halves: Halves, changes: &mut BlockChanges<'_>) {
        let number = self.begin(None, value, halves, changes);
        self.blocks.close(None);
        self.finish_block(number, changes);
    }

    /// Reads the beginning of a block, which may have text already. Returns its number.
    pub(super) fn begin(
        &mut self,
        index: Option<u64>,
        value: &Value,
        halves: Halves,
        changes: &mut BlockChanges<'_>,
    ) -> usize {
        let kind = BlockKind::of(value);
        for unread in of_block(kind, value) {
            changes.report(Change::Unread(unread));
        }
        let (number, displaced) = self.blocks.begin(index, kind, value.clone());
        // Servers that give every block the same place do not end them either.
        if let Some(displaced) = displaced {
            self.finish_block(displaced, changes);
        }
        match kind {
            BlockKind::Text | BlockKind::Reasoning => {
                self.begin_waiting(changes);
                self.waiting.push(number);
                let key = if kind == BlockKind::Text {
                    "text"
                } else {
                    "thinking"
                };
                if let Some(text) = sent_text(value, key, halves) {
                    self.add_text(number, text, changes);
                }
            }
            BlockKind::Call(_) => {
                self.before_other(changes);
                self.begin_call(number, changes);
            }
            BlockKind::Result => {
                self.before_other(changes);
                self.result(number, changes);
            }
            BlockKind::Redacted | BlockKind::Silent | BlockKind::Unknown => {}
        }
        number
    }

    /// Reads a piece of a block.
    pub(super) fn delta(
        &mut self,
        index: Option<u64>,
        delta: &Value,
        halves: Halves,
        changes: &mut BlockChanges<'_>,
    ) {
        for unread in of_delta(delta) {
            changes.report(Change::Unread(unread));
        }
        let Some(piece) = BlockKind::of_delta(delta) else {
            return;
        };
        let number = match self.blocks.at(index) {
            Some(number) if self.blocks.block(number).kind.fits(piece) => number,
            // A block that is not understood stays so, with all of its pieces.
            Some(number) if self.is_not_read(number) => {
                let name = format!("delta:{}", type_of(delta));
                changes.report(Change::Unread(Unread::item(name, delta)));
                return;
            }
            _ if piece == BlockKind::Silent => return,
            // A piece for no block is the beginning of one.
            _ => self.begin(index, &block_of(piece), halves, changes),
        };
        match type_of(delta) {
            "text_delta" => self.add_piece(number, sent_text(delta, "text", halves), changes),
            "thinking_delta" => {
                self.add_piece(number, sent_text(delta, "thinking", halves), changes);
            }
            "input_json_delta" => {
                if let Some(text) = sent_text(delta, "partial_json", halves) {
                    self.add_input(number, text, changes);
                }
            }
            "signature_delta" => {
                self.blocks.block(number).value["signature"] = delta["signature"].clone();
            }
            "citations_delta" => self.add_citation(number, delta),
            _ => {}
        }
    }

    fn is_not_read(&mut self, number: usize) -> bool {
        matches!(
            self.blocks.block(number).kind,
            BlockKind::Unknown | BlockKind::Result | BlockKind::Redacted
        )
    }

    /// Keeps a citation, which goes back with its text.
    fn add_citation(&mut self, number: usize, delta: &Value) {
        let Some(citation) = delta.get("citation") else {
            return;
        };
        let value = &mut self.blocks.block(number).value;
        match value.get_mut("citations") {
            Some(Value::Array(citations)) => citations.push(citation.clone()),
            _ => value["citations"] = json!([citation]),
        }
    }

    fn add_piece(
        &mut self,
        number: usize,
        text: Option<SentText<'_>>,
        changes: &mut BlockChanges<'_>,
    ) {
        if let Some(text) = text {
            self.add_text(number, text, changes);
        }
    }

    /// Adds a piece of text or of reasoning.
    fn add_text(&mut self, number: usize, text: SentText<'_>, changes: &mut BlockChanges<'_>) {
        self.open_item(number, changes);
        let block = self.blocks.block(number);
        let (delta, has_lone_half) = block.add(text);
        let id = block.item.clone().unwrap_or_default().into();
        if has_lone_half {
            changes.warn_of_half();
        }
        // The first half of a pair waits for the other.
        if delta.is_empty() {
            return;
        }
        changes.report(match self.blocks.block(number).kind {
            BlockKind::Text => Change::MessageText { id, delta },
            _ => Change::Reasoning {
                id,
                delta,
                subagent: None,
            },
        });
    }

    /// Begins the message or the reasoning of a block, if it has not begun.
    fn open_item(&mut self, number: usize, changes: &mut BlockChanges<'_>) {
        if self.blocks.block(number).item.is_some() {
            return;
        }
        self.waiting.retain(|waiting| *waiting != number);
        if self.blocks.block(number).kind == BlockKind::Reasoning {
            self.leave_message(changes);
            let id = self.ids.next("reasoning");
            changes.report(Change::Reasoning {
                id: Cow::Borrowed(&id),
                delta: "".into(),
                subagent: None,
            });
            self.blocks.block(number).item = Some(id);
            return;
        }
        let id = match self.messages.continued() {
            Some(id) => id,
            None => self.begin_message(changes),
        };
        self.blocks.block(number).item = Some(id);
    }

    /// Begins a message. Returns its id.
    fn begin_message(&mut self, changes: &mut BlockChanges<'_>) -> String {
        let id = self.ids.next("message");
        if let Some(over) = self.messages.begin(id.clone()) {
            changes.report(Change::MessageClosed { id: over.into() });
        }
        changes.report(Change::MessageOpened {
            id: Cow::Borrowed(&id),
            role: MessageKind::Assistant,
            subagent: None,
        });
        id
    }

    /// Begins what waits for its text, since something else begins after it.
    fn begin_waiting(&mut self, changes: &mut BlockChanges<'_>) {
        for number in std::mem::take(&mut self.waiting) {
            if !self.blocks.block(number).is_done {
                self.open_item(number, changes);
            }
        }
    }

    /// Takes it that a call or a result begins: it is after everything that began before, and text after it is a new message.
    fn before_other(&mut self, changes: &mut BlockChanges<'_>) {
        self.begin_waiting(changes);
        self.leave_message(changes);
    }

    fn leave_message(&mut self, changes: &mut BlockChanges<'_>) {
        if let Some(id) = self.messages.leave() {
            changes.report(Change::MessageClosed { id: id.into() });
        }
    }

    /// Reads the end of the block at this place.
    pub(super) fn stop(&mut self, index: Option<u64>, changes: &mut BlockChanges<'_>) {
        if let Some(number) = self.blocks.close(index) {
            self.finish_block(number, changes);
        }
    }

    /// Ends a block, if it has not ended.
    pub(super) fn finish_block(&mut self, number: usize, changes: &mut BlockChanges<'_>) {
        let block = self.blocks.block(number);
        if std::mem::replace(&mut block.is_done, true) {
            return;
        }
        match block.kind {
            BlockKind::Text | BlockKind::Reasoning => self.finish_text(number, changes),
            BlockKind::Call(side) => self.finish_call(number, side, changes),
            BlockKind::Redacted | BlockKind::Result | BlockKind::Silent | BlockKind::Unknown => {}
        }
    }

    fn finish_text(&mut self, number: usize, changes: &mut BlockChanges<'_>) {
        self.waiting.retain(|waiting| *waiting != number);
        let block = self.blocks.block(number);
        let Some(id) = block.item.clone() else {
            return;
        };
        // Half of a surrogate pair at the end waits for the other half in vain.
        let lone_half = block.finish();
        let kind = block.kind;
        if lone_half.is_some() {
            changes.warn_of_half();
        }
        if let Some(lone_half) = lone_half
            && kind == BlockKind::Text
        {
            let delta = lone_half.to_string().into();
            let id = Cow::Borrowed(id.as_str());
            changes.report(Change::MessageText { id, delta });
        }
        if kind == BlockKind::Text && self.messages.end_block(&id) {
            changes.report(Change::MessageClosed { id: id.into() });
        }
    }

    /// Ends everything that is open, since the response is over.
    pub(super) fn finish(&mut self, changes: &mut BlockChanges<'_>) {
        for number in 0..self.blocks.count() {
            self.finish_block(number, changes);
        }
        self.leave_message(changes);
    }
}

/// The block that begins with a piece of this kind, whose own beginning did not come.
fn block_of(piece: BlockKind) -> Value {
    match piece {
        BlockKind::Text => json!({ "type": "text", "text": "" }),
        BlockKind::Reasoning => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        _ => json!({ "type": "tool_use", "input": {} }),
    }
}
