//! Reads a response that is a stream of server-sent events, whatever protocol they are of. The end of the body is never
//! the end of a run: only the protocol knows whether all of it arrived.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use bytes::Bytes;

use super::{Body, Next, ReceivedResponse, Response};
use crate::error::{Received, TargetError};
use crate::limits::{Limits, in_words};
use crate::sink::{Ended, EventReader, Rest, Sink, Stop, Wire};
use crate::sse::{self, EventTooLarge};
use ananke_base::context::At;
use ananke_base::source::received_json::{decoded, is_json, is_utf16};
use ananke_trace::trace::Change;

/// The reader of a stream of server-sent events of one protocol.
pub trait StreamReader: EventReader {
    /// Takes the end mark `[DONE]`, which means nothing in most protocols.
    fn end_mark(&mut self, _at: At) {}

    /// Takes that the stream is given up after its last event: its end did not come.
    fn give_up(&mut self) {}

    /// Whether the end of the body may end the response here.
    fn may_end(&self) -> bool {
        self.rest().is_some()
    }

    /// Whether data is no event: some servers send empty data, and others an end mark.
    fn is_nothing(&self, data: &[u8]) -> bool {
        is_empty(data)
    }

    /// The error of a response that ended although something is missing.
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError;
}

/// Takes the body of a response apart into events.
pub trait Framing: Send {
    /// The next event that is complete, taken from the front of `rest`; `None` once `rest` is used up.
    ///
    /// # Errors
    /// If an event is larger than allowed.
    fn next_event<'s, 'c: 's>(
        &'s mut self,
        rest: &mut &'c [u8],
    ) -> Result<Option<&'s [u8]>, EventTooLarge>;

    /// The event that the end of the body ends, and whether all of it is there.
    fn finish(&mut self) -> Option<(&[u8], bool)>;
}

impl Framing for sse::SseDecoder {
    fn next_event<'s, 'c: 's>(
        &'s mut self,
        rest: &mut &'c [u8],
    ) -> Result<Option<&'s [u8]>, EventTooLarge> {
        Self::next_event(self, rest)
    }

    fn finish(&mut self) -> Option<(&[u8], bool)> {
        let data = Self::finish(self)?;
        // The data shows whether the agent or the connection ended, since half of a document cannot be read as JSON.
        let is_whole = match decoded(data) {
            Ok(text) => is_json(&text),
            Err(_) => false,
        };
        Some((data, is_whole))
    }
}

/// Reads one response.
struct EventStream<'a, F> {
    received: ReceivedResponse,
    events: F,
    reader: &'a mut dyn StreamReader,
    sink: &'a mut dyn Sink,
    max_response_bytes: usize,
    last: At,
}

/// Reads a response to the end of what the protocol wants of it, and what arrives soon after, but not longer than the
/// exchange may take. `closed` gets when the connection broke, or the time was up.
///
/// # Errors
/// If the response is not what the protocol promises, or ends too early.
pub async fn read_events(
    response: Response,
    reader: &mut dyn StreamReader,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let events = sse::SseDecoder::new(limits.max_event_bytes);
    read_framed(response, events, reader, limits, sink, closed).await
}

/// The same for a response whose events `events` takes apart.
///
/// # Errors
/// If the response is not what the protocol promises, or ends too early.
pub async fn read_framed(
    response: Response,
    events: impl Framing,
    reader: &mut dyn StreamReader,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let stream = EventStream {
        received: response.received,
        events,
        reader,
        sink,
        max_response_bytes: limits.max_response_bytes,
        last: At::default(),
    };
    stream.read(response.body, response.until, closed).await
}

impl<F: Framing> EventStream<'_, F> {
    async fn read(
        mut self,
        mut body: Box<dyn Body>,
        until: At,
        closed: &mut Option<At>,
    ) -> Result<Ended, TargetError> {
        // Once the response may end, it is read only until then: servers often leave the stream open.
        let mut soon: Option<At> = None;
        loop {
            let patience = match soon {
                Some(soon) => soon.min(until),
                None => until,
            };
            let mut next = body.next(patience).await;
            let mut after = Bytes::new();
            if let Next::After(_, bytes) = next {
                next = Next::Late;
                after = bytes;
            }
            // A cancellation must be noticed between two chunks, however much is there to read.
            tokio::task::yield_now().await;
            let events_before = self.received.events;
            *closed = match &next {
                Next::Broken(at, _) => Some(*at),
                Next::Late => Some(patience),
                Next::Bytes(..) | Next::End | Next::After(..) => None,
            };
            match next {
                Next::Bytes(at, bytes) if self.bytes(at, &bytes)?.is_break() => {
                    return Ok(Ended::Cancelled);
                }
                Next::Bytes(..) => {}
                Next::Broken(_, cause) => return self.broken(&cause),
                Next::End => return self.end(),
                Next::Late | Next::After(..) => {
                    if soon != Some(patience) {
                        return Ok(Ended::Timeout);
                    }
                    match self.reader.rest() {
                        Some(Rest::AfterEnd(rest)) => self.warn_of_rest(rest, &after),
                        Some(Rest::AfterLastEvent(_)) => self.reader.give_up(),
                        None => {}
                    }
                    return Ok(Ended::Terminal);
                }
            }
            // A comment that keeps the connection open is no event, so it does not delay the end.
            let has_new_event = self.received.events > events_before;
            soon = match self.reader.rest() {
                None => None,
                Some(Rest::AfterLastEvent(rest)) if has_new_event => Some(self.last.plus(rest)),
                Some(Rest::AfterLastEvent(_)) => soon,
                Some(Rest::AfterEnd(rest)) => soon.or(Some(self.last.plus(rest))),
            };
        }
    }

    /// The run has ended, and the stream has not. `after` came too late to be read.
    fn warn_of_rest(&mut self, rest: Duration, after: &[u8]) {
        let rest = rest.as_millis();
        let mut words = format!(
            "left-open: the stream was still open {rest} ms after the run had ended: what comes later is not read"
        );
        let mut bytes = after;
        while let Ok(Some(data)) = self.events.next_event(&mut bytes) {
            if !self.reader.is_nothing(data) {
                words.push_str("; the first event of it is ");
                words.push_str(&Received::quoted(data));
                break;
            }
        }
        self.warn(&words);
    }

    fn warn(&mut self, words: &str) {
        let _ = self
            .sink
            .change(self.last, Change::Warning(Cow::Borrowed(words)));
    }

    /// Takes bytes of the body. `Break` if the sink wants no more.
    fn bytes(&mut self, at: At, bytes: &[u8]) -> Result<ControlFlow<Stop>, TargetError> {
        self.last = at;
        let events_before = self.received.events;
        let mut rest = bytes;
        loop {
            let before = rest;
            let next = self.events.next_event(&mut rest);
            // Event by event: an error quotes the same bytes however the response is split into chunks.
            self.received.add(&before[..before.len() - rest.len()]);
            if self.received.bytes > self.max_response_bytes {
                let limit = self.max_response_bytes;
                let help =
                    "does the agent come to an end, or does it send the same again and again?";
                return Err(self.too_large("the response", "max_response_bytes", limit, help));
            }
            match next {
                Ok(Some(data)) => {
                    if event(data, at, &mut self.received, self.reader, self.sink)?.is_break() {
                        return Ok(ControlFlow::Break(Stop));
                    }
                }
                Ok(None) => {
                    // Bytes without an event are reported too, since a watchdog asks whether the agent is silent.
                    if self.received.events == events_before {
                        self.sink.wire(at, Wire::Alive);
                    }
                    return Ok(ControlFlow::Continue(()));
                }
                Err(EventTooLarge { max_event_bytes }) => {
                    self.received.add(rest);
                    let limit = max_event_bytes;
                    let help =
                        "an event ends with an empty line: does the agent send one after each?";
                    return Err(self.too_large("an event", "max_event_bytes", limit, help));
                }
            }
        }
    }

    /// The error that something exceeds the limit `key` of the target.
    fn too_large(&self, what: &str, key: &str, limit: usize, help: &str) -> TargetError {
        let limit = in_words(limit);
        self.received
            .error(format!("{what} is larger than {limit} (`{key}`)"))
            .with_help(help)
    }

    /// Takes the end of the body. A complete last event counts without the blank line after it.
    fn end(mut self) -> Result<Ended, TargetError> {
        if let Some((data, is_whole)) = self.events.finish() {
            if !is_whole && !self.reader.is_nothing(data) {
                if self.reader.rest().is_some() {
                    self.warn("the stream ended inside an event, after the run had ended");
                    return Ok(Ended::Terminal);
                }
                return Err(self.received.broken_off("the stream ended inside an event"));
            }
            if event(data, self.last, &mut self.received, self.reader, self.sink)?.is_break() {
                return Ok(Ended::Cancelled);
            }
        }
        if self.reader.may_end() {
            return Ok(Ended::Terminal);
        }
        if is_utf16(self.received.start()) {
            let error = self.received.error("the response is UTF-16, not UTF-8");
            return Err(error.with_help("a stream of events is always UTF-8"));
        }
        Err(self.reader.unfinished(&self.received))
    }

    /// Takes the end of a broken connection, which is a warning once the run has ended.
    fn broken(mut self, cause: &str) -> Result<Ended, TargetError> {
        if self.reader.rest().is_some() {
            self.warn(&format!(
                "the connection broke after the run had ended: {cause}"
            ));
            return Ok(Ended::Terminal);
        }
        let place = if self.events.finish().is_some() {
            "inside an event"
        } else {
            "before the run ended"
        };
        Err(self
            .received
            .broken_off(format!("the connection broke {place}: {cause}")))
    }
}

/// Passes on one event. `Break` if the sink wants no more.
fn event(
    data: &[u8],
    at: At,
    received: &mut ReceivedResponse,
    reader: &mut dyn StreamReader,
    sink: &mut dyn Sink,
) -> Result<ControlFlow<Stop>, TargetError> {
    if reader.is_nothing(data) {
        if data.trim_ascii() == END_MARK {
            reader.end_mark(at);
        }
        return Ok(ControlFlow::Continue(()));
    }
    // The frame comes before what it means, so that a recording has the event that could not be read, too.
    sink.wire(at, Wire::Frame(data));
    match reader.event(at, data, sink) {
        Ok(flow) => {
            received.events += 1;
            Ok(flow)
        }
        Err(why) => {
            let number = received.events + 1;
            let quoted = Received::quoted(data);
            Err(received.error(format!("event {number} of the response {why} ({quoted})")))
        }
    }
}

/// The end mark of a stream.
const END_MARK: &[u8] = b"[DONE]";

/// Whether data is no event: some servers send empty data, and others an end mark.
fn is_empty(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"" | END_MARK)
}
