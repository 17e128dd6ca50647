//! Names in reports: of tests, and of the sender of what a turn sends.

use ananke_trace::outcome::{Outcome, TranscriptLine, TurnOutcome};
use ananke_trace::trace::Peer;

/// The name of the test with its row: what follows the file in an id made of both, else the name and the id that was
/// given to it, if they differ, so that no two tests of a file are called the same.
pub(crate) fn title(outcome: &Outcome) -> String {
    let own = format!("::{}", outcome.test.name);
    match outcome.test.id.find(&own) {
        Some(at) => outcome.test.id[at + 2..].to_owned(),
        None if outcome.test.id == outcome.test.name => outcome.test.name.clone(),
        None => format!("{} ({})", outcome.test.name, outcome.test.id),
    }
}

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
