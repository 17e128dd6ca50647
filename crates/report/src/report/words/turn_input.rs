//! The sender of what a turn sends, in the words of reports.

use ananke_trace::outcome::{TranscriptLine, TurnOutcome};
use ananke_trace::trace::Peer;

/// The word before what a turn sends: `user`, or `request` to a server. `None` for a call to a tool of a server, which is in
/// the transcript as a call.
pub(crate) fn sender(peer: Peer, turn: &TurnOutcome) -> Option<&'static str> {
    let is_call = |line: &TranscriptLine| matches!(line, TranscriptLine::Calls(_));
    match peer {
        Peer::Agent => Some("user"),
        Peer::Server if turn.lines.iter().any(is_call) => None,
        Peer::Server => Some("request"),
    }
}
