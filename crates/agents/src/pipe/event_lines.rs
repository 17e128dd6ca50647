//! Reads a response whose events are lines of a program, whatever protocol they are of: a blank line is nothing, and
//! anything else is an event. Nothing but the protocol says that a response is complete.

use std::ops::ControlFlow;
use std::time::Duration;

use super::{Pipe, PipeNext, printed_in_turn};
use crate::error::{Received, TargetError};
use crate::limits::{Limits, in_words};
use crate::sink::{Ended, EventReader, Rest, Sink, Stop, Wire};
use ananke_base::context::At;
use ananke_trace::process::{ExitStatus, stderr_ends};

/// Whether a program got requests before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOrder {
    /// The first one: what the program printed until then is part of the response, also what was read already.
    First(Option<PipeNext>),
    /// A later one: what the program printed after its last response belongs to none.
    Later,
    /// The program has printed lines before, and prints some without being asked.
    Any,
}

/// The words for a response of which nothing came in time.
pub const NO_RESPONSE: &str = "no response came";

/// The words for a program that let the time of its response pass without a line.
pub const NOTHING_PRINTED: &str = "the program printed nothing to its stdout";

/// The remedy for a line that is not an event.
const STDOUT_HELP: &str = "stdout is for events, one per line: print everything else to stderr";

/// The remedy for a program whose messages have headers.
pub const FRAMING_HELP: &str = "`Content-Length` headers are the framing of the Language Server Protocol: ananke sends and expects one JSON message per line";

/// Whether a line is the header by which a program says how long its next message is.
pub fn is_framing(line: &[u8]) -> bool {
    const HEADER: &[u8] = b"content-length:";
    let Some((name, length)) = line.split_at_checked(HEADER.len()) else {
        return false;
    };
    let length = length.trim_ascii();
    name.eq_ignore_ascii_case(HEADER) && !length.is_empty() && length.iter().all(u8::is_ascii_digit)
}

/// The remedy for the end of a program that other tests had before.
const SHARED_HELP: &str = "tests share this process (`process: shared`), so an earlier one may be the reason; the next gets a new process";

/// Reads one response.
struct EventLines<'a> {
    pipe: &'a mut dyn Pipe,
    reader: &'a mut dyn EventReader,
    limits: &'a Limits,
    sink: &'a mut dyn Sink,
    /// The moment of the request.
    sent: At,
    /// Whether a line from before the request is an error.
    is_later: bool,
    /// The words for a response of which nothing comes.
    no_response: &'static str,
    events: u64,
    bytes: usize,
    /// The moment of the last event, or of the request.
    last: At,
    /// The moment since which the response can be over.
    end: Option<At>,
}

/// Reads the response to a request that was sent to a program at the moment `sent`. `reader` decodes each line, and `sink` gets
/// the result. `closed_at` is set to the moment at which the response was over.
///
/// # Errors
/// If the response is not what the protocol promises, or the program ends before it is complete.
pub async fn read_events(
    pipe: &mut dyn Pipe,
    reader: &mut dyn EventReader,
    limits: &Limits,
    (sent, order): (At, RequestOrder),
    sink: &mut dyn Sink,
    closed_at: &mut Option<At>,
) -> Result<Ended, TargetError> {
    // The words for a timeout without a line. A program that has printed nothing at all may not even have started as it should.
    let no_response = match order {
        RequestOrder::First(_) => NOTHING_PRINTED,
        RequestOrder::Later | RequestOrder::Any => NO_RESPONSE,
    };
    let lines = EventLines {
        pipe,
        reader,
        limits,
        sink,
        sent,
        // A line from before the request is an error only if the order is `Later`: with `First`, it is part of the response, and
        // with `Any`, the program may print lines without being asked.
        is_later: order == RequestOrder::Later,
        no_response,
        events: 0,
        bytes: 0,
        last: sent,
        end: None,
    };
    // Output that was read while the program was started is part of its first response.
    match order {
        RequestOrder::First(first_output) => lines.read(first_output, closed_at).await,
        RequestOrder::Later | RequestOrder::Any => lines.read(None, closed_at).await,
    }
}

impl EventLines<'_> {
    /// Reads lines until the response is over, the time of the exchange is up, or the sink stops. `first_output` was read before,
    /// and comes first. `closed_at` is set to the moment of the last output, or to the one at which the time was up.
    async fn read(
        mut self,
        mut first_output: Option<PipeNext>,
        closed_at: &mut Option<At>,
    ) -> Result<Ended, TargetError> {
        let until = self.limits.until(self.sent);
        loop {
            // The reader returns `None` while something of the response is missing, or for how long more output is still awaited.
            // With no time at all, the response is over: the next line belongs to another one, and must not be read here.
            let rest = self.reader.rest();
            if let Some(Rest::AfterEnd(Duration::ZERO)) = rest {
                return Ok(Ended::Terminal);
            }
            // More of a response that may be over is awaited for a short time; more of any other, as long as the exchange may
            // take.
            let over_at = self.over_at(rest);
            let read_until = match over_at {
                Some(over_at) => over_at.min(until),
                None => until,
            };
            let next = match first_output.take() {
                Some(output) => output,
                None => self.pipe.next(read_until).await,
            };
            // A cancellation is noticed only when this task yields, and lines that are there already do not make it wait.
            tokio::task::yield_now().await;
            match next {
                // A blank line is no event.
                PipeNext::Line(_, line) if line.trim_ascii().is_empty() => {}
                PipeNext::Line(at, line) => {
                    *closed_at = Some(at);
                    if self.line(at, &line).await?.is_break() {
                        return Ok(Ended::Cancelled);
                    }
                }
                PipeNext::TooLarge(at) => {
                    *closed_at = Some(at);
                    let what = "the agent printed a line that";
                    let help = "an event ends with its line: does the agent print one after each?";
                    return Err(self
                        .too_large(what, "max_event_bytes", self.limits.max_event_bytes, help)
                        .await);
                }
                // The terminal event has come before, so it is the end of the response, and `closed_at` keeps its moment.
                PipeNext::End(..) | PipeNext::Late if matches!(rest, Some(Rest::AfterEnd(_))) => {
                    return Ok(Ended::Terminal);
                }
                // The end of the program is the end of a response that may be over; any other response is incomplete.
                PipeNext::End(at, status) => {
                    *closed_at = Some(at);
                    if over_at.is_some() {
                        return Ok(Ended::Terminal);
                    }
                    return Err(ended(self.pipe, status, self.events).await);
                }
                PipeNext::Late => {
                    *closed_at = Some(read_until);
                    // The moment that has passed is `over_at`: nothing more came of a response that may be over.
                    if over_at == Some(read_until) {
                        return Ok(Ended::Terminal);
                    }
                    self.report_missing(read_until);
                    return Ok(Ended::Timeout);
                }
            }
        }
    }

    /// The moment at which the response is over if nothing more comes.
    fn over_at(&mut self, rest: Option<Rest>) -> Option<At> {
        match rest {
            Some(Rest::AfterEnd(rest)) => Some(self.end.get_or_insert(self.last).plus(rest)),
            Some(Rest::AfterLastEvent(rest)) => Some(self.last.plus(rest)),
            None => {
                self.end = None;
                None
            }
        }
    }

    /// Reports a line that came at `at`: its bytes to the sink, and then its meaning. `Break` if the sink stops the exchange.
    ///
    /// # Errors
    /// If the line came before the request, makes the response too large, or is not an event of the protocol.
    async fn line(&mut self, at: At, line: &[u8]) -> Result<ControlFlow<Stop>, TargetError> {
        // `is_later` means that the response before this request was complete. A line that came between the two belongs to
        // neither.
        if at < self.sent && self.is_later {
            return Err(between_turns(line));
        }
        self.last = at;
        self.bytes = self.bytes.saturating_add(line.len());
        if self.bytes > self.limits.max_response_bytes {
            let limit = self.limits.max_response_bytes;
            let help = "does the agent come to an end, or does it print the same again and again?";
            let error = self.too_large("the response", "max_response_bytes", limit, help);
            return Err(error.await);
        }
        // The bytes are reported before the line is decoded, so that a recording also has a line that cannot be decoded.
        self.sink.wire(at, Wire::Frame(line));
        self.events += 1;
        match self.reader.event(at, line, self.sink) {
            Ok(flow) => Ok(flow),
            Err(why) => {
                let number = self.events;
                let quoted = Received::quoted(line);
                let message = format!("line {number} of the response {why} ({quoted})");
                // A header with a length is the sign of another framing; any other text was probably meant for people.
                let help = if is_framing(line) {
                    FRAMING_HELP
                } else {
                    STDOUT_HELP
                };
                Err(failed(self.pipe, message).await.with_help(help))
            }
        }
    }

    /// The error that something exceeds the limit `key` of the target.
    async fn too_large(&mut self, what: &str, key: &str, limit: usize, help: &str) -> TargetError {
        let message = format!("{what} is larger than {} (`{key}`)", in_words(limit));
        failed(self.pipe, message).await.with_help(help)
    }

    /// Reports that time is up and no response came.
    fn report_missing(&mut self, at: At) {
        if self.events == 0 {
            let missing = self.no_response;
            self.sink.wire(at, Wire::Late { missing });
        }
    }
}

/// An error that quotes what the program printed to stderr.
async fn failed(pipe: &mut dyn Pipe, message: String) -> TargetError {
    TargetError::new(message + &stderr_ends(&printed_in_turn(pipe).await))
}

/// The error of a line that came while nothing was asked.
fn between_turns(line: &[u8]) -> TargetError {
    let message = format!(
        "the agent printed a line after its last response was complete: {}",
        Received::quoted(line)
    );
    TargetError::new(message).with_help(
        "a response ends with its terminal event: print nothing to stdout until the next request",
    )
}

/// The error of a program that ended, or closed its stdout, after so many `events` of an incomplete response. It quotes what the
/// program printed to stderr.
async fn ended(pipe: &mut dyn Pipe, status: Option<ExitStatus>, events: u64) -> TargetError {
    let how = match status {
        Some(status) => status.to_string(),
        // The program still runs, or ended in a way that is not known.
        None => "closed its stdout".to_owned(),
    };
    let message = match events {
        0 => format!("the agent {how} before it responded"),
        1 => format!("the agent {how} before its response was complete, after 1 event"),
        _ => format!("the agent {how} before its response was complete, after {events} events"),
    };
    let error = failed(pipe, message).await;
    // Tests may share one process, so the fault may be an earlier test's.
    if pipe.is_shared() {
        return error.with_help(SHARED_HELP);
    }
    error
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::ready;

    use futures_util::future::BoxFuture;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use ananke_trace::trace::Change;

    /// Lines that came at these moments; `None` is the end.
    struct FakePipe(VecDeque<(u64, Option<&'static str>)>);

    impl Pipe for FakePipe {
        fn send(&mut self, _: &[u8]) -> Result<At, TargetError> {
            Ok(At(10))
        }

        fn close(&mut self) -> At {
            At(10)
        }

        fn next(&mut self, until: At) -> BoxFuture<'_, PipeNext> {
            let due = self.0.front().is_some_and(|(at, _)| At(*at) <= until);
            let next = if due { self.0.pop_front() } else { None };
            Box::pin(ready(match next {
                Some((at, Some(line))) => PipeNext::Line(At(at), line.into()),
                Some((at, None)) => PipeNext::End(At(at), Some(ExitStatus::Exit(1))),
                None => PipeNext::Late,
            }))
        }

        fn last_stderr(&self) -> String {
            "why".to_owned()
        }

        fn end(&mut self) -> BoxFuture<'_, ()> {
            Box::pin(ready(()))
        }
    }

    /// Ends with the line `end`, or so long after the line `replay`.
    struct LineWords(Option<Rest>);

    impl EventReader for LineWords {
        fn event(
            &mut self,
            _: At,
            data: &[u8],
            _: &mut dyn Sink,
        ) -> Result<ControlFlow<Stop>, String> {
            match data {
                b"end" => self.0 = Some(Rest::AfterEnd(Duration::from_micros(20))),
                b"start" => self.0 = None,
                b"replay" => self.0 = Some(Rest::AfterLastEvent(Duration::from_micros(50))),
                b"stop" => return Ok(ControlFlow::Break(Stop)),
                b"bad" => return Err("is bad".to_owned()),
                _ => {}
            }
            Ok(ControlFlow::Continue(()))
        }

        fn rest(&self) -> Option<Rest> {
            self.0
        }
    }

    #[derive(Default)]
    struct Missing(String);

    impl Sink for Missing {
        fn wire(&mut self, _: At, wire: Wire<'_>) {
            if let Wire::Late { missing } = wire {
                missing.clone_into(&mut self.0);
            }
        }

        fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
            ControlFlow::Continue(())
        }
    }

    /// The result of a response to a request at 10 that may take 100, the moment of its end, and the part that is said to
    /// be missing.
    async fn read_of(
        order: RequestOrder,
        lines: &[(u64, Option<&'static str>)],
    ) -> (String, Option<u64>, String) {
        let limits = Limits::new(Duration::from_micros(100), CancellationToken::new());
        let (mut closed, mut sink) = (None, Missing::default());
        let request = (At(10), order);
        let mut pipe = FakePipe(lines.iter().copied().collect());
        let ended = read_events(
            &mut pipe,
            &mut LineWords(None),
            &limits,
            request,
            &mut sink,
            &mut closed,
        )
        .await;
        let shown = ended.map_or_else(|error| error.message, |ended| format!("{ended:?}"));
        (shown, closed.map(|at| at.0), sink.0)
    }

    async fn read(lines: &[(u64, Option<&'static str>)]) -> (String, Option<u64>, String) {
        read_of(RequestOrder::Later, lines).await
    }

    #[test]
    fn a_header_with_the_length_of_a_message_is_framing() {
        for line in [
            "Content-Length: 92",
            "content-length:5",
            "CONTENT-LENGTH: 1 ",
        ] {
            assert!(is_framing(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "Content-Length:",
            "Content-Length: none",
            "Content-Type: 5",
            "{}",
            "ü",
        ] {
            assert!(!is_framing(line.as_bytes()), "{line}");
        }
    }

    #[tokio::test]
    async fn a_response_is_over_when_its_protocol_says_so() {
        for (lines, expected, over) in [
            (
                &[(20, Some("a")), (30, Some(" ")), (40, Some("end"))][..],
                "Terminal",
                40,
            ),
            (
                &[(40, Some("end")), (41, Some("late")), (61, Some("later"))],
                "Terminal",
                41,
            ),
            (
                &[(40, Some("end")), (60, Some("bad"))],
                "line 2 of the response is bad (`bad`)\nits stderr ends:\n  why",
                60,
            ),
            (
                &[(20, Some("end")), (30, Some("start")), (60, Some("end"))],
                "Terminal",
                60,
            ),
            (&[(20, Some("end")), (30, None)], "Terminal", 20),
            (&[(20, Some("replay")), (60, Some("more"))], "Terminal", 110),
            (&[(20, Some("replay")), (80, Some("more"))], "Terminal", 70),
            (&[(20, Some("replay")), (30, None)], "Terminal", 30),
            (&[(20, Some("a")), (120, Some("end"))], "Timeout", 110),
            (&[(20, Some("stop"))], "Cancelled", 20),
            (
                &[(20, Some("a")), (30, Some("bad"))],
                "line 2 of the response is bad (`bad`)\nits stderr ends:\n  why",
                30,
            ),
            (
                &[(30, None)],
                "the agent ended with exit code 1 before it responded\nits stderr ends:\n  why",
                30,
            ),
        ] {
            assert_eq!(
                read(lines).await,
                (expected.to_owned(), Some(over), String::new()),
                "{lines:?}"
            );
        }
        let (ended, _, missing) = read(&[]).await;
        assert_eq!(
            (ended.as_str(), missing.as_str()),
            ("Timeout", "no response came")
        );
        let (_, _, missing) = read_of(RequestOrder::First(None), &[]).await;
        assert_eq!(missing, NOTHING_PRINTED);
    }

    #[tokio::test]
    async fn a_line_from_before_a_later_request_is_an_error() {
        let stray = [(9, Some("stray")), (20, Some("end"))];
        let (error, ..) = read(&stray).await;
        assert_eq!(
            error,
            "the agent printed a line after its last response was complete: `stray`"
        );
        assert_eq!(
            read_of(RequestOrder::First(None), &stray).await.0,
            "Terminal"
        );
        assert_eq!(
            read(&[(9, Some("")), (20, Some("end"))]).await.0,
            "Terminal",
            "a blank line is nothing"
        );
    }
}
