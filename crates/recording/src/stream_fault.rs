//! Faults in the responses of a recording: what comes when a connection or a program breaks off, stalls or ends too early, or
//! when the agent fails.

use bytes::Bytes;

use super::exchange::{
    BodyEnd, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange, RecordedResponse,
};

use ananke_agents::served_protocols_at;
use ananke_base::message::Lane;
use ananke_trace::process::ExitStatus;

/// The message of an agent that fails.
const FAILURE: &str = "the model is overloaded";

/// The fault of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// The connection breaks, or the program ends, after half of the events.
    Cut,
    /// Nothing comes after half of the events, and the connection stays open.
    Stall,
    /// The last event is missing, and the response is complete.
    MissingEnd,
    /// The last event is the protocol's own for an agent that failed.
    Error,
}

/// A response of the agent that has several events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResponsePlace {
    /// The answer of this exchange.
    Exchange(usize),
    /// The output of the program of this run after this line, which was sent to it.
    Program { run: usize, sent: usize },
}

/// The responses of the agent that have several events, each with its turn, counted from 1.
pub(super) fn streams(recorded: &Recorded) -> impl Iterator<Item = (usize, u32)> {
    places(recorded).map(|(_, turn)| turn).enumerate()
}

fn places(recorded: &Recorded) -> impl Iterator<Item = (ResponsePlace, u32)> {
    let exchanges = recorded.exchanges.iter().enumerate();
    let of_exchanges = exchanges
        .filter(|(_, exchange)| pieces(exchange) > 1)
        .map(|(number, exchange)| (ResponsePlace::Exchange(number), exchange.key.turn));
    let runs = recorded
        .programs
        .iter()
        .enumerate()
        .filter(|(_, run)| run.key.lane == Lane::Agent);
    let of_programs = runs.flat_map(|(number, run)| {
        let sent = run
            .lines
            .iter()
            .enumerate()
            .filter_map(|(sent, line)| match line {
                ProgramLine::Sent { turn, .. } => Some((sent, *turn)),
                ProgramLine::Received(..) | ProgramLine::Closed(_) => None,
            });
        let several = sent.filter(|(sent, _)| printed_after(run, *sent).count() > 1);
        several.map(move |(sent, turn)| (ResponsePlace::Program { run: number, sent }, turn))
    });
    of_exchanges.chain(of_programs)
}

fn pieces(exchange: &RecordedExchange) -> usize {
    match &exchange.answer {
        RecordedResponse::Received {
            pieces,
            end: BodyEnd::Complete,
            ..
        } if exchange.key.lane == Lane::Agent => pieces.len(),
        _ => 0,
    }
}

/// The output of the program between the line `sent` and the next one: the index of each line, and the moment at which
/// it came.
fn printed_after(run: &ProgramRun, sent: usize) -> impl Iterator<Item = (usize, u64)> {
    let lines = run.lines.iter().enumerate().skip(sent + 1);
    let own = lines.take_while(|(_, line)| !matches!(line, ProgramLine::Sent { .. }));
    own.filter_map(|(index, line)| match line {
        ProgramLine::Received(at, _) => Some((index, *at)),
        ProgramLine::Sent { .. } | ProgramLine::Closed(_) => None,
    })
}

/// The bytes by which the agent reports that it failed, in the protocol of the request; `None` if it has no such event, or if
/// only clients speak it here.
fn failure_frame(exchange: &RecordedExchange) -> Option<Bytes> {
    let body = exchange.body.as_bytes();
    let mut protocols = served_protocols_at(&exchange.path).into_iter();
    protocols
        .find_map(|protocol| protocol.read(body).ok())
        .map(|request| request.failure_frame(FAILURE))
        .filter(|frame| !frame.is_empty())
}

/// Whether the response `number` can end with an event for an agent that failed.
pub(super) fn can_report_failure(recorded: &Recorded, number: usize) -> bool {
    match places(recorded).nth(number) {
        Some((ResponsePlace::Exchange(number), _)) => {
            failure_frame(&recorded.exchanges[number]).is_some()
        }
        Some((ResponsePlace::Program { .. }, _)) | None => false,
    }
}

/// Gives the response `number` this fault. Returns `false` if there is no such response, or if it cannot have the fault.
pub(super) fn put(recorded: &mut Recorded, number: usize, fault: StreamFault) -> bool {
    let place = places(recorded).nth(number);
    match place {
        Some((ResponsePlace::Exchange(number), _)) => {
            put_into_exchange(&mut recorded.exchanges[number], fault)
        }
        Some((ResponsePlace::Program { run, sent }, _)) => {
            put_into_program(&mut recorded.programs[run], sent, fault)
        }
        None => false,
    }
}

/// The number of so many events that come in spite of the fault.
fn left(events: usize, fault: StreamFault) -> usize {
    match fault {
        StreamFault::Cut | StreamFault::Stall => events / 2,
        StreamFault::MissingEnd | StreamFault::Error => events.saturating_sub(1),
    }
}

fn put_into_exchange(exchange: &mut RecordedExchange, fault: StreamFault) -> bool {
    let failure = if fault == StreamFault::Error {
        failure_frame(exchange)
    } else {
        None
    };
    let RecordedResponse::Received { pieces, end, .. } = &mut exchange.answer else {
        return false;
    };
    let left = left(pieces.len(), fault);
    let removed = pieces.get(left).map(|(at, _)| *at);
    pieces.truncate(left);
    let last = pieces.last().map_or(0, |(at, _)| *at);
    pieces.extend(failure.map(|frame| (removed.unwrap_or(last), frame)));
    *end = match fault {
        StreamFault::Cut => BodyEnd::Broken(last, "connection reset by peer".to_owned()),
        StreamFault::Stall => BodyEnd::Left,
        StreamFault::MissingEnd | StreamFault::Error => BodyEnd::Complete,
    };
    true
}

/// The program prints nothing after the fault, in no turn.
fn put_into_program(run: &mut ProgramRun, sent: usize, fault: StreamFault) -> bool {
    let printed: Vec<(usize, u64)> = printed_after(run, sent).collect();
    let left = left(printed.len(), fault);
    let Some((removed, _)) = printed.get(left).copied() else {
        return false;
    };
    let last = left.checked_sub(1).map_or(0, |last| printed[last].1);
    run.end = match fault {
        StreamFault::Cut => ProgramRunEnd::Complete(last, Some(ExitStatus::Exit(1))),
        StreamFault::MissingEnd => ProgramRunEnd::Complete(last, Some(ExitStatus::Exit(0))),
        StreamFault::Stall => ProgramRunEnd::Left,
        StreamFault::Error => return false,
    };
    let printed_later = |index: usize, line: &ProgramLine| {
        index >= removed && matches!(line, ProgramLine::Received(..))
    };
    let lines = std::mem::take(&mut run.lines).into_iter().enumerate();
    run.lines = lines
        .filter(|(index, line)| !printed_later(*index, line))
        .map(|(_, line)| line)
        .collect();
    true
}

#[cfg(test)]
mod tests {
    use super::super::exchange::ExchangeKey;
    use super::*;

    fn run(lines: &[&str]) -> Recorded {
        let lines = (1..)
            .zip(lines)
            .map(|(at, line)| match line.split_once(' ') {
                Some(("turn", turn)) => ProgramLine::Sent {
                    turn: turn.parse().unwrap(),
                    line: "{}".to_owned(),
                    at,
                },
                _ => ProgramLine::Received(at, Bytes::copy_from_slice(line.as_bytes())),
            });
        let run = ProgramRun {
            key: ExchangeKey {
                turn: 1,
                lane: Lane::Agent,
                number: 1,
            },
            argv: Vec::new(),
            lines: lines.collect(),
            end: ProgramRunEnd::Complete(90, Some(ExitStatus::Exit(0))),
            stderr: None,
            note: None,
            closed: 99,
        };
        Recorded {
            programs: vec![run],
            ..Recorded::default()
        }
    }

    #[test]
    fn a_program_breaks_off_stalls_or_ends_before_its_last_line() {
        let recorded = run(&[
            "ready", "turn 1", "a", "turn 2", "b", "c", "d", "e", "turn 3", "f", "g",
        ]);
        assert_eq!(streams(&recorded).collect::<Vec<_>>(), [(0, 2), (1, 3)]);
        let ended = |at, code| ProgramRunEnd::Complete(at, Some(ExitStatus::Exit(code)));
        for (number, fault, printed, end) in [
            (0, StreamFault::Cut, "ready a b c", ended(6, 1)),
            (0, StreamFault::Stall, "ready a b c", ProgramRunEnd::Left),
            (0, StreamFault::MissingEnd, "ready a b c d", ended(7, 0)),
            (
                1,
                StreamFault::MissingEnd,
                "ready a b c d e f",
                ended(10, 0),
            ),
        ] {
            let mut faulty = recorded.clone();
            assert!(put(&mut faulty, number, fault), "{fault:?}");
            let lines = faulty.programs[0]
                .lines
                .iter()
                .filter_map(|line| match line {
                    ProgramLine::Received(_, line) => {
                        Some(String::from_utf8_lossy(line).into_owned())
                    }
                    ProgramLine::Sent { .. } | ProgramLine::Closed(_) => None,
                });
            assert_eq!(lines.collect::<Vec<_>>().join(" "), printed, "{fault:?}");
            assert_eq!(faulty.programs[0].end, end, "{fault:?}");
        }
        assert!(
            !can_report_failure(&recorded, 0) && !put(&mut recorded.clone(), 2, StreamFault::Cut)
        );
    }
}
