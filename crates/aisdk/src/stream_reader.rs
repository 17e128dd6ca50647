//! Reads the chunks of one response, and puts its texts and calls together.
//!
//! **Invariant:** the text of a step is complete in the trace only when the step is, since a step may be taken back.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

use super::chat::Chat;
use super::chunk::{PartPhase, UiChunk, UiChunkKind};
use super::ending::{StreamEnding, unfinished};
use super::message_part::{MessagePart, TextPart};
use super::unread::of_chunk;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{EventReader, Rest, Sink, Stop, TargetError};
use ananke_base::context::At;
use ananke_base::source::received_json::{HalfJoiner, Oddities, decoded, without_marks};
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
    said: PartKind,
    /// The place of its part in the message.
    place: usize,
    joiner: HalfJoiner,
    /// Whether the server has ended it.
    is_ended: bool,
    has_text: bool,
}

/// The kind of a text: what the agent says, or its reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text,
    Reasoning,
}

impl PartKind {
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

    fn chunk(&mut self, chunk: &UiChunk, report: &mut dyn FnMut(Change<'_>)) {
        self.begin(report);
        // Values that are odd but readable, such as NaN, are warnings.
        for words in chunk.oddities.of_values() {
            report(Change::Warning(words));
        }
        for unread in of_chunk(chunk) {
            report(Change::Unread(unread));
        }
        let kind = chunk.kind();
        match kind {
            UiChunkKind::Text(phase) => self.text(PartKind::Text, phase, chunk, report),
            UiChunkKind::Reasoning(phase) => self.text(PartKind::Reasoning, phase, chunk, report),
            _ => {
                self.texts.unannounced = [None, None];
                self.other(kind, chunk, report);
            }
        }
    }

    /// Begins the run, if it has not begun: the first chunk may be any.
    fn begin(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        if !self.has_begun {
            self.has_begun = true;
            report(Change::RunStarted {
                run_id: None,
                thread_id: None,
                is_replay: false,
            });
        }
    }

    /// Reads a chunk without text.
    fn other(&mut self, kind: UiChunkKind, chunk: &UiChunk, report: &mut dyn FnMut(Change<'_>)) {
        match kind {
            UiChunkKind::Start => {
                if let Some(id) = chunk.id("messageId") {
                    self.chat.identify(&id);
                }
                self.metadata(chunk);
            }
            UiChunkKind::StartStep => {
                self.close_texts(report);
                self.chat.assistant().push(MessagePart::StepStart);
                self.texts_before = self.texts.parts.len();
                self.calls_before = self.chat.calls.count();
            }
            UiChunkKind::FinishStep => self.close_texts(report),
            UiChunkKind::ResetStep => self.reset_step(report),
            UiChunkKind::InputStart => self.input_start(chunk, report),
            UiChunkKind::InputDelta => self.input_piece(chunk, report),
            UiChunkKind::Input => self.input(chunk, report),
            UiChunkKind::InputError => self.input_error(chunk, report),
            UiChunkKind::ApprovalRequest => self.approval_request(chunk, report),
            UiChunkKind::ApprovalResponse => self.approval_response(chunk),
            UiChunkKind::Output => self.output(chunk, report),
            UiChunkKind::OutputError => self.output_error(chunk, report),
            UiChunkKind::OutputDenied => self.output_denied(chunk, report),
            UiChunkKind::Data => {
                if !chunk.is_true("transient") {
                    self.chat.assistant().put_data(chunk.value());
                }
                let name = Cow::Borrowed(chunk.type_name());
                let value = without_marks(&chunk.value()["data"]).into_owned();
                report(Change::Custom { name, value });
            }
            UiChunkKind::Part | UiChunkKind::Steering => {
                let part = MessagePart::Other(chunk.value().clone());
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
        kind: PartKind,
        phase: PartPhase,
        chunk: &UiChunk,
        report: &mut dyn FnMut(Change<'_>),
    ) {
        let id = chunk.id("id").unwrap_or_default();
        if phase == PartPhase::Start {
            self.texts.unannounced = [None, None];
            let number = self.begin_text(kind, report);
            self.texts.by_id[kind as usize].insert(id.into_owned(), number);
            return self.part_metadata(number, chunk);
        }
        let known = self.texts.by_id[kind as usize].get(&*id).copied();
        if phase == PartPhase::End {
            if let Some(number) = known {
                self.part_metadata(number, chunk);
                self.end_text(number, report);
            }
            return;
        }
        let number = match known {
            Some(number) => number,
            None => self.unannounced_text(kind, report),
        };
        self.part_metadata(number, chunk);
        let part = &mut self.texts.parts[number];
        if part.is_ended {
            // Streams that a backend merges use the same ids at the same time.
            part.is_ended = false;
            report(Change::Warning(
                "text came after its end: it is added to the same part".into(),
            ));
        }
        let Some(piece) = chunk.text("delta") else {
            return;
        };
        let (delta, has_lone_half) = part.joiner.join(piece);
        if has_lone_half {
            warn_of_half(report);
        }
        self.say(number, delta, report);
    }

    /// Reports more of a text, and adds it to its part.
    fn say(&mut self, number: usize, delta: Cow<'_, str>, report: &mut dyn FnMut(Change<'_>)) {
        if delta.is_empty() {
            return;
        }
        let part = &mut self.texts.parts[number];
        part.has_text = true;
        if let Some(kept) = self.chat.assistant().text(part.place) {
            kept.text.push_str(&delta);
        }
        let id = Cow::Borrowed(part.id.as_str());
        report(match part.said {
            PartKind::Text => Change::MessageText { id, delta },
            PartKind::Reasoning => Change::Reasoning {
                id,
                delta,
                subagent: None,
            },
        });
    }

    /// Begins a text or reasoning. Returns its number.
    fn begin_text(&mut self, kind: PartKind, report: &mut dyn FnMut(Change<'_>)) -> usize {
        let place = self.chat.assistant().push(MessagePart::Text(TextPart {
            part_type: kind.name(),
            text: String::new(),
            metadata: None,
        }));
        let number = self.texts.parts.len();
        let id = match kind {
            PartKind::Text => self.chat.ids.next("message"),
            PartKind::Reasoning => self.chat.ids.next("reasoning"),
        };
        if kind == PartKind::Text {
            report(Change::MessageOpened {
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
    fn unannounced_text(&mut self, kind: PartKind, report: &mut dyn FnMut(Change<'_>)) -> usize {
        if let Some(number) = self.texts.unannounced[kind as usize] {
            return number;
        }
        let name = kind.name();
        report(Change::Warning(
            format!("`{name}-delta` came without `{name}-start`: the official client fails at it")
                .into(),
        ));
        let number = self.begin_text(kind, report);
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
    fn end_text(&mut self, number: usize, report: &mut dyn FnMut(Change<'_>)) {
        let part = &mut self.texts.parts[number];
        part.is_ended = true;
        if let Some(lone) = part.joiner.finish() {
            warn_of_half(report);
            self.say(number, lone.to_string().into(), report);
        }
    }

    /// Completes the texts that the server has ended, since their step is over.
    fn close_texts(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        for number in std::mem::take(&mut self.texts.open) {
            let part = &self.texts.parts[number];
            if part.is_ended {
                let id = Cow::Borrowed(part.id.as_str());
                report(Change::MessageClosed { id });
            } else {
                self.texts.open.push(number);
            }
        }
    }

    /// Takes back the running step: its texts are unsaid, and its calls are no longer part of the chat. They were made all the
    /// same: one without an outcome failed.
    fn reset_step(&mut self, report: &mut dyn FnMut(Change<'_>)) {
        self.chat.assistant().drop_step();
        for number in self.texts_before..self.texts.parts.len() {
            let part = &mut self.texts.parts[number];
            part.joiner = HalfJoiner::default();
            part.is_ended = true;
            if part.said == PartKind::Text && part.has_text {
                let id = Cow::Borrowed(part.id.as_str());
                report(Change::MessageRetracted { id });
            }
        }
        self.texts.by_id = [HashMap::new(), HashMap::new()];
        self.close_texts(report);
        self.texts_before = self.texts.parts.len();
        for number in self.calls_before..self.chat.calls.count() {
            self.take_back(number, report);
        }
        self.calls_before = self.chat.calls.count();
    }

    /// Reports what has arrived of a response that is incomplete and no longer read.
    pub(super) fn abandon(mut self, sink: &mut dyn Sink) {
        if self.is_stopped {
            return;
        }
        let at = self.last;
        // A sink that wants no more gets the rest all the same, so that a report shows what had arrived.
        let mut report = |change: Change<'_>| {
            let _over = sink.change(at, change);
        };
        self.abandon_calls(&mut report);
    }

    /// Reports the end of the response. `Break` if the sink wants no more.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) -> ControlFlow<Stop> {
        // All changes have the time of the last chunk, because the end of a stream is no chunk.
        let at = self.last;
        let mut flow = ControlFlow::Continue(());
        let mut report = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        // A stream of `[DONE]` alone has no chunk that begins a run.
        self.begin(&mut report);
        for number in 0..self.texts.parts.len() {
            if !self.texts.parts[number].is_ended {
                self.end_text(number, &mut report);
            }
        }
        self.close_texts(&mut report);
        self.finish_calls(&mut report);
        if self.ending.is_given_up {
            let words = "end-missing: the stream was still open after `finish`: neither `[DONE]` nor its end came";
            report(Change::Warning(words.into()));
        }
        if self.ending.is_truncated {
            report(Change::Truncated);
        }
        let end = self.ending.run_end(interrupts(self.chat));
        report(Change::RunEnded(end));
        flow
    }
}

/// The questions whether calls may be carried out.
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

/// Warns of half of a surrogate pair (UTF-16) that is alone in a text, and was replaced.
pub(super) fn warn_of_half(report: &mut dyn FnMut(Change<'_>)) {
    report(Change::Warning(Oddities::HALF.into()));
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
        let mut flow = ControlFlow::Continue(());
        let text = decoded(data).map_err(|error| error.0)?;
        let chunk = UiChunk::parse(&text)?;
        let mut report = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        // The decoder borrows valid UTF-8. An owned text shows that it had to replace bytes.
        if matches!(text, Cow::Owned(_)) {
            let words = "a chunk holds bytes that are not UTF-8: U+FFFD is taken for them";
            report(Change::Warning(words.into()));
        }
        self.chunk(&chunk, &mut report);
        self.is_stopped = flow.is_break();
        Ok(flow)
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
