//! The turns of a test in the form that the page's script reads: all events in the order they began, the findings, and
//! the times at which the agent let its user wait.
//!
//! **Invariant:** bounded. A message, argument or result is as long as in its outcome, and a test has room for
//! [`ROOM`] bytes of them; the number of omitted lines is shown in their place. The events of a finding are always there.

use std::collections::BTreeSet;

use serde::Serialize;

use super::lines::{LineView, lines};
use super::{ProblemStory, RuleStory, findings, passed};
use crate::report::words::{checkpoints, sender, tokens};
use crate::run_document::{milliseconds, part};
use ananke_trace::outcome::{Gap, OpenInterrupt, Outcome, ReportedRunEnd, TimeLimits, TurnOutcome};
use ananke_trace::trace::{EventNumber, Peer};

/// The most bytes of messages and calls of one test in the page.
const ROOM: usize = 512 << 10;

/// The least room for the items of a turn, in bytes.
const ROOM_OF_A_TURN: usize = 8 << 10;

part! {
    /// One turn.
    #[derive(Debug, Serialize)]
    pub(crate) struct TurnStory<'a> of (
        turn: &'a TurnOutcome,
        cited: &BTreeSet<EventNumber>,
        room: usize,
        peer: Peer
    ) {
        let gap = |gap: &Gap| [gap.from_us, gap.to_us].map(milliseconds);
        number: u32 = turn.number;
        id?: &'a str = turn.id.as_deref();
        status: &'static str = turn.status_word();
        /// Why it was not sent.
        not_needed?: &'a str = turn.reason_not_needed();
        duration_ms?: f64 = turn.duration_us.map(milliseconds);
        input: &'a str = &turn.input;
        /// The name that a page has for the sender; nothing if a call of the transcript is the same.
        input_of?: &'static str = sender(peer, turn);
        /// The speaker, if it is not the test.
        speaker?: &'static str = checkpoints::speaker(turn.origin);
        lines: Vec<LineView<'a>> = lines(&turn.lines, cited, room, peer);
        /// The end of its run; an unexpected error is shown as the problem.
        end?: EarlyEnd<'a> = {
            let reported = turn.run_end.as_ref().filter(|_| turn.problem().is_none());
            reported.and_then(|reported| end(reported, peer))
        };
        problem?: ProblemStory<'a> = turn.problem().map(ProblemStory::of);
        findings*: Vec<RuleStory<'a>> = findings(turn.failures());
        passed*: Vec<RuleStory<'a>> = passed(turn.passed_rules());
        warnings*: &'a [String] = &turn.warnings;
        first_text_ms?: f64 = turn.timing.first_text_us.map(milliseconds);
        /// The beginning and the end of each.
        gaps*: Vec<[f64; 2]> = turn.timing.gaps.iter().flatten().map(gap).collect();
        limits: ExceededLimits = ExceededLimits::of(turn.timing.limits);
        tokens?: String = turn.usage.and_then(tokens::of_turn);
    }
}

part! {
    /// The limit, in milliseconds.
    #[derive(Debug, Serialize)]
    pub(crate) struct ExceededLimits of (limits: TimeLimits) {
        duration?: u64 = limits.duration_ms;
        idle?: u64 = limits.idle_ms;
        first_text?: u64 = limits.first_text_ms;
        tool?: u64 = limits.tool_ms;
    }
}

/// The end of a turn that was not completed.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum EarlyEnd<'a> {
    Error { message: &'a str },
    Cancelled { by: &'static str },
    Interrupted { interrupts: Vec<InterruptStory<'a>> },
}

part! {
    /// The interrupts that the agent waits for.
    #[derive(Debug, Serialize)]
    pub(crate) struct InterruptStory<'a> of (open: &'a OpenInterrupt) {
        id: &'a str = &open.id;
        asks?: &'a str = open.message.as_deref().or(open.reason.as_deref());
        tool?: &'a str = open.tool.as_deref();
    }
}

/// Every turn of `outcome`.
pub(crate) fn turns(outcome: &Outcome) -> Vec<TurnStory<'_>> {
    let cited: BTreeSet<EventNumber> = outcome
        .all_failures()
        .flat_map(|(_, failure)| failure.events.iter().copied())
        .collect();
    let room = (ROOM / outcome.transcript.turns.len().max(1)).max(ROOM_OF_A_TURN);
    outcome
        .transcript
        .turns
        .iter()
        .map(|turn| TurnStory::of(turn, &cited, room, outcome.transcript.peer))
        .collect()
}

fn end(end: &ReportedRunEnd, peer: Peer) -> Option<EarlyEnd<'_>> {
    match end {
        ReportedRunEnd::Finished => None,
        ReportedRunEnd::Error(message) => Some(EarlyEnd::Error { message }),
        ReportedRunEnd::Cancelled => Some(EarlyEnd::Cancelled { by: peer.noun() }),
        ReportedRunEnd::Interrupted(interrupts) => Some(EarlyEnd::Interrupted {
            interrupts: interrupts.iter().map(InterruptStory::of).collect(),
        }),
    }
}
