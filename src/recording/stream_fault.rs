//! Faults in the responses of a recording: what comes when a connection breaks, stalls or ends too early, or when the agent
//! fails.

use bytes::Bytes;

use super::exchange::{BodyEnd, Recorded, RecordedExchange, RecordedResponse};
use crate::message::Lane;
use crate::target::served_protocols;

/// What an agent reports that fails.
const FAILURE: &str = "the model is overloaded";

/// What goes wrong with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// The connection breaks after half of the events.
    Cut,
    /// Nothing comes after half of the events, and the connection stays open.
    Stall,
    /// The last event is missing, and the response is complete.
    MissingEnd,
    /// The last event is the protocol's own for an agent that failed.
    Error,
}

/// The exchanges with the agent that have several events, each with its turn, counted from 1.
pub(super) fn streams(recorded: &Recorded) -> impl Iterator<Item = (usize, u32)> {
    let exchanges = recorded.exchanges.iter().enumerate();
    exchanges.filter(|(_, exchange)| pieces(exchange) > 1).map(|(number, exchange)| (number, exchange.turn))
}

fn pieces(exchange: &RecordedExchange) -> usize {
    match &exchange.answer {
        RecordedResponse::Received { pieces, end: BodyEnd::Complete, .. } if exchange.lane == Lane::Agent => {
            pieces.len()
        }
        _ => 0,
    }
}

/// The bytes by which the agent reports that it failed, in the protocol of the request; `None` if it has no such event, or if
/// only clients speak it here.
fn failure_frame(exchange: &RecordedExchange) -> Option<Bytes> {
    let mut requests = served_protocols().filter_map(|protocol| protocol.read(exchange.body.as_bytes()).ok());
    requests.next().map(|request| request.failure_frame(FAILURE)).filter(|frame| !frame.is_empty())
}

/// Whether the exchange `number` can end with an event for an agent that failed.
pub(super) fn can_report_failure(recorded: &Recorded, number: usize) -> bool {
    recorded.exchanges.get(number).and_then(failure_frame).is_some()
}

/// Puts the fault into the exchange `number`; `false` if there is no such response.
pub(super) fn put(recorded: &mut Recorded, number: usize, fault: StreamFault) -> bool {
    let Some(exchange) = recorded.exchanges.get_mut(number) else { return false };
    let failure = if fault == StreamFault::Error { failure_frame(exchange) } else { None };
    let RecordedResponse::Received { pieces, end, .. } = &mut exchange.answer else { return false };
    let left = match fault {
        StreamFault::Cut | StreamFault::Stall => pieces.len() / 2,
        StreamFault::MissingEnd | StreamFault::Error => pieces.len().saturating_sub(1),
    };
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
