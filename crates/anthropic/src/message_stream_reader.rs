//! Reads the events of one response, and puts its message together.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use serde_json::Value;

use super::block_changes::BlockChanges;
use super::block_reader::BlockReader;
use super::ending::{MessageTokens, StopReason, error_of};
use super::message_event::{MessageEvent, MessageEventKind, text_of};
use super::sent_blocks::MessageReply;
use super::unread::of_event;
use ananke_agents::http::{ReceivedResponse, StreamReader};
use ananke_agents::{
    EventReader, ModelReader, ModelReply, ModelStream, Rest, Sink, Stop, TargetError, ToolLoop,
};
use ananke_base::context::{At, Ids};
use ananke_base::source::received_json::decoded;
use ananke_trace::trace::{Change, RunEnd};

/// The time for which a stream is read after its last event, once the model has stopped: gateways leave out the end of the message,
/// and tokens may follow the stop.
const AFTER_THE_STOP: Duration = Duration::from_secs(15);

/// The type of a binary stream of events, which another door to the same models has.
const BINARY_EVENTS: &str = "application/vnd.amazon.eventstream";

/// The words of errors about streams.
const STREAM: ModelStream = ModelStream {
    cut: "the stream ended without `message_stop` and without a `stop_reason`",
    piece: "event",
    document: "\"stop_reason\"",
    api: "the Messages API",
};

/// Reads the events of one response.
pub(super) struct MessageStreamReader<'a> {
    blocks: BlockReader<'a>,
    /// The model that was asked, whose price its tokens have.
    model: &'a str,
    id: Option<String>,
    tokens: MessageTokens,
    container: Option<String>,
    has_begun: bool,
    stop: Option<StopReason>,
    end: Option<MessageEnd>,
    last: At,
}

/// The reason that no more is read.
#[derive(Clone, Debug, PartialEq)]
enum MessageEnd {
    /// The event that is always the last.
    Event,
    /// An error of the server.
    Error(RunEnd),
    /// No more was waited for, although the stream was open.
    GivenUp,
}

impl<'a> MessageStreamReader<'a> {
    /// A reader of one response. `server_calls` are the calls of the server in earlier responses that have no result yet.
    pub(super) fn new(
        ids: &'a dyn Ids,
        model: &'a str,
        tools: &'a mut ToolLoop,
        server_calls: &'a mut BTreeMap<String, String>,
    ) -> Self {
        Self {
            blocks: BlockReader::new(ids, tools, server_calls),
            model,
            id: None,
            tokens: MessageTokens::default(),
            container: None,
            has_begun: false,
            stop: None,
            end: None,
            last: At::default(),
        }
    }

    fn read(&mut self, event: &MessageEvent, changes: &mut BlockChanges<'_>) {
        let kind = event.kind();
        self.begin(event, changes);
        // Values that are odd but readable, such as NaN, are warnings.
        for words in event.oddities.of_values() {
            changes.report(Change::Warning(words));
        }
        for unread in of_event(event) {
            changes.report(Change::Unread(unread));
        }
        match kind {
            MessageEventKind::MessageStart => {
                if let Some(message) = event.object("message") {
                    self.message(message, event, changes);
                }
            }
            MessageEventKind::BlockStart => {
                if let Some(block) = event.object("content_block") {
                    self.blocks
                        .begin(event.index(), block, event.halves(), changes);
                }
            }
            MessageEventKind::BlockDelta => {
                if let Some(delta) = event.object("delta") {
                    self.blocks
                        .delta(event.index(), delta, event.halves(), changes);
                }
            }
            MessageEventKind::BlockStop => self.blocks.stop(event.index(), changes),
            MessageEventKind::MessageDelta => {
                if let Some(delta) = event.object("delta") {
                    self.stops(delta);
                }
                self.tokens.take(event.value(), changes);
            }
            MessageEventKind::MessageStop => {
                self.end.get_or_insert(MessageEnd::Event);
            }
            MessageEventKind::Error => {
                let error = error_of(event.value());
                self.end.get_or_insert(MessageEnd::Error(error));
            }
            MessageEventKind::Ping | MessageEventKind::Unknown => {}
        }
    }

    /// Begins the run with the first event, whichever it is: servers leave out the beginning of the message. A ping may be before
    /// it, and has no id.
    fn begin(&mut self, event: &MessageEvent, changes: &mut BlockChanges<'_>) {
        if self.has_begun || event.kind() == MessageEventKind::Ping {
            return;
        }
        self.has_begun = true;
        let message = event.object("message");
        self.id = message
            .and_then(|message| text_of(message, "id"))
            .map(str::to_owned);
        changes.report(Change::RunStarted {
            run_id: self.id.as_deref().map(Cow::Borrowed),
            thread_id: None,
            is_replay: false,
        });
    }

    /// Reads a message, which has all of its content already if the server does not stream.
    fn message(&mut self, message: &Value, event: &MessageEvent, changes: &mut BlockChanges<'_>) {
        self.tokens.take(message, changes);
        if let Some(Value::Array(blocks)) = message.get("content") {
            for block in blocks {
                if block.is_object() {
                    self.blocks.whole(block, event.halves(), changes);
                }
            }
        }
        self.stops(message);
    }

    /// Takes the reason for the stop. There may be several events with one, of which the last counts.
    fn stops(&mut self, value: &Value) {
        if let Some(stop) = StopReason::of(value) {
            self.stop = Some(stop);
        }
        if let Some(id) = text_of(&value["container"], "id") {
            self.container = Some(id.to_owned());
        }
    }

    /// Ends all blocks, and reports the results of the calls of the server.
    fn end_blocks(&mut self, changes: &mut BlockChanges<'_>) {
        self.blocks.finish(changes);
        // A server that fails has not come to its end, whatever it said before.
        let stop = if self.has_failed() {
            None
        } else {
            self.stop.as_ref()
        };
        self.blocks.report_unseen(stop, changes);
    }

    fn has_failed(&self) -> bool {
        matches!(self.end, Some(MessageEnd::Error(_)))
    }
}

impl ModelReader for MessageStreamReader<'_> {
    type Reply = MessageReply;

    fn is_ended(&self) -> bool {
        self.end.is_some() || self.stop.is_some()
    }

    fn abandon(self, _sink: &mut dyn Sink) {
        // Every piece was reported when it came, and a call has its name from its beginning on.
    }

    fn finish(mut self, sink: &mut dyn Sink) -> Result<ModelReply<MessageReply>, TargetError> {
        // All changes have the time of the last event, because the end of a stream is no event of its own.
        let mut changes = BlockChanges::new(sink, self.last);
        self.end_blocks(&mut changes);
        if matches!(self.end, None | Some(MessageEnd::GivenUp)) {
            let words = "end-missing: `message_stop` did not come after the `stop_reason`";
            changes.report(Change::Warning(words.into()));
        }
        if self.stop == Some(StopReason::TooLong) {
            changes.report(Change::Truncated);
        }
        if let Some(usage) = self.tokens.usage() {
            let model = Some(Cow::Borrowed(self.model));
            changes.report(Change::Usage { usage, model });
        }
        let has_failed = self.has_failed();
        let end = match (self.end, self.stop.clone()) {
            (Some(MessageEnd::Error(error)), _) => error,
            (_, Some(stop)) => stop.run_end(),
            (_, None) => RunEnd::Finished,
        };
        changes.report(Change::RunEnded(end));

        // After a stop or an error of the model there is no next request, so that nameless calls do not matter then.
        if changes.flow.is_break() {
            return Ok(ModelReply::Stopped);
        }
        if has_failed {
            return Ok(ModelReply::Failed);
        }
        let reply = self.blocks.into_reply(self.stop.as_ref(), self.container)?;
        Ok(ModelReply::Complete(reply))
    }
}

impl EventReader for MessageStreamReader<'_> {
    /// Reads the data of one event. The flow is `Break` once `sink` wants no more.
    ///
    /// # Errors
    /// The reason that the data is not an event of a message.
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        // The end of the response is reported with the time of its last event.
        self.last = at;
        let text = decoded(data).map_err(|error| error.0)?;
        let event = MessageEvent::parse(&text)?;
        let mut changes = BlockChanges::new(sink, at);
        // The decoder borrows valid UTF-8. An owned text shows that it had to replace bytes.
        if matches!(text, Cow::Owned(_)) {
            let words = "an event holds bytes that are not UTF-8: U+FFFD is taken for them";
            changes.report(Change::Warning(words.into()));
        }
        self.read(&event, &mut changes);
        Ok(changes.flow)
    }

    /// Nothing is waited for after the end. After a stop alone, the end is waited for.
    fn rest(&self) -> Option<Rest> {
        if self.end.is_some() {
            return Some(Rest::AfterLastEvent(Duration::ZERO));
        }
        self.stop.as_ref()?;
        Some(Rest::AfterLastEvent(AFTER_THE_STOP))
    }
}

impl StreamReader for MessageStreamReader<'_> {
    fn give_up(&mut self) {
        self.end.get_or_insert(MessageEnd::GivenUp);
    }

    /// The error of a response that ended although something is missing: what came instead of events, and how to fix it.
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() == 0 && response.head.content_type.starts_with(BINARY_EVENTS) {
            let error = response.error("the response is a binary stream of events of AWS");
            return error.with_help("use a door of the API that has server-sent events, such as the newer one of the same service");
        }
        STREAM.unfinished(response)
    }
}
