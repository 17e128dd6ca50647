//! What happened in the turns of a test, as the page's script is given it: everything in the order it began, what is
//! wrong, and when the agent let its user wait.
//!
//! **Invariant:** bounded. A message, argument or result is as long as in its outcome, and a test has room for
//! [`ROOM`] bytes of them; the number of omitted lines is shown in their place. The events of a finding are always there.

use std::collections::BTreeSet;

use serde::Serialize;

use super::findings::{ProblemStory, RuleStory, findings, passed, problem};
use super::lines::{LineView, lines};
use crate::report::words::checkpoints;
use crate::report::words::duration::milliseconds;
use crate::report::words::tokens;
use crate::report::words::turn_input::sender;
use ananke_trace::outcome::{Gap, OpenInterrupt, Outcome, ReportedRunEnd, TimeLimits, TurnOutcome};
use ananke_trace::trace::Peer;

/// The most bytes of messages and calls of one test in the page.
const ROOM: usize = 512 << 10;

/// How much of it a turn always has room for.
const ROOM_OF_A_TURN: usize = 8 << 10;

/// One turn.
#[derive(Debug, Serialize)]
pub(crate) struct TurnStory<'a> {
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    input: &'a str,
    /// What a page calls who sent it; nothing if a call of the transcript is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_of: Option<&'static str>,
    /// Who said it, where that is not the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<&'static str>,
    lines: Vec<LineView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EarlyEnd<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemStory<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<RuleStory<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed: Vec<RuleStory<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    first_text_ms: Option<f64>,
    /// Where each begins and ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<[f64; 2]>,
    limits: ExceededLimits,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<String>,
}

/// What was allowed, in milliseconds.
#[derive(Debug, Serialize)]
struct ExceededLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_text: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<u64>,
}

/// How a turn ended otherwise than by being done.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum EarlyEnd<'a> {
    Error { message: &'a str },
    Cancelled { by: &'static str },
    Interrupted { interrupts: Vec<InterruptStory<'a>> },
}

/// What the agent waits for.
#[derive(Debug, Serialize)]
struct InterruptStory<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    asks: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
}

/// Every turn of `outcome`.
pub(crate) fn turns(outcome: &Outcome) -> Vec<TurnStory<'_>> {
    let cited: BTreeSet<u32> = outcome
        .all_failures()
        .flat_map(|(_, failure)| failure.events.iter().copied())
        .collect();
    let room = (ROOM / outcome.transcript.turns.len().max(1)).max(ROOM_OF_A_TURN);
    outcome
        .transcript
        .turns
        .iter()
        .map(|turn| self::turn(turn, &cited, room, outcome.transcript.peer))
        .collect()
}

fn turn<'a>(
    turn: &'a TurnOutcome,
    cited: &BTreeSet<u32>,
    room: usize,
    peer: Peer,
) -> TurnStory<'a> {
    let TimeLimits {
        duration_ms,
        idle_ms,
        first_text_ms,
        tool_ms,
    } = turn.timing.limits;
    let gap = |Gap { from_us, to_us }: &Gap| [milliseconds(*from_us), milliseconds(*to_us)];
    TurnStory {
        number: turn.number,
        id: turn.id.as_deref(),
        status: turn.status().as_str(),
        duration_ms: turn.duration_us.map(milliseconds),
        input: &turn.input,
        input_of: sender(peer, turn),
        speaker: checkpoints::speaker(turn.origin),
        lines: lines(&turn.lines, cited, room, peer),
        // An unexpected error is shown as the problem.
        end: turn
            .run_end
            .as_ref()
            .filter(|_| turn.problem().is_none())
            .and_then(|reported| end(reported, peer)),
        problem: turn.problem().map(problem),
        findings: findings(turn.failures()),
        passed: passed(turn.passed_rules()),
        warnings: &turn.warnings,
        first_text_ms: turn.timing.first_text_us.map(milliseconds),
        gaps: turn.timing.gaps.iter().flatten().map(gap).collect(),
        limits: ExceededLimits {
            duration: duration_ms,
            idle: idle_ms,
            first_text: first_text_ms,
            tool: tool_ms,
        },
        tokens: turn.usage.and_then(tokens::of_turn),
    }
}

fn end(end: &ReportedRunEnd, peer: Peer) -> Option<EarlyEnd<'_>> {
    match end {
        ReportedRunEnd::Finished => None,
        ReportedRunEnd::Error(message) => Some(EarlyEnd::Error { message }),
        ReportedRunEnd::Cancelled => Some(EarlyEnd::Cancelled { by: peer.noun() }),
        ReportedRunEnd::Interrupted(interrupts) => Some(EarlyEnd::Interrupted {
            interrupts: interrupts.iter().map(interrupt).collect(),
        }),
    }
}

fn interrupt(open: &OpenInterrupt) -> InterruptStory<'_> {
    let OpenInterrupt {
        id,
        reason,
        message,
        tool,
    } = open;
    InterruptStory {
        id,
        asks: message.as_deref().or(reason.as_deref()),
        tool: tool.as_deref(),
    }
}
