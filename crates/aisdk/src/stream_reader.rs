//! Reads the chunks of one response, and puts its texts and calls together.
//!
//! **Invariant:** the text of a step is complete in the trace only when the step is, since a step may be taken back.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use super::chat::Chat;
use super::ending::{StreamEnding, unfinished};
use super::reported_changes::ReportedChanges;
use super::ui_chunk::{PartPhase, UiChunk, UiChunkKind};
use super::ui_part::{UiPart, UiTextPart};
use super::unread::of_chunk;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError};
use ananke_base::context::At;
use ananke_base::source::received_json::{HalfJoiner, decoded, without_marks};
use ananke_trace::trace::{Change, Interrupt, MessageKind};

/// The time for which a stream is read after its end mark.
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// The time for which a stream without an end mark is read after its last chunk, once one said that a stream is over: a backend
/// may merge several, and each says so (SPEC 16).
const AFTER_A_FINISH: Duration = Duration::from_secs(15);

/// Reads the chunks of one response.
pub(super) struct UiStreamReader<'a> {
    pub(super) chat: &'a mut Chat,
    texts: PartTexts,
    /// The number of texts and of calls before the running step.
    texts_before: usize,
    calls_before: usize,
    /// The number of calls before the response.
    pub(super) earlier_calls: usize,
    has_begun: bool,
    ending: StreamEnding,
    /// Whether the sink wants no more.
    is_stopped: bool,
    last: At,
}

/// The texts of one response.
#[derive(Debug, Default)]
struct PartTexts {
    parts: Vec<StreamedPart>,
    /// The newest text with each id of the server, and the newest reasoning.
    by_id: [HashMap<String, usize>; 2],
    /// The text of pieces that no chunk announced, while nothing else comes between them.
    unannounced: [Option<usize>; 2],
    /// The texts that are not complete in the trace.
    open: Vec<usize>,
}

/// A text as far as it has arrived.
#[derive(Debug)]
struct StreamedPart {
    /// The id in the trace.
    id: String,
    said: StreamedKind,
    /// The place of its part in the message.
    place: usize,
    joiner: HalfJoiner,
    /// Whether the server has ended it.
    is_ended: bool,
    has_text: bool,
}

/// The kind of a text: what the agent says, or its reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamedKind {
    Text,
    Reasoning,
}

impl StreamedKind {
    /// As the protocol has it in the type of a part.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
        }
    }
}

impl<'a> UiStreamReader<'a> {
    pub(super) fn new(chat: &'a mut Chat) -> Self {
        let calls = chat.calls.count();
        Self {
            chat,
            texts: PartTexts::default(),
            texts_before: 0,
            calls_before: calls,
            earlier_calls: calls,
            has_begun: false,
            ending: StreamEnding::default(),
            is_stopped: false,
            last: At::default(),
        }
    }

    /// Whether the response may end here.
    pub(super) fn is_ended(&self) -> bool {
        self.ending.is_complete()
    }

    fn chunk(&mut self, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        let kind = chunk.kind();
        // Other protocols have data with a `type`, too, and an `error` of the same name: only the protocol's own chunks show that it
        // is spoken.
        if !matches!(kind, UiChunkKind::Unknown | UiChunkKind::Error) {
            self.begin(changes);
        }
        // Values that are odd but readable, such as NaN, are warnings.
        for words in chunk.oddities.of_values() {
            changes.report(Change::Warning(words));
        }
        for unread in of_chunk(chunk) {
            changes.report(Change::Unread(unread));
        }
        match kind {
            UiChunkKind::Text(phase) => self.text(StreamedKind::Text, phase, chunk, changes),
            UiChunkKind::Reasoning(phase) => {
                self.text(StreamedKind::Reasoning, phase, chunk, changes);
            }
            _ => {
                self.texts.unannounced = [None, None];
                self.other(kind, chunk, changes);
            }
        }
    }

    /// Begins the run, if it has not begun.
    fn begin(&mut self, changes: &mut ReportedChanges<'_>) {
        if !self.has_begun {
            self.has_begun = true;
            changes.report(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
    }

    /// Reads a chunk without text.
    fn other(&mut self, kind: UiChunkKind, chunk: &UiChunk, changes: &mut ReportedChanges<'_>) {
        match kind {
            UiChunkKind::Start => {
                if let Some(id) = chunk.id("messageId") {
                    self.chat.identify(&id);
                }
                self.metadata(chunk);
            }
            UiChunkKind::StartStep => {
                // Backends that are written by hand leave out `finish-step`, so that a new step ends the one before.
                self.close_texts(changes);
                self.chat.assistant().push(UiPart::StepStart);
                self.texts_before = self.texts.parts.len();
                self.calls_before = self.chat.calls.count();
            }
            UiChunkKind::FinishStep => self.close_texts(changes),
            UiChunkKind::ResetStep => self.reset_step(changes),
            UiChunkKind::InputStart => self.input_start(chunk, changes),
            UiChunkKind::InputDelta => self.input_piece(chunk, changes),
            UiChunkKind::Input => self.input(chunk, changes),
            UiChunkKind::InputError => self.input_error(chunk, changes),
            UiChunkKind::ApprovalRequest => self.approval_request(chunk, changes),
            UiChunkKind::ApprovalResponse => self.approval_response(chunk),
            UiChunkKind::Output => self.output(chunk, changes),
            UiChunkKind::OutputError => self.output_error(chunk, changes),
            UiChunkKind::OutputDenied => self.output_denied(chunk, changes),
            UiChunkKind::Data => {
                if !chunk.is_true("transient") {
                    self.chat.assistant().put_data(chunk.value());
                }
                let name = Cow::Borrowed(chunk.type_name());
                let value = without_marks(&chunk.value()["data"]).into_owned();
                changes.report(Change::Custom { name, value });
            }
            UiChunkKind::Part | UiChunkKind::Steering => {
                let part = UiPart::Other(chunk.value().clone());
                self.chat.assistant().push(part);
            }
            UiChunkKind::Metadata => self.metadata(chunk),
            UiChunkKind::Finish => {
                self.metadata(chunk);
                self.ending.finish(chunk.word("finishReason"));
            }
            UiChunkKind::Abort => self.ending.abort(),
            UiChunkKind::Error => {
                let message = match chunk.value()["errorText"].as_str() {
                    Some(text) => text.to_owned(),
                    None => "the chunk `error` has no `errorText`".to_owned(),
                };
                self.ending.fail(message);
            }
            UiChunkKind::Unknown | UiChunkKind::Text(_) | UiChunkKind::Reasoning(_) => {}
        }
    }

    fn metadata(&mut self, chunk: &UiChunk) {
        if let Some(metadata) = chunk.get("messageMetadata") {
            self.chat.assistant().add_metadata(metadata);
        }
    }

    /// Reads a chunk of a text or of reasoning.
    fn text(
        &mut self,
        kind: StreamedKind,
        phase: PartPhase,
        chunk: &UiChunk,
        changes: &mut ReportedChanges<'_>,
    ) {
        let id = chunk.id("id").unwrap_or_default();
        if phase == PartPhase::Start {
            self.texts.unannounced = [None, None];
            let number = self.begin_text(kind, changes);
            self.texts.by_id[kind as usize].insert(id.into_owned(), number);
            return self.part_metadata(number, chunk);
        }
        let known = self.texts.by_id[kind as usize].get(&*id).copied();
        if phase == PartPhase::End {
            if let Some(number) = known {
                self.part_metadata(number, chunk);
                self.end_text(number, changes);
            }
            return;
        }
        let number = match known {
            Some(number) => number,
            None => self.unannounced_text(kind, changes),
        };
        self.part_metadata(number, chunk);
        let part = &mut self.texts.parts[number];
        if part.is_ended {
            // Streams that a backend merges use the same ids at the same time.
            part.is_ended = false;
            changes.report(Change::Warning(
                "text came after its end: it is added to the same part".into(),
            ));
        }
        let Some(piece) = chunk.text("delta") else {
            return;
        };
        let (delta, has_lone_half) = part.joiner.join(piece);
        if has_lone_half {
            changes.warn_of_half();
        }
        self.say(number, delta, changes);
    }

    /// Reports more of a text, and adds it to its part.
    fn say(&mut self, number: usize, delta: Cow<'_, str>, changes: &mut ReportedChanges<'_>) {
        if delta.is_empty() {
            return;
        }
        let part = &mut self.texts.parts[number];
        part.has_text = true;
        if let Some(kept) = self.chat.assistant().text(part.place) {
            kept.text.push_str(&delta);
        }
        let id = Cow::Borrowed(part.id.as_str());
        changes.report(match part.said {
            StreamedKind::Text => Change::MessageText { id, delta },
            StreamedKind::Reasoning => Change::Reasoning {
                id,
                delta,
                subagent: None,
            },
        });
    }

    /// Begins a text or reasoning. Returns its number.
    fn begin_text(&mut self, kind: StreamedKind, changes: &mut ReportedChanges<'_>) -> usize {
        let place = self.chat.assistant().push(UiPart::Text(UiTextPart {
            part_type: kind.name(),
            text: String::new(),
            metadata: None,
        }));
        let number = self.texts.parts.len();
        let id = match kind {
            StreamedKind::Text => self.chat.ids.next("message"),
            StreamedKind::Reasoning => self.chat.ids.next("reasoning"),
        };
        if kind == StreamedKind::Text {
            changes.report(Change::MessageOpened {
                id: Cow::Borrowed(&id),
                role: MessageKind::Assistant,
                subagent: None,
            });
            self.texts.open.push(number);
        }
        self.texts.parts.push(StreamedPart {
            id,
            said: kind,
            place,
            joiner: HalfJoiner::default(),
            is_ended: false,
            has_text: false,
        });
        number
    }

    /// The text of a piece whose beginning did not come: pieces that follow each other are one text, whatever ids they have.
    fn unannounced_text(&mut self, kind: StreamedKind, changes: &mut ReportedChanges<'_>) -> usize {
        if let Some(number) = self.texts.unannounced[kind as usize] {
            return number;
        }
        let name = kind.name();
        changes.report(Change::Warning(
            format!("`{name}-delta` came without `{name}-start`: the official client fails at it")
                .into(),
        ));
        let number = self.begin_text(kind, changes);
        self.texts.unannounced[kind as usize] = Some(number);
        number
    }

    /// Keeps the data of the provider for a text, of which the last counts.
    fn part_metadata(&mut self, number: usize, chunk: &UiChunk) {
        if let Some(metadata) = chunk.get("providerMetadata") {
            let place = self.texts.parts[number].place;
            if let Some(kept) = self.chat.assistant().text(place) {
                kept.metadata = Some(metadata.clone());
            }
        }
    }

    /// Takes it that the server has ended a text. Half of a surrogate pair at its end waits for the other half in vain.
    fn end_text(&mut self, number: usize, changes: &mut ReportedChanges<'_>) {
        let part = &mut self.texts.parts[number];
        part.is_ended = true;
        if let Some(lone) = part.joiner.finish() {
            changes.warn_of_half();
            self.say(number, lone.to_string().into(), changes);
        }
    }

    /// Completes the texts that the server has ended, since their step is over.
    fn close_texts(&mut self, changes: &mut ReportedChanges<'_>) {
        for number in std::mem::take(&mut self.texts.open) {
            let part = &self.texts.parts[number];
            if part.is_ended {
                let id = Cow::Borrowed(part.id.as_str());
                changes.report(Change::MessageClosed { id });
            } else {
                self.texts.open.push(number);
            }
        }
    }

    /// Takes back the running step: its texts are unsaid, and its calls are no longer part of the chat. They were made all the
    /// same: one without an outcome failed.
    fn reset_step(&mut self, changes: &mut ReportedChanges<'_>) {
        self.chat.assistant().drop_step();
        for number in self.texts_before..self.texts.parts.len() {
            let part = &mut self.texts.parts[number];
            part.joiner = HalfJoiner::default();
            part.is_ended = true;
            if part.said == StreamedKind::Text && part.has_text {
                let id = Cow::Borrowed(part.id.as_str());
                changes.report(Change::MessageRetracted { id });
            }
        }
        self.texts.by_id = [HashMap::new(), HashMap::new()];
        self.close_texts(changes);
        self.texts_before = self.texts.parts.len();
        for number in self.calls_before..self.chat.calls.count() {
            self.take_back(number, changes);
        }
        self.calls_before = self.chat.calls.count();
    }

    /// Reports what has arrived of a response that is incomplete and no longer read.
    pub(super) fn abandon(mut self, sink: &mut dyn Sink) {
        // A sink that wanted no more gets nothing, since its turn is over.
        if !self.is_stopped {
            let mut changes = ReportedChanges::new(sink, self.last);
            self.abandon_calls(&mut changes);
        }
    }

    /// Reports the end of the response. `Break` if the sink wants no more.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) -> ControlFlow<Stop> {
        // All changes have the time of the last chunk, because the end of a stream is no chunk.
        let mut changes = ReportedChanges::new(sink, self.last);
        // A stream of `[DONE]` alone has no chunk that begins a run.
        self.begin(&mut changes);
        for number in 0..self.texts.parts.len() {
            if !self.texts.parts[number].is_ended {
                self.end_text(number, &mut changes);
            }
        }
        self.close_texts(&mut changes);
        self.finish_calls(&mut changes);
        if self.ending.is_given_up {
            let words = "end-missing: the stream was still open after `finish`: neither `[DONE]` nor its end came";
            changes.report(Change::Warning(words.into()));
        }
        if self.ending.is_truncated {
            changes.report(Change::Truncated);
        }
        let end = self.ending.run_end(interrupts(self.chat));
        changes.report(Change::RunEnded(end));
        changes.flow
    }
}

/// The questions whether calls may be executed.
fn interrupts(chat: &Chat) -> Vec<Interrupt> {
    let mut interrupts = Vec::new();
    for (call, approval) in chat.calls.waiting() {
        interrupts.push(Interrupt {
            id: approval.id.clone(),
            reason: Some("tool-approval-request".to_owned()),
            message: approval.reason.clone(),
            call: Some(call.key.clone()),
        });
    }
    interrupts
}

impl EventReader for UiStreamReader<'_> {
    /// Reads the data of one event, which is a chunk. The flow is `Break` once `sink` wants no more.
    ///
    /// # Errors
    /// The reason that the data is not a chunk.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // The end of the response is reported with the time of its last chunk.
        self.last = at;
        let text = decoded(data).map_err(|error| error.0)?;
        let chunk = UiChunk::parse(&text)?;
        let mut changes = ReportedChanges::new(sink, at);
        // The decoder borrows valid UTF-8. An owned text shows that it had to replace bytes.
        if matches!(text, Cow::Owned(_)) {
            let words = "a chunk holds bytes that are not UTF-8: U+FFFD is taken for them";
            changes.report(Change::Warning(words.into()));
        }
        self.chunk(&chunk, &mut changes);
        self.is_stopped = changes.flow.is_break();
        Ok(changes.flow)
    }

    fn rest(&self) -> Option<Rest> {
        if self.ending.has_mark {
            Some(Rest::AfterEnd(AFTER_THE_END))
        } else if self.ending.is_complete() {
            Some(Rest::AfterLastEvent(AFTER_A_FINISH))
        } else {
            None
        }
    }
}

impl StreamReader for UiStreamReader<'_> {
    fn end_mark(&mut self, at: At) {
        self.last = at;
        self.ending.has_mark = true;
    }

    fn give_up(&mut self) {
        self.ending.is_given_up = !self.ending.has_mark;
    }

    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        unfinished(response)
    }
}
