//! Reads the chunks about calls: their input, approvals, and their outcome.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::chat_calls::{PendingApproval, UiCallProgress};
use super::reported_changes::ReportedChanges;
use super::stream_reader::UiStreamReader;
use super::ui_chunk::UiChunk;
use super::ui_part::{UiPart, UiToolPart, UiToolState};
use ananke_base::source::received_json::without_marks;
use ananke_trace::trace::{Change, Fact, Facts, ResultContent, Unread, is_same_json};

/// The result of a call that was denied without a reason, as the SDK says to the model.
const DENIED: &str = "Tool execution denied.";

/// The result of a call whose step was taken back.
const TAKEN_BACK: &str = "the step of the call was taken back (`reset-step`)";

/// The keys of a chunk that its part has too.
const KEPT_KEYS: [&str; 3] = ["title", "toolMetadata", "providerExecuted"];

/// The keys of a request for an approval, and the keys that its part has for them.
const APPROVAL_KEYS: [(&str, &str); 5] = [
    ("approvalDescriptor", "descriptor"),
    ("inputSchemaInput", "inputSchemaInput"),
    ("reason", "requestReason"),
    ("isAutomatic", "isAutomatic"),
    ("signature", "signature"),
];

impl UiStreamReader<'_> {
    /// The call that a chunk with input is about: the newest with its id and its tool whose outcome is open, else a new one.
    fn call_of(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) -> Option<usize> {
        let id = chunk.id("toolCallId");
        let tool = chunk.word("toolName");
        if let Some(id) = &id
            && let Some(number) = self.chat.calls.newest(id)
        {
            let call = self.chat.calls.call(number);
            let is_open = call.progress == UiCallProgress::Open && call.place.is_some();
            if is_open && tool.is_none_or(|tool| tool == call.tool) {
                return Some(number);
            }
        }
        let Some(tool) = tool else {
            let why = "a chunk of the call came, but no name of its tool";
            changes.report(Change::Unread(Unread::call(&id.unwrap_or_default(), why)));
            return None;
        };
        let part = UiPart::Tool(UiToolPart::new(tool, id.as_deref().unwrap_or_default()));
        let place = self.chat.assistant().push(part);
        let number = self.chat.calls.add(id.as_deref(), tool, place);
        let call = self.chat.calls.call(number);
        let key = call.key.clone();
        changes.report(Change::CallOpened {
            id: Cow::Borrowed(&key),
            name: Cow::Borrowed(tool),
            subagent: None,
        });
        if let Some(part) = self.chat.part_of(number) {
            part.is_dynamic = chunk.is_true("dynamic");
            // A message with an empty id is refused.
            if part.call_id.is_empty() {
                part.call_id = key;
            }
        }
        Some(number)
    }

    /// The call of an outcome or of an approval: the newest with its id, which may be of an earlier response.
    fn known_call(&self, chunk: &UiChunk) -> Option<usize> {
        self.chat.calls.newest(&chunk.id("toolCallId")?)
    }

    /// Keeps the keys of a chunk that the next request has in the part of the call. `metadata` is the name for the data of the
    /// provider.
    fn keep(&mut self, number: usize, chunk: &UiChunk, metadata: &str) {
        let Some(part) = self.chat.part_of(number) else {
            return;
        };
        for key in KEPT_KEYS {
            if let Some(value) = chunk.get(key) {
                part.set(key, value.clone());
            }
        }
        if let Some(value) = chunk.get("providerMetadata") {
            part.set(metadata, value.clone());
        }
    }

    pub(super) fn input_start(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        if let Some(number) = self.call_of(chunk, changes) {
            self.chat.calls.call(number).has_text_input =
                chunk.word("inputEncoding") == Some("text");
            self.keep(number, chunk, "callProviderMetadata");
        }
    }

    /// Keeps a piece of an input. It is reported with the whole, because the backend executes the whole if the two differ.
    pub(super) fn input_piece(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let Some(piece) = chunk.text("inputTextDelta") else {
            return;
        };
        let Some(number) = self.known_call(chunk) else {
            let id = chunk.id("toolCallId").unwrap_or_default();
            let why = "a piece of its input came, but not its beginning";
            return changes.report(Change::Unread(Unread::call(&id, why)));
        };
        let call = self.chat.calls.call(number);
        if call.is_input_reported {
            let why = "more of them came after their end";
            let unread = Unread::arguments(call.tool.clone(), why);
            return changes.report(Change::Unread(unread));
        }
        let (delta, has_lone_half) = call.joiner.join(piece);
        call.input.push_str(&delta);
        if has_lone_half {
            changes.warn_of_half();
        }
    }

    pub(super) fn input(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let Some(number) = self.call_of(chunk, changes) else {
            return;
        };
        self.keep(number, chunk, "callProviderMetadata");
        let input = chunk.get("input");
        let kept = input.cloned().unwrap_or_else(|| self.input_so_far(number));
        if self.chat.calls.call(number).is_input_reported {
            self.compare_input(number, &kept, changes);
        }
        if let Some(part) = self.chat.part_of(number) {
            part.is_dynamic |= chunk.is_true("dynamic");
            part.state = UiToolState::InputAvailable;
            part.set("input", kept);
        }
        self.report_input(number, input.map(arguments_of), changes);
    }

    /// The input as far as it has arrived, as JSON.
    fn input_so_far(&mut self, number: usize) -> Value {
        let call = self.chat.calls.call(number);
        let text = call.input.as_str();
        match serde_json::from_str(text) {
            Ok(value) if !call.has_text_input => value,
            _ if text.is_empty() => json!({}),
            _ => text.into(),
        }
    }

    /// Reports the input of a call that is announced again, if it is another one.
    fn compare_input(&mut self, number: usize, input: &Value, changes: &mut ReportedChanges<'_>) {
        let known = self
            .chat
            .part_of(number)
            .and_then(|part| part.keys.get("input").cloned());
        if known.is_some_and(|known| !is_same_json(&known, input)) {
            let why = "they are others where the call is announced again";
            let unread = Unread::arguments(self.chat.calls.call(number).tool.clone(), why);
            changes.report(Change::Unread(unread));
        }
    }

    /// Reports the whole input of a call as its arguments: `whole`, else the pieces.
    fn report_input(
        &mut self,
        number: usize,
        whole: Option<String>,
        changes: &mut ReportedChanges<'_>,
    ) {
        let call = self.chat.calls.call(number);
        if std::mem::replace(&mut call.is_input_reported, true) {
            return;
        }
        let mut pieces = std::mem::take(&mut call.input);
        if let Some(lone) = call.joiner.finish()
            && whole.is_none()
        {
            pieces.push(lone);
            changes.warn_of_half();
        }
        let call = self.chat.calls.call(number);
        let delta = match whole {
            Some(whole) => whole,
            None if call.has_text_input => text_arguments(&pieces),
            None => pieces,
        };
        let id = Cow::Borrowed(call.key.as_str());
        if !delta.is_empty() {
            let delta = delta.into();
            changes.report(Change::CallArgs {
                id: id.clone(),
                delta,
            });
        }
        changes.report(Change::CallArgsDone { id });
    }

    /// Reads a call that the backend refused: it failed with this error.
    pub(super) fn input_error(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let Some(number) = self.call_of(chunk, changes) else {
            return;
        };
        self.keep(number, chunk, "resultProviderMetadata");
        // The input may be the text of a call that cannot be parsed.
        let whole = match chunk.get("input") {
            Some(Value::String(text)) => Some(text.clone()),
            Some(value) => Some(without_marks(value).to_string()),
            None => None,
        };
        self.report_input(number, whole, changes);
        if let Some(part) = self.chat.part_of(number) {
            part.set("input", chunk.value()["input"].clone());
        }
        self.fail(number, chunk, changes);
    }

    pub(super) fn approval_request(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let id = chunk.id("approvalId").unwrap_or_default();
        let Some(number) = self.known_call(chunk) else {
            // Nothing can be approved of a call that is not known, so that the end of the run is not certain.
            let facts = Facts::of(&[Fact::Interrupts, Fact::CallEnds]);
            let why = "its call is not in the chat";
            let unread = Unread::known("approval:request", facts, why);
            return changes.report(Change::Unread(unread));
        };
        let mut approval = Map::new();
        approval.insert("id".to_owned(), id.as_ref().into());
        for (key, kept) in APPROVAL_KEYS {
            if let Some(value) = chunk.get(key) {
                approval.insert(kept.to_owned(), value.clone());
            }
        }
        // The input of a call that waits is whole, even if nothing said so.
        self.report_input(number, None, changes);
        if let Some(part) = self.chat.part_of(number) {
            part.state = UiToolState::ApprovalRequested;
            part.set("approval", approval.into());
        }
        let approval = PendingApproval {
            id: id.into_owned(),
            reason: chunk.word("reason").map(str::to_owned),
        };
        self.chat.calls.ask(number, approval);
        // The backend answers such a request itself.
        if chunk.is_true("isAutomatic") {
            self.chat.calls.call(number).approval = None;
        }
    }

    /// Reads the answer that a policy of the backend gave to a request for an approval.
    pub(super) fn approval_response(&mut self, chunk: &UiChunk) {
        let id = chunk.id("approvalId").unwrap_or_default();
        let Some(number) = self.chat.calls.of_approval(&id) else {
            return;
        };
        self.chat.calls.call(number).approval = None;
        self.keep(number, chunk, "callProviderMetadata");
        if let Some(part) = self.chat.part_of(number) {
            part.state = UiToolState::ApprovalResponded;
            let mut approval = part.keys.get("approval").cloned().unwrap_or_default();
            for key in ["approved", "reason"] {
                if let Some(value) = chunk.get(key) {
                    approval[key] = value.clone();
                }
            }
            part.set("approval", approval);
        }
    }

    pub(super) fn output(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let Some(number) = self.ended_call(chunk, changes) else {
            return;
        };
        let output = &chunk.value()["output"];
        let is_preliminary = chunk.is_true("preliminary");
        if let Some(part) = self.chat.part_of(number) {
            part.state = UiToolState::OutputAvailable;
            part.set("output", output.clone());
            part.keys.shift_remove("preliminary");
            if is_preliminary {
                part.set("preliminary", true.into());
            }
        }
        // A state on the way is no result, since rules about results would see what the agent never took for one.
        if is_preliminary {
            return;
        }
        let result = match output {
            Value::String(text) => ResultContent::Text(Cow::Borrowed(text)),
            value => ResultContent::Json(without_marks(value).into_owned()),
        };
        self.answer(number, result, None, changes);
    }

    pub(super) fn output_error(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        if let Some(number) = self.ended_call(chunk, changes) {
            self.fail(number, chunk, changes);
        }
    }

    pub(super) fn output_denied(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let Some(number) = self.ended_call(chunk, changes) else {
            return;
        };
        let mut reason = None;
        if let Some(part) = self.chat.part_of(number) {
            part.state = UiToolState::OutputDenied;
            let approval = part.keys.get("approval");
            reason = approval.and_then(|approval| approval["reason"].as_str().map(str::to_owned));
        }
        let words = reason.unwrap_or_else(|| DENIED.to_owned());
        self.answer(
            number,
            ResultContent::Text(words.into()),
            Some(true),
            changes,
        );
        let id = Cow::Borrowed(self.chat.calls.call(number).key.as_str());
        changes.report(Change::CallFailed {
            id,
            is_denied: true,
        });
    }

    /// The call that an outcome is about, whose input is whole then.
    fn ended_call(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) -> Option<usize> {
        let Some(number) = self.known_call(chunk) else {
            let id = chunk.id("toolCallId").unwrap_or_default();
            let why = "the call is not in the chat";
            changes.report(Change::Unread(Unread::results(&id, why)));
            return None;
        };
        self.keep(number, chunk, "resultProviderMetadata");
        self.report_input(number, None, changes);
        Some(number)
    }

    /// Takes the error of a chunk as the result of a call.
    fn fail(&mut self, number: usize, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let error = chunk.value()["errorText"].as_str().unwrap_or_default();
        if let Some(part) = self.chat.part_of(number) {
            part.state = UiToolState::OutputError;
            part.set("errorText", error.into());
        }
        let result = ResultContent::Text(Cow::Borrowed(error));
        self.answer(number, result, Some(true), changes);
    }

    /// Reports the result of a call.
    fn answer(
        &mut self,
        number: usize,
        result: ResultContent<'_>,
        is_error: Option<bool>,
        changes: &mut ReportedChanges<'_>,
    ) {
        let call = self.chat.calls.call(number);
        call.progress = UiCallProgress::Ended;
        call.approval = None;
        changes.report(Change::CallAnswered {
            id: Cow::Borrowed(&call.key),
            result,
            is_error,
        });
    }

    /// Takes a call out of the chat, since its step was taken back.
    pub(super) fn take_back(&mut self, number: usize, changes: &mut ReportedChanges<'_>) {
        self.report_input(number, None, changes);
        let call = self.chat.calls.call(number);
        call.place = None;
        // An error ends the call, since the client would otherwise execute it for a backend that has forgotten it.
        if call.progress == UiCallProgress::Open {
            let result = ResultContent::Text(TAKEN_BACK.into());
            self.answer(number, result, Some(true), changes);
        }
    }

    /// Reports the inputs whose end did not come, since the response is over.
    pub(super) fn finish_calls(&mut self, changes: &mut ReportedChanges<'_>) {
        for number in self.earlier_calls..self.chat.calls.count() {
            if self.chat.calls.call(number).is_input_reported {
                continue;
            }
            let input = self.input_so_far(number);
            if let Some(part) = self.chat.part_of(number) {
                part.state = UiToolState::InputAvailable;
                part.set("input", input);
            }
            self.report_input(number, None, changes);
        }
    }

    /// Reports the pieces of inputs of a response that is no longer read.
    pub(super) fn abandon_calls(&mut self, changes: &mut ReportedChanges<'_>) {
        for number in self.earlier_calls..self.chat.calls.count() {
            let call = self.chat.calls.call(number);
            if !call.is_input_reported && !call.input.is_empty() {
                changes.report(Change::CallArgs {
                    id: Cow::Borrowed(&call.key),
                    delta: Cow::Borrowed(&call.input),
                });
            }
        }
    }
}

/// An input as the JSON text of arguments. A text is one argument, unless it is JSON itself.
fn arguments_of(input: &Value) -> String {
    match input {
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(_)) => text.clone(),
            _ => text_arguments(text),
        },
        value => without_marks(value).to_string(),
    }
}

/// A text as the only argument of a call: tools whose input is a text have no names for arguments.
fn text_arguments(text: &str) -> String {
    json!({ "input": text }).to_string()
}
