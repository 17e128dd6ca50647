//! Reads a response whose events are lines of a program, whatever protocol they are of: a blank line is nothing, and
//! anything else is an event. Nothing but the protocol says that a response is complete.

use std::ops::ControlFlow;
use std::time::Duration;

use super::{Pipe, PipeNext};
use crate::error::{Received, TargetError};
use crate::limits::{Limits, in_words};
use crate::sink::{Ended, EventReader, Rest, Sink, Wire};
use ananke_base::context::At;
use ananke_trace::process::{ExitStatus, stderr_ends};

/// Whether a program got requests before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOrder {
    /// It is the first one: what the program printed until then is part of the response, also what was read already.
    First(Option<PipeNext>),
    /// It is a later one: what the program printed since its last response belongs to none.
    Later,
}

/// The remedy for a line that is not an event.
const STDOUT_HELP: &str = "stdout is for events, one per line: print everything else to stderr";

/// Reads the response to a request that was sent at `sent`. `closed` gets when it was over.
///
/// # Errors
/// If the response is not what the protocol promises, or the program ends before it is complete.
pub async fn read_events(
    pipe: &mut dyn Pipe,
    reader: &mut dyn EventReader,
    limits: &Limits,
    (sent, order): (At, RequestOrder),
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Ended, TargetError> {
    let until = limits.until(sent);
    let is_later = order == RequestOrder::Later;
    let mut read = match order {
        RequestOrder::First(read) => read,
        RequestOrder::Later => None,
    };
    let (mut events, mut bytes, mut last) = (0_u64, 0_usize, sent);
    // When the response could end first.
    let mut end = None;
    loop {
        let rest = reader.rest();
        let soon = match rest {
            Some(Rest::AfterEnd(Duration::ZERO)) => return Ok(Ended::Terminal),
            Some(Rest::AfterEnd(rest)) => Some(end.get_or_insert(last).plus(rest)),
            Some(Rest::AfterLastEvent(rest)) => Some(last.plus(rest)),
            None => {
                end = None;
                None
            }
        };
        let patience = soon.map_or(until, |soon| soon.min(until));
        let next = match read.take() {
            Some(read) => read,
            None => pipe.next(patience).await,
        };
        // A cancellation must be noticed between two lines, however much is there to read.
        tokio::task::yield_now().await;
        let (at, line) = match next {
            PipeNext::Line(at, line) => (at, line),
            PipeNext::TooLarge(at) => {
                *closed = Some(at);
                let limit = in_words(limits.max_event_bytes);
                let error = failed(
                    pipe,
                    format!("the agent printed a line that is larger than {limit}"),
                );
                return Err(error.with_help(
                    "an event ends with its line: does the agent print one after each?",
                ));
            }
            // The response is over; a program that goes on to run has nothing more to say.
            PipeNext::End(..) | PipeNext::Late if matches!(rest, Some(Rest::AfterEnd(_))) => {
                return Ok(Ended::Terminal);
            }
            PipeNext::End(at, status) => {
                *closed = Some(at);
                return if soon.is_some() {
                    Ok(Ended::Terminal)
                } else {
                    Err(ended(pipe, status, events))
                };
            }
            PipeNext::Late => {
                *closed = Some(patience);
                if soon.is_some_and(|soon| soon <= until) {
                    return Ok(Ended::Terminal);
                }
                if events == 0 {
                    let missing = format!("no response came{}", stderr_ends(&pipe.last_stderr()));
                    sink.wire(patience, Wire::Late { missing: &missing });
                }
                return Ok(Ended::Timeout);
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        *closed = Some(at);
        if at < sent && is_later {
            return Err(between_turns(&line));
        }
        last = at;
        bytes = bytes.saturating_add(line.len());
        if bytes > limits.max_response_bytes {
            let limit = in_words(limits.max_response_bytes);
            let error = failed(pipe, format!("the response is larger than {limit}"));
            return Err(error.with_help(
                "does the agent come to an end, or does it print the same again and again?",
            ));
        }
        sink.wire(at, Wire::Frame(&line));
        let flow = reader.event(at, &line, sink).map_err(|why| {
            let message = format!(
                "line {} of the response {why} ({})",
                events + 1,
                quoted(&line)
            );
            failed(pipe, message).with_help(STDOUT_HELP)
        })?;
        events += 1;
        if flow == ControlFlow::Break(crate::sink::Stop) {
            return Ok(Ended::Cancelled);
        }
    }
}

/// The start of a line, in quotes.
pub fn quoted(line: &[u8]) -> String {
    let more = if line.len() > Received::QUOTED_BYTES {
        "…"
    } else {
        ""
    };
    format!("`{}{more}`", Received::quote(line))
}

/// An error that quotes what the program printed to stderr.
fn failed(pipe: &dyn Pipe, message: String) -> TargetError {
    TargetError::new(message + &stderr_ends(&pipe.last_stderr()))
}

/// The error of a line that came while nothing was asked.
fn between_turns(line: &[u8]) -> TargetError {
    let message = format!(
        "the agent printed a line after its last response was complete: {}",
        quoted(line)
    );
    TargetError::new(message).with_help(
        "a response ends with its terminal event: print nothing to stdout until the next request",
    )
}

/// The error of a program that ended too early.
fn ended(pipe: &dyn Pipe, status: Option<ExitStatus>, events: u64) -> TargetError {
    let how = status.map_or_else(
        || "closed its stdout".to_owned(),
        |status| status.to_string(),
    );
    let message = match events {
        0 => format!("the agent {how} before it responded"),
        1 => format!("the agent {how} before its response was complete, after 1 event"),
        _ => format!("the agent {how} before its response was complete, after {events} events"),
    };
    failed(pipe, message)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::ready;

    use futures_util::future::BoxFuture;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::sink::Stop;
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
            ("Timeout", "no response came\nits stderr ends:\n  why")
        );
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
