//! The body of an answer: chunks to frames, frames to what they mean. The end of it is never the end of a run.

use std::ops::ControlFlow;

use super::conversation::Conversation;
use super::decoder::Decoder;
use super::event::{DecodeError, Event};
use super::received::ReceivedResponse;
use super::surrogates::without_lone_surrogates;
use crate::context::At;
use crate::target::ended::Ended;
use crate::target::error::{Received, TargetError};
use crate::target::limits::Limits;
use crate::target::sink::{Sink, Wire};
use crate::target::sse::{self, EventTooLarge};
use crate::trace::Change;

/// How far the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Its terminal event is still to come.
    Running,
    /// Its terminal event came.
    Ended,
}

/// One answer as it is read.
pub(super) struct StreamReader<'a> {
    received: ReceivedResponse,
    events: sse::Decoder,
    decoder: &'a mut Decoder,
    conversation: &'a mut Conversation,
    max_response_bytes: usize,
    last: At,
}

impl<'a> StreamReader<'a> {
    pub(super) fn new(
        received: ReceivedResponse,
        decoder: &'a mut Decoder,
        conversation: &'a mut Conversation,
        limits: &Limits,
    ) -> Self {
        let events = sse::Decoder::new(limits.max_event_bytes);
        let max_response_bytes = limits.max_response_bytes;
        Self { received, events, decoder, conversation, max_response_bytes, last: At::default() }
    }

    /// Whether the agent tells a thread again.
    pub(super) fn is_replay(&self) -> bool {
        self.decoder.is_replay()
    }

    /// How many events have come.
    pub(super) fn events(&self) -> u64 {
        self.received.events
    }

    /// Whether the answer may end here.
    fn is_over(&self) -> bool {
        if self.is_replay() {
            return self.received.events > 0 && !self.decoder.is_open();
        }
        self.decoder.is_ended()
    }

    /// More of the body.
    pub(super) fn bytes(
        &mut self,
        at: At,
        bytes: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Ended, Progress>, TargetError> {
        self.last = at;
        let mut rest = bytes;
        loop {
            let before = rest;
            let next = self.events.next_event(&mut rest);
            // Event by event, so that what an error says of the answer does not depend on how it was cut on its way.
            self.received.add(&before[..before.len() - rest.len()]);
            if self.received.bytes > self.max_response_bytes {
                let help = "does the agent come to an end, or does it send the same again and again?";
                return Err(self.too_large("the answer", self.max_response_bytes, help));
            }
            let data = match next {
                Ok(Some(data)) => data,
                Ok(None) => break,
                Err(EventTooLarge { max_event_bytes }) => {
                    self.received.add(rest);
                    let help = "an event ends with an empty line: does the agent send one after each?";
                    return Err(self.too_large("an event", max_event_bytes, help));
                }
            };
            let mut sink = Events { decoder: self.decoder, conversation: self.conversation, sink };
            match sink.event(at, data, &mut self.received.events) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Ok(ControlFlow::Break(Ended::Cancelled)),
                Err(error) => {
                    let message = faulty(self.received.events, &error, data);
                    return Err(self.received.error(message));
                }
            }
        }
        Ok(ControlFlow::Continue(if self.is_over() { Progress::Ended } else { Progress::Running }))
    }

    fn too_large(&self, what: &str, limit: usize, help: &str) -> TargetError {
        let message = format!("{what} is larger than {}", in_words(limit));
        TargetError { help: Some(help.to_owned()), ..self.received.error(message) }
    }

    /// The body is over. Its last event counts without the blank line after it if it is complete.
    pub(super) fn end(mut self, sink: &mut dyn Sink) -> Result<Ended, TargetError> {
        if let Some(data) = self.events.finish() {
            if serde_json::from_slice::<serde::de::IgnoredAny>(data).is_err() && !says_nothing(data) {
                if self.is_over() {
                    return Ok(Ended::Terminal);
                }
                return Err(self.received.broken_off("the stream ended inside an event"));
            }
            let mut sink = Events { decoder: self.decoder, conversation: self.conversation, sink };
            match sink.event(self.last, data, &mut self.received.events) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Ok(Ended::Cancelled),
                Err(error) => {
                    let message = faulty(self.received.events, &error, data);
                    return Err(self.received.error(message));
                }
            }
        }
        if self.is_over() {
            return Ok(Ended::Terminal);
        }
        Err(self.received.unfinished(self.is_replay().then_some(self.conversation.thread_id.as_str())))
    }

    /// The connection broke, which is no matter once the run has ended.
    pub(super) fn broken(mut self, cause: &str) -> Result<Ended, TargetError> {
        if self.is_over() {
            return Ok(Ended::Terminal);
        }
        let place = if self.events.finish().is_some() { "inside an event" } else { "before the run ended" };
        Err(self.received.broken_off(format!("the connection broke {place}: {cause}")))
    }
}

/// Where frames go.
struct Events<'a> {
    decoder: &'a mut Decoder,
    conversation: &'a mut Conversation,
    sink: &'a mut dyn Sink,
}

impl Events<'_> {
    /// Tells what one frame means. `Break`: the sink wants no more.
    fn event(&mut self, at: At, data: &[u8], events: &mut u64) -> Result<ControlFlow<()>, DecodeError> {
        if says_nothing(data) {
            return Ok(ControlFlow::Continue(()));
        }
        self.sink.wire(at, Wire::Frame(data));
        let text = String::from_utf8_lossy(data);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.decoder.warnings.add("an event holds bytes that are not UTF-8: U+FFFD is taken for them");
        }
        let repaired;
        let event = match Event::parse(&text, &mut self.decoder.warnings) {
            Ok(event) => event,
            Err(error) => {
                repaired = without_lone_surrogates(&text).ok_or_else(|| error.clone())?;
                Event::parse(&repaired, &mut self.decoder.warnings).map_err(|_| error)?
            }
        };
        let mut flow = ControlFlow::Continue(());
        let sink = &mut *self.sink;
        let decoded = self.decoder.decode(&event, self.conversation, &mut |change| {
            if flow.is_continue() && sink.change(at, change).is_break() {
                flow = ControlFlow::Break(());
            }
        });
        for warning in self.decoder.warnings.take() {
            if flow.is_continue() && sink.change(at, Change::Warning(warning)).is_break() {
                flow = ControlFlow::Break(());
            }
        }
        decoded?;
        *events += 1;
        Ok(flow)
    }
}

/// Data that some servers send beside events: nothing, or the mark of another protocol's end.
fn says_nothing(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"" | b"[DONE]")
}

/// A limit in the unit it is given in.
fn in_words(limit: usize) -> String {
    const MIB: usize = 1 << 20;
    if limit.is_multiple_of(MIB) { format!("{} MiB", limit / MIB) } else { format!("{limit} bytes") }
}

/// Names an event that cannot be understood, by its number and its start.
fn faulty(events_before: u64, error: &DecodeError, data: &[u8]) -> String {
    let more = if data.len() > Received::QUOTED_BYTES { "…" } else { "" };
    format!("event {} {} (`{}{more}`)", events_before + 1, error.0, Received::quote(data))
}
