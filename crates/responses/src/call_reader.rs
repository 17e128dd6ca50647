//! Reads the items that are calls, requests for approvals, or results.

use std::borrow::Cow;

use serde_json::Value;

use super::call_item::{ItemResult, arguments_of, content_of, result_of};
use super::event::text_of;
use super::item_kind::{CallSide, tool_name};
use super::item_reader::ItemReader;
use super::ordered_changes::OrderedChanges;
use super::output_items::{ItemCall, ItemExtent};
use super::reply_items::{ApprovedCall, OpenItemCall};
use super::streamed_text::TextCompletion;
use ananke_base::source::received_json::SentText;
use ananke_trace::trace::{Change, Unread};

impl ItemReader<'_> {
    /// Adds a piece of the arguments of a call.
    pub(super) fn argument_piece(
        &mut self,
        number: usize,
        text: SentText<'_>,
        changes: &mut OrderedChanges<'_>,
    ) {
        // A call whose item was not announced has its place here.
        self.begin_call(number, &Value::Null, ItemExtent::Announced, changes);
        let item = self.items.item(number);
        if item.is_done {
            let why = "arguments came after their call was complete";
            changes.report(Change::Unread(Unread::arguments(item.tool.clone(), why)));
            return;
        }
        let (delta, has_lone_half) = item.arguments.add(text);
        if has_lone_half {
            changes.warn_of_half();
        }
        // A call whose tool is not known yet gets its arguments when it begins.
        let item = self.items.item(number);
        if item.call == ItemCall::Begun && !delta.is_empty() {
            let id = Cow::Borrowed(item.key.as_str());
            changes.report(Change::CallArgs { id, delta });
        }
    }

    /// Takes the whole arguments of a call.
    pub(super) fn whole_arguments(
        &mut self,
        number: usize,
        text: SentText<'_>,
        changes: &mut OrderedChanges<'_>,
    ) {
        self.begin_call(number, &Value::Null, ItemExtent::Announced, changes);
        if self.items.item(number).is_done {
            return;
        }
        let mut has_lone_half = false;
        let text = text.alone(|| has_lone_half = true);
        if has_lone_half {
            changes.warn_of_half();
        }
        self.take_arguments(number, &text, changes);
    }

    /// Adds a piece of an input that is a plain text.
    pub(super) fn input_piece(&mut self, number: usize, text: SentText<'_>) {
        let text = text.alone(|| {});
        self.items.item(number).input.push_str(&text);
    }

    /// Begins the call of an item, if it has not begun. If its tool is not known yet, its place in the order is kept.
    pub(super) fn begin_call(
        &mut self,
        number: usize,
        item: &Value,
        known: ItemExtent,
        changes: &mut OrderedChanges<'_>,
    ) {
        let state = self.items.item(number).call;
        if matches!(state, ItemCall::Begun | ItemCall::Approved) {
            return;
        }
        let is_executed =
            |approved: &ApprovedCall| known == ItemExtent::Whole && approved.is_executed_by(item);
        if let Some(position) = self.approved.iter().position(is_executed) {
            let approved = self.approved.remove(position);
            let call = self.items.item(number);
            call.call = ItemCall::Approved;
            call.key = approved.key;
            call.tool = approved.tool;
            if state == ItemCall::Placed {
                changes.fill_place(number, None);
            }
            return;
        }
        // Only the whole item shows whether it is a call that was approved.
        let may_be_approved = self.approved.iter().any(|approved| approved.may_be(item));
        let is_decided = known == ItemExtent::Whole || !may_be_approved;
        let Some(tool) = tool_name(item) else {
            return self.place_call(number, known, changes);
        };
        if !is_decided {
            return self.place_call(number, known, changes);
        }

        // The id of the call is what answers name; calls of the server have only that of their item.
        let id = text_of(item, "call_id").or_else(|| text_of(item, "id"));
        let key = self.call_keys.add(id);
        if let Some(id) = id {
            self.items.note_call(number, id);
        }
        let opened = Change::CallOpened {
            id: Cow::Borrowed(&key),
            name: Cow::Borrowed(&tool),
            subagent: None,
        };
        if state == ItemCall::Placed {
            changes.fill_place(number, Some(opened));
        } else {
            changes.report(opened);
        }
        let call = self.items.item(number);
        call.call = ItemCall::Begun;
        call.tool = tool.into_owned();
        // Arguments that came before the tool was known.
        if !call.arguments.text().is_empty() {
            let delta = Cow::Borrowed(call.arguments.text());
            let id = Cow::Borrowed(key.as_str());
            changes.report(Change::CallArgs { id, delta });
        }
        call.key = key;
    }

    /// Keeps the place of a call of which more may follow, such as its tool.
    fn place_call(&mut self, number: usize, known: ItemExtent, changes: &mut OrderedChanges<'_>) {
        let call = self.items.item(number);
        if call.call == ItemCall::NotBegun && known == ItemExtent::Announced {
            changes.keep_place(number);
            call.call = ItemCall::Placed;
        }
    }

    /// Takes the whole arguments of a call, of which pieces may have come.
    fn take_arguments(&mut self, number: usize, whole: &str, changes: &mut OrderedChanges<'_>) {
        let item = self.items.item(number);
        let completed = item.arguments.complete(whole);
        // An approved call has its arguments from the request for the approval.
        if item.call != ItemCall::Begun {
            return;
        }
        match completed {
            TextCompletion::Follows(rest) if rest.is_empty() => {}
            TextCompletion::Follows(rest) => {
                let id = Cow::Borrowed(item.key.as_str());
                changes.report(Change::CallArgs {
                    id,
                    delta: rest.into(),
                });
            }
            TextCompletion::Differs => {
                let why = "the whole arguments differ from their pieces";
                changes.report(Change::Unread(Unread::arguments(item.tool.clone(), why)));
            }
        }
    }

    /// Reports what is missing of a call. Returns its key; `None` if it has no name.
    fn complete_arguments(
        &mut self,
        number: usize,
        item: &Value,
        changes: &mut OrderedChanges<'_>,
    ) -> Option<String> {
        self.begin_call(number, item, ItemExtent::Whole, changes);
        let state = self.items.item(number).call;
        if matches!(state, ItemCall::NotBegun | ItemCall::Placed) {
            let id = text_of(item, "call_id").or_else(|| text_of(item, "id"));
            let why = "the item of the call came, but no name";
            changes.report(Change::Unread(Unread::call(id.unwrap_or_default(), why)));
            if state == ItemCall::Placed {
                changes.fill_place(number, None);
            }
            self.has_nameless = true;
            return None;
        }
        // A server may write empty arguments into the item after it has sent them in pieces.
        if let Some(whole) = arguments_of(item)
            && !whole.is_empty()
        {
            self.take_arguments(number, &whole, changes);
        }
        let call = self.items.item(number);
        let lone_half = call.arguments.finish();
        if let Some(lone_half) = lone_half {
            changes.warn_of_half();
            let id = Cow::Borrowed(call.key.as_str());
            let delta = lone_half.to_string().into();
            changes.report(Change::CallArgs { id, delta });
        }
        if state == ItemCall::Begun {
            let id = Cow::Borrowed(call.key.as_str());
            changes.report(Change::CallArgsDone { id });
        }
        Some(call.key.clone())
    }

    /// Reads a whole call.
    pub(super) fn complete_call(
        &mut self,
        number: usize,
        item: &Value,
        side: CallSide,
        changes: &mut OrderedChanges<'_>,
    ) {
        let Some(key) = self.complete_arguments(number, item, changes) else {
            return;
        };
        if side == CallSide::Server {
            report_execution(key, item, changes);
            return;
        }
        let call = self.items.item(number);
        let id = text_of(item, "call_id").unwrap_or(&key);
        self.calls.push(OpenItemCall {
            call_id: id.to_owned(),
            tool: call.tool.clone(),
            item_type: call.item_type.clone(),
            is_function: side == CallSide::Function,
            key,
        });
    }

    /// Reads a whole request for an approval: a call that waits.
    pub(super) fn complete_approval(
        &mut self,
        number: usize,
        item: &Value,
        changes: &mut OrderedChanges<'_>,
    ) {
        let Some(key) = self.complete_arguments(number, item, changes) else {
            return;
        };
        let call = self.items.item(number);
        self.approvals.push(ApprovedCall {
            request: text_of(item, "id").unwrap_or(&key).to_owned(),
            tool: call.tool.clone(),
            arguments: call.arguments.text().to_owned(),
            key,
        });
    }

    /// Reads a whole result of a call.
    pub(super) fn complete_result(&mut self, item: &Value, changes: &mut OrderedChanges<'_>) {
        let id = text_of(item, "call_id").unwrap_or_default();
        let number = self.items.find_call(id);
        let Some(number) = number.filter(|number| self.items.item(*number).call == ItemCall::Begun)
        else {
            let why = "the call is not in the response";
            return changes.report(Change::Unread(Unread::results(id, why)));
        };
        let key = self.items.item(number).key.clone();
        self.answered.add(key.clone());
        let content = item.get("output").or_else(|| item.get("result"));
        let is_error = match item["status"].as_str() {
            Some("failed") => Some(true),
            _ => None,
        };
        changes.report(Change::CallAnswered {
            id: key.into(),
            result: content_of(content.unwrap_or(&Value::Null)),
            is_error,
        });
    }

    /// Reports the calls of a response that is no longer read, of which no name has come.
    pub(super) fn report_nameless(&mut self, changes: &mut OrderedChanges<'_>) {
        for number in 0..self.items.count() {
            let item = self.items.item(number);
            if item.call == ItemCall::Placed && !item.is_done {
                let why = "pieces of the call came, but no name";
                changes.report(Change::Unread(Unread::call(&item.key, why)));
            }
        }
    }
}

/// Reports what a server did with a call that it executes itself.
fn report_execution(key: String, item: &Value, changes: &mut OrderedChanges<'_>) {
    let id = Cow::Owned(key);
    if let Some(ItemResult { content, is_error }) = result_of(item) {
        changes.report(Change::CallAnswered {
            id,
            result: content,
            is_error,
        });
        return;
    }
    let has_failed = item["status"] == "failed";
    // A call that is only begun has no result yet: nothing shows that it was executed.
    if matches!(item["status"].as_str(), Some("incomplete" | "in_progress")) {
        return;
    }
    changes.report(Change::CallExecuted { id: id.clone() });
    if has_failed {
        changes.report(Change::CallFailed {
            id,
            is_denied: false,
        });
    }
}
