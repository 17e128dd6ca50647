//! Reads the items of one response: pieces first, then each item as a whole, and what never became whole at the end.
//!
//! **Invariant:** of an item that comes several times, the later form counts, and nothing is reported twice; a whole that
//! contradicts its pieces is unread.

use std::borrow::Cow;

use serde_json::Value;

use super::event::Extent;
use super::input_items::sent_back;
use super::item_kind::{CallSide, OutputItemKind, type_of};
use super::ordered_changes::OrderedChanges;
use super::output_items::{ItemExtent, ItemSigns, OutputItems, WholeSource};
use super::reply_items::{ApprovedCall, OpenItemCall, ReplyItems};
use super::streamed_text::TextCompletion;
use super::unread::of_item;
use ananke_agents::{AnsweredCalls, CallKeys, TargetError, ToolExecution, ToolLoop};
use ananke_base::context::Ids;
use ananke_base::source::received_json::{Halves, SentText};
use ananke_trace::trace::{Change, Interrupt, MessageKind, Unread};

/// Reads the items of one response.
pub(super) struct ItemReader<'a> {
    ids: &'a dyn Ids,
    /// The keys of the calls of the conversation so far.
    pub(super) call_keys: &'a mut CallKeys,
    execution: ToolExecution,
    /// The calls that the response itself answers.
    pub(super) answered: AnsweredCalls,
    /// The calls of earlier responses that were approved since.
    pub(super) approved: &'a mut Vec<ApprovedCall>,
    pub(super) items: OutputItems,
    /// The calls that the client executes.
    pub(super) calls: Vec<OpenItemCall>,
    /// The calls that wait for an approval.
    pub(super) approvals: Vec<ApprovedCall>,
    /// Whether a call never got the name of its tool.
    pub(super) has_nameless: bool,
}

impl<'a> ItemReader<'a> {
    pub(super) fn new(
        ids: &'a dyn Ids,
        tools: &'a mut ToolLoop,
        approved: &'a mut Vec<ApprovedCall>,
    ) -> Self {
        Self {
            ids,
            call_keys: &mut tools.keys,
            execution: tools.execution,
            answered: AnsweredCalls::new(tools.execution),
            approved,
            items: OutputItems::default(),
            calls: Vec::new(),
            approvals: Vec::new(),
            has_nameless: false,
        }
    }

    /// The number of the item with these signs, which is added if there is none.
    pub(super) fn find_or_add(&mut self, signs: ItemSigns<'_>, kind: OutputItemKind) -> usize {
        match self.items.find(signs) {
            Some(number) => number,
            None => self.items.add(signs, kind),
        }
    }

    /// Reads an item that begins at this place of the output.
    pub(super) fn announce(
        &mut self,
        item: &Value,
        index: Option<u64>,
        changes: &mut OrderedChanges<'_>,
    ) {
        let signs = ItemSigns::of_item(item, index);
        // Servers announce an item twice, or after its first pieces.
        let number = match self.items.find_whole(item, signs, WholeSource::OwnEvent) {
            Some(number) => number,
            None => self.items.add(signs, OutputItemKind::of(item)),
        };
        self.items.note_signs(number, signs);
        if self.items.item(number).is_done {
            return;
        }
        self.items.item(number).announced = Some(item.clone());
        match self.items.item(number).kind {
            OutputItemKind::Message => self.begin_message(number, changes),
            OutputItemKind::Call(_) | OutputItemKind::Approval => {
                self.begin_call(number, item, ItemExtent::Announced, changes);
            }
            OutputItemKind::Reasoning
            | OutputItemKind::Result
            | OutputItemKind::Silent
            | OutputItemKind::Unknown => {}
        }
    }

    /// Reads a whole item. One that was complete before is not read again.
    pub(super) fn complete(
        &mut self,
        item: &Value,
        index: Option<u64>,
        from: WholeSource,
        halves: Halves,
        changes: &mut OrderedChanges<'_>,
    ) {
        let signs = ItemSigns::of_item(item, index);
        let number = match self.items.find_whole(item, signs, from) {
            Some(number) => number,
            None => self.items.add(signs, OutputItemKind::of(item)),
        };
        self.items.note_signs(number, signs);
        self.complete_number(number, item, halves, changes);
    }

    /// Reads the whole of the item with this number.
    fn complete_number(
        &mut self,
        number: usize,
        item: &Value,
        halves: Halves,
        changes: &mut OrderedChanges<'_>,
    ) {
        let kind = OutputItemKind::of(item);
        let known = self.items.item(number);
        if known.is_done {
            return;
        }
        // An item that says something else than its pieces cannot be put together with them. Who executes a call may be known late.
        let are_calls = matches!(
            (known.kind, kind),
            (OutputItemKind::Call(_), OutputItemKind::Call(_))
        );
        if known.kind != kind && !are_calls {
            if !known.is_unreported() {
                let name = format!("item:{}", type_of(item));
                changes.report(Change::Unread(Unread::item(name, item)));
                self.items.close(number);
                return;
            }
            self.items.retype(number, item);
        }
        for unread in of_item(kind, item) {
            changes.report(Change::Unread(unread));
        }
        match kind {
            OutputItemKind::Message => self.complete_message(number, item, halves, changes),
            OutputItemKind::Reasoning => self.complete_reasoning(number, item, halves, changes),
            OutputItemKind::Call(side) => self.complete_call(number, item, side, changes),
            OutputItemKind::Approval => self.complete_approval(number, item, changes),
            OutputItemKind::Result => self.complete_result(item, changes),
            OutputItemKind::Silent | OutputItemKind::Unknown => {}
        }
        self.items.item(number).sent_back = self.as_sent_back(kind, item);
        self.items.item(number).announced = None;
        self.items.close(number);
    }

    /// The form in which the next request has an item. A server that executes its functions itself does not expect them back.
    fn as_sent_back(&self, kind: OutputItemKind, item: &Value) -> Option<Value> {
        let is_of_client = matches!(
            kind,
            OutputItemKind::Call(CallSide::Function | CallSide::Client) | OutputItemKind::Result
        );
        if self.execution == ToolExecution::Observed && is_of_client {
            return None;
        }
        sent_back(item)
    }

    /// Begins the message of an item, if it has not begun.
    fn begin_message(&mut self, number: usize, changes: &mut OrderedChanges<'_>) {
        if self.items.item(number).message.is_some() {
            return;
        }
        let id = self.ids.next("message");
        changes.report(Change::MessageOpened {
            id: Cow::Borrowed(&id),
            role: MessageKind::Assistant,
            subagent: None,
        });
        self.items.item(number).message = Some(id);
    }

    /// Reports what is missing of a message, and ends it.
    fn complete_message(
        &mut self,
        number: usize,
        item: &Value,
        halves: Halves,
        changes: &mut OrderedChanges<'_>,
    ) {
        match item.get("content") {
            // Some servers write a single text without parts.
            Some(Value::String(text)) => {
                let text = SentText::new(text.as_str(), halves);
                self.whole_text(number, 0, text, changes);
            }
            Some(Value::Array(parts)) => {
                for (part_number, part) in (0..).zip(parts) {
                    if let Some(text) = text_of_part(part) {
                        let text = SentText::new(text, halves);
                        self.whole_text(number, part_number, text, changes);
                    }
                }
            }
            _ => {}
        }
        self.begin_message(number, changes);
        let item = self.items.item(number);
        // Half of a surrogate pair at the end waits for the other half in vain.
        let mut lone_half = None;
        for text in item.parts.values_mut() {
            lone_half = text.finish().or(lone_half);
        }
        let id = item.message.clone().unwrap_or_default();
        if let Some(lone_half) = lone_half {
            changes.warn_of_half();
            let delta = lone_half.to_string().into();
            let id = Cow::Borrowed(id.as_str());
            changes.report(Change::MessageText { id, delta });
        }
        changes.report(Change::MessageClosed { id: id.into() });
    }

    /// Reports the reasoning of an item of which no piece came.
    fn complete_reasoning(
        &mut self,
        number: usize,
        item: &Value,
        halves: Halves,
        changes: &mut OrderedChanges<'_>,
    ) {
        let mut texts = Vec::new();
        for key in ["summary", "content"] {
            for part in item[key].as_array().into_iter().flatten() {
                texts.extend(part["text"].as_str());
            }
        }
        if !texts.is_empty() {
            let text = SentText::new(texts.join("\n"), halves);
            self.reasoning(number, Extent::Whole, text, changes);
        }
    }

    /// Adds a piece of text to a part of a message.
    pub(super) fn text_piece(
        &mut self,
        number: usize,
        part: u64,
        text: SentText<'_>,
        changes: &mut OrderedChanges<'_>,
    ) {
        // A complete message takes no more text, since the whole has been compared with its pieces.
        if self.items.item(number).is_done {
            return unread_text("text came after its message was complete", changes);
        }
        self.begin_message(number, changes);
        let item = self.items.item(number);
        let streamed = item.parts.entry(part).or_default();
        let (delta, has_lone_half) = streamed.add(text);
        if has_lone_half {
            changes.warn_of_half();
        }
        if !delta.is_empty() {
            let id = Cow::Borrowed(item.message.as_deref().unwrap_or_default());
            changes.report(Change::MessageText { id, delta });
        }
    }

    /// Takes the whole text of a part of a message.
    pub(super) fn whole_text(
        &mut self,
        number: usize,
        part: u64,
        text: SentText<'_>,
        changes: &mut OrderedChanges<'_>,
    ) {
        // Servers repeat the whole text of a message that is complete.
        if self.items.item(number).is_done {
            return;
        }
        self.begin_message(number, changes);
        let mut has_lone_half = false;
        let text = text.alone(|| has_lone_half = true);
        if has_lone_half {
            changes.warn_of_half();
        }
        let item = self.items.item(number);
        match item.parts.entry(part).or_default().complete(&text) {
            TextCompletion::Follows(rest) if rest.is_empty() => {}
            TextCompletion::Follows(rest) => {
                let id = Cow::Borrowed(item.message.as_deref().unwrap_or_default());
                let delta = rest.into();
                changes.report(Change::MessageText { id, delta });
            }
            TextCompletion::Differs => {
                unread_text("the whole text differs from its pieces", changes);
            }
        }
    }

    /// Takes reasoning: a piece, or the whole of it if no piece came.
    pub(super) fn reasoning(
        &mut self,
        number: usize,
        extent: Extent,
        text: SentText<'_>,
        changes: &mut OrderedChanges<'_>,
    ) {
        let item = self.items.item(number);
        // No rule is about reasoning, so that a whole after its pieces is not compared with them.
        if extent == Extent::Whole && !item.thoughts.text().is_empty() {
            return;
        }
        let id = item
            .reasoning
            .get_or_insert_with(|| self.ids.next("reasoning"))
            .clone();
        let (delta, has_lone_half) = item.thoughts.add(text);
        if has_lone_half {
            changes.warn_of_half();
        }
        changes.report(Change::Reasoning {
            id: id.into(),
            delta,
            subagent: None,
        });
    }

    /// Ends what is still open, since the response is over: items that no event completed are complete as they are.
    pub(super) fn finish(&mut self, changes: &mut OrderedChanges<'_>) {
        for number in 0..self.items.count() {
            if !self.items.item(number).is_done {
                let whole = self.items.item(number).put_together();
                self.complete_number(number, &whole, Halves::Replaced, changes);
            }
        }
        self.report_nameless(changes);
        // A server that executes its functions has done so before it ends the response.
        for call in &self.calls {
            if self.answered.is_executed_unseen(&call.key) {
                let id = Cow::Borrowed(call.key.as_str());
                changes.report(Change::CallExecuted { id });
            }
        }
    }

    /// Whether the response asks for an approval.
    pub(super) fn is_interrupted(&self) -> bool {
        !self.approvals.is_empty()
    }

    /// The questions whether calls may be executed.
    pub(super) fn interrupts(&self) -> Vec<Interrupt> {
        let mut interrupts = Vec::new();
        for approval in &self.approvals {
            interrupts.push(Interrupt {
                id: approval.request.clone(),
                reason: Some("mcp_approval_request".to_owned()),
                message: None,
                call: Some(approval.key.clone()),
            });
        }
        interrupts
    }

    /// The part of the response that the session keeps.
    ///
    /// # Errors
    /// If a call has no name.
    pub(super) fn into_reply(self, id: Option<String>) -> Result<ReplyItems, TargetError> {
        if self.has_nameless {
            return Err(TargetError::new(
                "the model called a tool without naming it",
            ));
        }
        let mut calls = self.calls;
        calls.retain(|call| self.answered.is_sent_back(&call.key));
        let mut items = Vec::new();
        for item in self.items.into_all() {
            items.extend(item.sent_back);
        }
        Ok(ReplyItems {
            id,
            items,
            calls,
            approvals: self.approvals,
        })
    }
}

/// The text of a part of a message: what it says, or why the model refuses. Reasoning is none.
pub(super) fn text_of_part(part: &Value) -> Option<&str> {
    match type_of(part) {
        "reasoning_text" | "summary_text" => None,
        "refusal" => part["refusal"].as_str(),
        _ => part["text"].as_str(),
    }
}

/// Reports that the text of a message is not certain, for this reason.
fn unread_text(why: &'static str, changes: &mut OrderedChanges<'_>) {
    changes.report(Change::Unread(Unread::text(why)));
}
