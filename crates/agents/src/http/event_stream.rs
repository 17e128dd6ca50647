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
        // Valid JSON is complete, since half of a JSON document cannot be parsed. Any other text may be half of an event.
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

/// Reads a response as server-sent events until its protocol has all that it needs, but not longer than the exchange may take.
/// `reader` decodes each event, and `sink` gets the result. `closed_at` is set to the moment at which the connection broke or the
/// time was up; it is `None` if neither happened.
///
/// # Errors
/// If the response is not what the protocol promises, or ends too early.
pub async fn read_events(
    response: Response,
    reader: &mut dyn StreamReader,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed_at: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let events = sse::SseDecoder::new(limits.max_event_bytes);
    read_framed(response, events, reader, limits, sink, closed_at).await
}

/// Reads a response as [`read_events`] does, but takes its body apart with `events`.
///
/// # Errors
/// If the response is not what the protocol promises, or ends too early.
pub async fn read_framed(
    response: Response,
    events: impl Framing,
    reader: &mut dyn StreamReader,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed_at: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let stream = EventStream {
        received: response.received,
        events,
        reader,
        sink,
        max_response_bytes: limits.max_response_bytes,
        // The first bytes of the body replace this moment.
        last: At::default(),
    };
    stream.read(response.body, response.until, closed_at).await
}

impl<F: Framing> EventStream<'_, F> {
    /// Reads the body until the response is over, but not after `until`, when the time of the exchange is up. `closed_at` is set
    /// to the moment at which the connection broke or the time was up.
    async fn read(
        mut self,
        mut body: Box<dyn Body>,
        until: At,
        closed_at: &mut Option<At>,
    ) -> Result<Ended, TargetError> {
        // Servers often leave the stream open after the last event. So once the response may be over, reading stops at this
        // moment, whether the stream ends or not.
        let mut over_at: Option<At> = None;
        loop {
            let read_until = match over_at {
                Some(over_at) => over_at.min(until),
                None => until,
            };
            let mut next = body.next(read_until).await;
            // Bytes from after that moment count as none, and are only quoted in a warning.
            let mut late_bytes = Bytes::new();
            if let Next::After(_, bytes) = next {
                next = Next::Late;
                late_bytes = bytes;
            }
            // A cancellation is noticed only when this task yields, and chunks that are there already do not make it wait.
            tokio::task::yield_now().await;

            let events_before = self.received.events;
            *closed_at = match &next {
                Next::Broken(at, _) => Some(*at),
                Next::Late => Some(read_until),
                Next::Bytes(..) | Next::End | Next::After(..) => None,
            };
            match next {
                Next::Bytes(at, bytes) => {
                    if self.bytes(at, &bytes)?.is_break() {
                        return Ok(Ended::Cancelled);
                    }
                }
                Next::Broken(_, cause) => return self.broken(&cause),
                Next::End => return self.end(),
                Next::Late | Next::After(..) => {
                    // The moment that has passed is `until` and not `over_at`: the exchange took too long.
                    if over_at != Some(read_until) {
                        return Ok(Ended::Timeout);
                    }
                    match self.reader.rest() {
                        // The run has ended, so the server should have closed the stream.
                        Some(Rest::AfterEnd(rest)) => self.warn_of_rest(rest, &late_bytes),
                        // The protocol has no certain end here: it takes the silence for one.
                        Some(Rest::AfterLastEvent(_)) => self.reader.give_up(),
                        // `over_at` was computed from this time, so there is one.
                        None => {}
                    }
                    return Ok(Ended::Terminal);
                }
            }

            // Each chunk may change whether the response may be over, so the moment is computed again after each. `rest` returns
            // `None` while something is missing, or for how long the stream is still read.
            let has_new_event = self.received.events > events_before;
            over_at = match self.reader.rest() {
                None => None,
                // The time starts again with each event. A comment that keeps the connection open is no event.
                Some(Rest::AfterLastEvent(rest)) if has_new_event => Some(self.last.plus(rest)),
                Some(Rest::AfterLastEvent(_)) => over_at,
                // The time starts once, when the run ends.
                Some(Rest::AfterEnd(rest)) => over_at.or(Some(self.last.plus(rest))),
            };
        }
    }

    /// Warns that the stream was still open, `rest` after the run had ended. `late_bytes` came after that, and are not read as
    /// events of the run: the warning quotes the first event in them, so that the author of the agent finds the place that sends
    /// it.
    fn warn_of_rest(&mut self, rest: Duration, late_bytes: &[u8]) {
        let rest = rest.as_millis();
        let mut warning = format!(
            "left-open: the stream was still open {rest} ms after the run had ended: what comes later is not read"
        );
        let mut unread = late_bytes;
        while let Ok(Some(data)) = self.events.next_event(&mut unread) {
            // Empty data and the end mark `[DONE]` mean nothing.
            if !self.reader.is_nothing(data) {
                warning.push_str("; the first event of it is ");
                warning.push_str(&Received::quoted(data));
                break;
            }
        }
        self.warn(&warning);
    }

    fn warn(&mut self, words: &str) {
        let _ = self
            .sink
            .change(self.last, Change::Warning(Cow::Borrowed(words)));
    }

    /// Decodes a chunk of the body that came at `at`, and reports its events. `Break` if the sink stops the exchange.
    ///
    /// # Errors
    /// If the response or an event is too large, or an event is not one of the protocol.
    fn bytes(&mut self, at: At, bytes: &[u8]) -> Result<ControlFlow<Stop>, TargetError> {
        self.last = at;
        let events_before = self.received.events;
        let mut unread = bytes;
        loop {
            // The decoder removes the bytes that it has read from the front of `unread`.
            let unread_before = unread;
            let next = self.events.next_event(&mut unread);
            let read_bytes = &unread_before[..unread_before.len() - unread.len()];
            // Errors quote the bytes received so far. They are added event by event and not as a chunk, so that an error quotes
            // the same bytes however the response is split into chunks.
            self.received.add(read_bytes);
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
                    // The chunk is read. One without a complete event is reported too: an agent that sends it is slow, and not
                    // silent.
                    if self.received.events == events_before {
                        self.sink.wire(at, Wire::Alive);
                    }
                    return Ok(ControlFlow::Continue(()));
                }
                Err(EventTooLarge { max_event_bytes }) => {
                    // The error gives the number of bytes that came, and the rest of the chunk has come as well.
                    self.received.add(unread);
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

    /// Decides how the response ended, after the last byte of its body.
    ///
    /// # Errors
    /// If the body ended inside an event, or before the run ended.
    fn end(mut self) -> Result<Ended, TargetError> {
        // A stream may end without the blank line after its last event. The event counts if its data is complete.
        if let Some((data, is_whole)) = self.events.finish() {
            if !is_whole && !self.reader.is_nothing(data) {
                // An event after the end of the run is not needed.
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
        // No event is found in UTF-16, so the response seems unfinished: the encoding is the better message.
        if is_utf16(self.received.start()) {
            let error = self.received.error("the response is UTF-16, not UTF-8");
            return Err(error.with_help("a stream of events is always UTF-8"));
        }
        Err(self.reader.unfinished(&self.received))
    }

    /// Decides what a broken connection means: an error while the run goes on, and a warning once it has ended. `cause` is the
    /// reason in words.
    fn broken(mut self, cause: &str) -> Result<Ended, TargetError> {
        // The reader has a time for the rest of the stream once the run has ended.
        if self.reader.rest().is_some() {
            self.warn(&format!(
                "the connection broke after the run had ended: {cause}"
            ));
            return Ok(Ended::Terminal);
        }
        // The decoder returns the data of an event that has begun and is not complete.
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

/// Reports one event: its bytes to `sink`, and then its meaning, which `reader` decodes. `Break` if the sink stops the exchange.
///
/// # Errors
/// If the event is not one of the protocol.
fn event(
    data: &[u8],
    at: At,
    received: &mut ReceivedResponse,
    reader: &mut dyn StreamReader,
    sink: &mut dyn Sink,
) -> Result<ControlFlow<Stop>, TargetError> {
    // Some servers send events without data, and others the end mark `[DONE]`. Neither is an event of a protocol, but in some
    // protocols the mark ends the response, so `reader` gets it.
    if reader.is_nothing(data) {
        if data.trim_ascii() == END_MARK {
            reader.end_mark(at);
        }
        return Ok(ControlFlow::Continue(()));
    }
    // The bytes are reported before the event is decoded, so that a recording also has an event that cannot be decoded.
    sink.wire(at, Wire::Frame(data));
    match reader.event(at, data, sink) {
        Ok(flow) => {
            received.events += 1;
            Ok(flow)
        }
        Err(why) => {
            // Only decoded events are counted, so this one is the next.
            let number = received.events + 1;
            let quoted = Received::quoted(data);
            Err(received.error(format!("event {number} of the response {why} ({quoted})")))
        }
    }
}

/// The end mark of a stream.
pub(crate) const END_MARK: &[u8] = b"[DONE]";

/// Whether data is no event: some servers send empty data, and others an end mark.
fn is_empty(data: &[u8]) -> bool {
    matches!(data.trim_ascii(), b"" | END_MARK)
}
