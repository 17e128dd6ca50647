//! Durations, times, names and paths as reports write them.

pub(super) mod checkpoints;
pub(super) mod links;
pub(super) mod measured;
pub(super) mod picks;
pub(super) mod record_again;
pub(super) mod rerun;
pub(super) mod ruling;
pub(super) mod run_facts;
pub(super) mod stability;
pub(super) mod tokens;
pub(super) mod walks;

use ananke_trace::outcome::{ErrorKind, Outcome, TranscriptLine, TurnOutcome};
use ananke_trace::process::in_one_line;
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

/// The finding of the headline on one line. The facts of a model's problem are omitted, because each has a line of its own.
pub(crate) fn headline_in_one_line(outcome: &Outcome) -> Option<String> {
    let (kind, message) = outcome.headline()?;
    if kind == ErrorKind::Model.as_str() {
        let sentence = message.lines().next().unwrap_or_default();
        return Some(sentence.to_owned());
    }
    Some(in_one_line(message))
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
