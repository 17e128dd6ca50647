//! Reads the body of a response: bytes to events, events to changes. The end of the body is never the end of a run.

use std::ops::ControlFlow;
use std::time::Duration;

use super::conversation::Conversation;
use super::decoder::Decoder;
use super::event::{DecodeError, Event};
use super::received::ReceivedResponse;
use super::surrogates::without_lone_surrogates;
use crate::context::At;
use crate::target::ended::Ended;
use crate::target::error::{Received, TargetError};
use crate::target::http::{Body, Next};
use crate::target::limits::Limits;
use crate::target::sink::{Sink, Wire};
use crate::target::sse::{self, EventTooLarge};
use crate::trace::Change;

/// How long a stream is read after its run has ended (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// How long a replay is read after its last event while no run is open (SPEC 5).
const AFTER_THE_LAST_EVENT: Duration = Duration::from_secs(1);

/// How far the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Its terminal event has not arrived.
    Running,
    /// Its terminal event has arrived.
    Ended,
}

/// Reads one response.
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

    /// Reads to the end of the run, and what arrives soon after it, but not longer than `until`.
    pub(super) async fn read(
        mut self,
        mut body: Box<dyn Body>,
        until: At,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let mut soon = None;
        let mut events = 0;
        loop {
            let next = body.next(soon.map_or(until, |soon: At| soon.min(until))).await;
            // A cancellation must be noticed between two chunks, however much is there to read.
            tokio::task::yield_now().await;
            let (at, step) = match next {
                Next::Bytes(at, bytes) => (at, self.bytes(at, &bytes, sink)?),
                Next::Broken(_, cause) => return self.broken(&cause),
                Next::End => return self.end(sink),
                Next::Late if soon.is_some_and(|soon| soon <= until) => return Ok(Ended::Terminal),
                Next::Late => return Ok(Ended::Timeout),
            };
            soon = match step {
                ControlFlow::Break(ended) => return Ok(ended),
                ControlFlow::Continue(Progress::Running) => None,
                ControlFlow::Continue(Progress::Ended) if self.is_replay() => {
                    let is_later = std::mem::replace(&mut events, self.events()) < self.events();
                    if is_later { Some(at.plus(AFTER_THE_LAST_EVENT)) } else { soon }
                }
                ControlFlow::Continue(Progress::Ended) => soon.or_else(|| Some(at.plus(AFTER_THE_END))),
            };
        }
    }

    /// Whether the exchange replays a thread.
    fn is_replay(&self) -> bool {
        self.decoder.is_replay()
    }

    /// How many events have arrived.
    fn events(&self) -> u64 {
        self.received.events
    }

    /// Whether the response may end here.
    fn is_over(&self) -> bool {
        if self.is_replay() {
            return self.received.events > 0 && !self.decoder.is_open();
        }
        self.decoder.is_ended()
    }

    /// Takes bytes of the body.
    fn bytes(
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
            // Event by event: an error quotes the same bytes however the response is split into chunks.
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
            let reader = EventReader {
                decoder: self.decoder,
                conversation: self.conversation,
                received: &mut self.received,
                sink,
            };
            if reader.read(at, data)?.is_break() {
                return Ok(ControlFlow::Break(Ended::Cancelled));
            }
        }
        Ok(ControlFlow::Continue(if self.is_over() { Progress::Ended } else { Progress::Running }))
    }

    fn too_large(&self, what: &str, limit: usize, help: &str) -> TargetError {
        let message = format!("{what} is larger than {}", in_words(limit));
        TargetError { help: Some(help.to_owned()), ..self.received.error(message) }
    }

    /// Takes the end of the body. A complete last event counts without the blank line after it.
    fn end(mut self, sink: &mut dyn Sink) -> Result<Ended, TargetError> {
        if let Some(data) = self.events.finish() {
            if serde_json::from_slice::<serde::de::IgnoredAny>(data).is_err() && !is_empty(data) {
                if self.is_over() {
                    return Ok(Ended::Terminal);
                }
                return Err(self.received.broken_off("the stream ended inside an event"));
            }
            let reader = EventReader {
                decoder: self.decoder,
                conversation: self.conversation,
                received: &mut self.received,
                sink,
            };
            if reader.read(self.last, data)?.is_break() {
                return Ok(Ended::Cancelled);
            }
        }
        if self.is_over() {
            return Ok(Ended::Terminal);
        }
        Err(self.received.unfinished(self.is_replay().then_some(self.conversation.thread_id.as_str())))
    }

    /// Takes the end of a broken connection, which is no error once the run has ended.
    fn broken(mut self, cause: &str) -> Result<Ended, TargetError> {
        if self.is_over() {
            return Ok(Ended::Terminal);
        }
        let place = if self.events.finish().is_some() { "inside an event" } else { "before the run ended" };
        Err(self.received.broken_off(format!("the connection broke {place}: {cause}")))
    }
}

/// Reads one event of a response.
struct EventReader<'a> {
    decoder: &'a mut Decoder,
    conversation: &'a mut Conversation,
    received: &'a mut ReceivedResponse,
    sink: &'a mut dyn Sink,
}

impl EventReader<'_> {
    /// Passes on what the event `data` means. `Break` if the sink wants no more.
    fn read(mut self, at: At, data: &[u8]) -> Result<ControlFlow<()>, TargetError> {
        if is_empty(data) {
            return Ok(ControlFlow::Continue(()));
        }
        let flow = self.decode(at, data).map_err(|error| {
            let more = if data.len() > Received::QUOTED_BYTES { "…" } else { "" };
            let (number, quoted) = (self.received.events + 1, Received::quote(data));
            self.received.error(format!("event {number} {} (`{quoted}{more}`)", error.0))
        })?;
        self.received.events += 1;
        Ok(flow)
    }

    fn decode(&mut self, at: At, data: &[u8]) -> Result<ControlFlow<()>, DecodeError> {
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
        decoded.map(|()| flow)
    }
}

/// Whether data is no event: some servers send empty data, or the end mark of another protocol.
fn is_empty(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"" | b"[DONE]")
}

/// A limit in MiB, or in bytes.
fn in_words(limit: usize) -> String {
    const MIB: usize = 1 << 20;
    if limit.is_multiple_of(MIB) { format!("{} MiB", limit / MIB) } else { format!("{limit} bytes") }
}
