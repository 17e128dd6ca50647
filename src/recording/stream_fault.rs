//! Faults in the responses of a recording: what comes when a connection breaks, stalls or ends too early.

use super::exchange::{BodyEnd, Recorded, RecordedExchange, RecordedResponse};
use crate::message::Lane;

/// What goes wrong with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamFault {
    /// The connection breaks after half of the events.
    Cut,
    /// Nothing comes after half of the events, and the connection stays open.
    Stall,
    /// The last event is missing, and the response is complete.
    MissingEnd,
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

/// Puts the fault into the exchange `number`; `false` if there is no such response.
pub(super) fn put(recorded: &mut Recorded, number: usize, fault: StreamFault) -> bool {
    let Some(exchange) = recorded.exchanges.get_mut(number) else { return false };
    let RecordedResponse::Received { pieces, end, .. } = &mut exchange.answer else { return false };
    let left =
        if fault == StreamFault::MissingEnd { pieces.len().saturating_sub(1) } else { pieces.len() / 2 };
    pieces.truncate(left);
    let last = pieces.last().map_or(0, |(at, _)| *at);
    *end = match fault {
        StreamFault::Cut => BodyEnd::Broken(last, "connection reset by peer".to_owned()),
        StreamFault::Stall => BodyEnd::Left,
        StreamFault::MissingEnd => BodyEnd::Complete,
    };
    true
}
