//! Reads the events of one response, and puts its messages and calls together.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::ending::{Ending, error_of, usage_of};
use super::event::{ApiEvent, ApiEventKind, Extent, text_of};
use super::item_kind::OutputItemKind;
use super::item_reader::{ItemReader, text_of_part};
use super::ordered_changes::{OrderedChanges, WaitingChanges};
use super::output_items::{ItemSigns, WholeSource};
use super::reply_items::{ApprovedCall, ReplyItems};
use super::unread::of_event;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{
    EventReader, ModelReader, ModelReply, ModelStream, Rest, Sink, Stop, TargetError, ToolLoop,
};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::{SentText, decoded};
use ananke_trace::trace::{Change, RunEnd, Usage};

/// The time in which a failed response follows an error, and repeats it.
const AFTER_AN_ERROR: Duration = Duration::from_millis(100);

/// Reads the events of one response.
pub(super) struct ResponseReader<'a> {
    items: ItemReader<'a>,
    /// The changes that wait for the tool of a call that began before them.
    waiting: WaitingChanges,
    id: Option<String>,
    /// The model that was asked for: a server may name the one that answers otherwise.
    model: &'a str,
    usage: Option<Usage>,
    has_begun: bool,
    is_truncated: bool,
    /// The end of the response, once an event says it.
    end: Option<RunEnd>,
    /// The time for which more is read after the end.
    rest: Duration,
    /// Whether the sink wants no more.
    is_stopped: bool,
    last: At,
}

impl<'a> ResponseReader<'a> {
    /// A reader of one response of `model`. `approved` are the calls of earlier responses that were approved since.
    pub(super) fn new(
        ids: &'a dyn Ids,
        model: &'a str,
        tools: &'a mut ToolLoop,
        approved: &'a mut Vec<ApprovedCall>,
    ) -> Self {
        Self {
            items: ItemReader::new(ids, tools, approved),
            waiting: WaitingChanges::default(),
            id: None,
            model,
            usage: None,
            has_begun: false,
            is_truncated: false,
            end: None,
            rest: Duration::ZERO,
            is_stopped: false,
            last: At::default(),
        }
    }

    fn read(&mut self, event: &ApiEvent, changes: &mut OrderedChanges<'_>) {
        let response = event.object("response");
        if self.id.is_none()
            && let Some(response) = response
            && let Some(id) = text_of(response, "id")
        {
            self.id = Some(id.to_owned());
        }
        // The first event is the start of the run, whichever it is: servers leave out `response.created`.
        if !self.has_begun {
            self.has_begun = true;
            changes.report(Change::RunStarted {
                run_id: self.id.as_deref().map(Cow::Borrowed),
                thread_id: None,
                is_replay: false,
            });
        }
        // Values that are odd but readable, such as NaN, are warnings.
        for words in event.oddities.of_values() {
            changes.report(Change::Warning(words));
        }
        for unread in of_event(event) {
            changes.report(Change::Unread(unread));
        }
        match event.kind() {
            ApiEventKind::ItemAdded => {
                if let Some(item) = event.object("item") {
                    self.items
                        .announce(item, event.number("output_index"), changes);
                }
            }
            ApiEventKind::ItemDone => {
                if let Some(item) = event.object("item") {
                    let index = event.number("output_index");
                    let from = WholeSource::OwnEvent;
                    self.items
                        .complete(item, index, from, event.halves(), changes);
                }
            }
            ApiEventKind::Text(_) | ApiEventKind::Part(_) => self.text(event, changes),
            ApiEventKind::Reasoning(extent) => self.reasoning(event, extent, changes),
            ApiEventKind::Arguments(extent) => self.arguments(event, extent, changes),
            ApiEventKind::Input(Extent::Piece) => self.input(event),
            ApiEventKind::Ends => self.ends(event, changes),
            ApiEventKind::Error => {
                if self.end.is_none() {
                    self.end = Some(error_of(event.value(), "error"));
                    self.rest = AFTER_AN_ERROR;
                }
            }
            ApiEventKind::Begins
            | ApiEventKind::Input(Extent::Whole)
            | ApiEventKind::Progress
            | ApiEventKind::Unknown => {}
        }
    }

    /// The number of the item of an event, which is added if it was not announced.
    fn item_of(&mut self, event: &ApiEvent, item_type: &str, kind: OutputItemKind) -> usize {
        let signs = ItemSigns {
            id: event.item_id(),
            index: event.number("output_index"),
            item_type,
        };
        self.items.find_or_add(signs, kind)
    }

    /// Reads text of a message: a piece, the whole text of a part, or the part itself.
    fn text(&mut self, event: &ApiEvent, changes: &mut OrderedChanges<'_>) {
        let number = event.number("content_index").unwrap_or_default();
        let (extent, text) = match event.kind() {
            ApiEventKind::Text(Extent::Piece) => (Extent::Piece, event.text("delta")),
            ApiEventKind::Text(Extent::Whole) => {
                let text = event.text("text").or_else(|| event.text("refusal"));
                (Extent::Whole, text)
            }
            ApiEventKind::Part(Extent::Whole) => {
                let Some(part) = event.object("part") else {
                    return;
                };
                let text = text_of_part(part).map(|text| SentText::new(text, event.halves()));
                (Extent::Whole, text)
            }
            // A part that only begins has no text yet.
            _ => return,
        };
        let Some(text) = text else {
            return;
        };
        let item = self.item_of(event, "message", OutputItemKind::Message);
        match extent {
            Extent::Piece => self.items.text_piece(item, number, text, changes),
            Extent::Whole => self.items.whole_text(item, number, text, changes),
        }
    }

    /// Reads reasoning, whatever item it is in.
    fn reasoning(&mut self, event: &ApiEvent, extent: Extent, changes: &mut OrderedChanges<'_>) {
        let key = match extent {
            Extent::Piece => "delta",
            Extent::Whole => "text",
        };
        if let Some(text) = event.text(key) {
            let item = self.item_of(event, "reasoning", OutputItemKind::Reasoning);
            self.items.reasoning(item, extent, text, changes);
        }
    }

    /// Reads arguments of a call.
    fn arguments(&mut self, event: &ApiEvent, extent: Extent, changes: &mut OrderedChanges<'_>) {
        let key = match extent {
            Extent::Piece => "delta",
            Extent::Whole => "arguments",
        };
        let Some(text) = event.text(key) else {
            return;
        };
        let item = self.call_of(event);
        match extent {
            Extent::Piece => self.items.argument_piece(item, text, changes),
            Extent::Whole => self.items.whole_arguments(item, text, changes),
        }
    }

    /// Reads a piece of an input that is a plain text. It is part of the arguments once it is whole.
    fn input(&mut self, event: &ApiEvent) {
        if let Some(text) = event.text("delta") {
            let item = self.call_of(event);
            self.items.input_piece(item, text);
        }
    }

    /// The number of the call that an event is about: the name of the event begins with the type of the item.
    fn call_of(&mut self, event: &ApiEvent) -> usize {
        let name = event.type_name().trim_start_matches("response.");
        let item_type = match name.split_once("_call") {
            Some((tool, _)) => format!("{tool}_call"),
            None => String::new(),
        };
        let kind = OutputItemKind::of(&serde_json::json!({ "type": item_type }));
        self.item_of(event, &item_type, kind)
    }

    /// Reads the last event of a response, which repeats all items, or none.
    fn ends(&mut self, event: &ApiEvent, changes: &mut OrderedChanges<'_>) {
        let none = Value::Null;
        let response = event.object("response").unwrap_or(&none);
        if let Some(Value::Array(output)) = response.get("output") {
            for (index, item) in (0..).zip(output) {
                if item.is_object() {
                    let from = WholeSource::AllItems;
                    self.items
                        .complete(item, Some(index), from, event.halves(), changes);
                }
            }
        }
        if let Some(usage) = usage_of(response, &mut |change| changes.report(change)) {
            self.usage = Some(usage);
        }
        // The first end counts: a failed response follows an error.
        if self.end.is_none() {
            let Ending { end, is_truncated } = Ending::of(event.type_name(), response);
            self.is_truncated = is_truncated;
            self.end = Some(end);
        }
    }
}

impl ModelReader for ResponseReader<'_> {
    type Reply = ReplyItems;

    fn is_ended(&self) -> bool {
        self.end.is_some()
    }

    fn abandon(mut self, sink: &mut dyn Sink) {
        if self.is_stopped {
            return;
        }
        let mut changes = OrderedChanges::new(sink, self.last, &mut self.waiting);
        changes.finish();
        self.items.report_nameless(&mut changes);
    }

    fn finish(mut self, sink: &mut dyn Sink) -> Result<ModelReply<ReplyItems>, TargetError> {
        // All changes have the time of the last event, because the end of a stream is no event of its own.
        let mut changes = OrderedChanges::new(sink, self.last, &mut self.waiting);
        self.items.finish(&mut changes);
        changes.finish();
        if self.is_truncated {
            changes.report(Change::Truncated);
        }
        if let Some(usage) = self.usage {
            let model = Some(Cow::Borrowed(self.model));
            changes.report(Change::Usage { usage, model });
        }
        let end = match self.end {
            // A response that is over and asks for an approval waits for it.
            Some(RunEnd::Finished) | None if self.items.is_interrupted() => {
                RunEnd::Interrupted(self.items.interrupts())
            }
            Some(end) => end,
            None => RunEnd::Finished,
        };
        let has_failed = matches!(end, RunEnd::Error { .. });
        changes.report(Change::RunEnded(end));

        // After a stop or an error of the model there is no next request, so that nameless calls do not matter then.
        if changes.flow.is_break() {
            return Ok(ModelReply::Stopped);
        }
        if has_failed {
            return Ok(ModelReply::Failed);
        }
        self.items.into_reply(self.id).map(ModelReply::Complete)
    }
}

impl EventReader for ResponseReader<'_> {
    /// Reads the data of one event. The flow is `Break` once `sink` wants no more.
    ///
    /// # Errors
    /// The reason that the data is not an event of a response.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // The end of the response is reported with the time of its last event.
        self.last = at;
        let text = decoded(data).map_err(|error| error.0)?;
        let event = ApiEvent::parse(&text)?;
        // The changes borrow what waits, and reading an event changes the rest of the reader.
        let mut waiting = std::mem::take(&mut self.waiting);
        let mut changes = OrderedChanges::new(sink, at, &mut waiting);
        // The decoder borrows valid UTF-8. An owned text shows that it had to replace bytes.
        if matches!(text, Cow::Owned(_)) {
            let words = "an event holds bytes that are not UTF-8: U+FFFD is taken for them";
            changes.report(Change::Warning(words.into()));
        }
        self.read(&event, &mut changes);
        let flow = changes.flow;
        self.waiting = waiting;
        self.is_stopped = flow.is_break();
        Ok(flow)
    }

    /// The end of a response, after which only a failed response is waited for that repeats an error: servers leave the stream open, and `[DONE]` may come or not.
    fn rest(&self) -> Option<Rest> {
        self.end.as_ref()?;
        Some(Rest::AfterLastEvent(self.rest))
    }
}

impl StreamReader for ResponseReader<'_> {
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        let stream = ModelStream {
            cut: "the stream ended without `response.completed` or another end",
            piece: "event",
            document: "\"output\"",
            api: "the Responses API",
        };
        stream.unfinished(response)
    }
}
