//! One request and what came back.

use std::ops::Range;

use super::{Outcome, Usage};
use crate::context::At;

/// One request to the agent and its answer.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The turn it belongs to, counted from 0.
    pub turn: usize,
    /// When the request was sent.
    pub sent: At,
    /// When the answer began.
    pub first_byte: Option<At>,
    /// The answer's HTTP status, where the protocol has one.
    pub status: Option<u16>,
    /// When the run ended: its last terminal event, else the end of the exchange.
    pub ended: Option<At>,
    /// The runs' ids as the agent gave them, in order.
    pub run_ids: Vec<String>,
    /// How the agent says that it ended.
    pub outcome: Option<Outcome>,
    /// What its runs took, once they ended; unknown of a run that ended well without telling.
    pub usage: Option<Usage>,
    /// Whether the outcome is that of an earlier run, told again: history.
    pub is_replay: bool,
    run_is_replay: bool,
    /// What the running run told so far.
    running_usage: Option<Usage>,
    run_has_ended: bool,
    /// The number of the event that ended it.
    pub(super) ended_by: Option<u32>,
}

/// One event as it arrived. Its number is its place in [`Trace::events`](super::Trace::events).
#[derive(Clone, Debug)]
pub struct Event {
    /// When it arrived.
    pub at: At,
    /// The exchange it belongs to.
    pub exchange: u16,
    /// Where its bytes are.
    pub(super) raw: Range<u32>,
    /// When the agent says that it came about, in microseconds of Unix time.
    pub(super) stamp: Option<u64>,
}

impl Exchange {
    pub(super) fn sent(turn: usize, at: At) -> Self {
        Self {
            turn,
            sent: at,
            first_byte: None,
            status: None,
            ended: None,
            run_ids: Vec::new(),
            outcome: None,
            usage: None,
            is_replay: false,
            run_is_replay: false,
            running_usage: None,
            run_has_ended: false,
            ended_by: None,
        }
    }

    /// The agent's time, in microseconds.
    pub fn micros(&self) -> u64 {
        self.ended.map_or(0, |ended| ended.0.saturating_sub(self.sent.0))
    }

    /// Takes the start of a run, or of an earlier one that is told again.
    pub(super) fn run_started(&mut self, id: Option<String>, is_replay: bool) {
        self.run_is_replay = is_replay;
        self.run_has_ended = false;
        self.run_ids.extend(id);
    }

    /// Takes what the running run took.
    pub(super) fn add_usage(&mut self, usage: Usage) {
        self.running_usage = Some(self.running_usage.unwrap_or_default() + usage);
    }

    /// Takes the end of a run: an error stays, whatever a later run of the same answer says, unless it is told again.
    pub(super) fn run_ended(&mut self, at: At, event: u32, outcome: Outcome) {
        (self.ended, self.ended_by) = (Some(at), Some(event));
        let is_first_end = !std::mem::replace(&mut self.run_has_ended, true);
        let owes = is_first_end && matches!(outcome, Outcome::Finished | Outcome::Interrupted(_));
        let usage = self.running_usage.take().or_else(|| owes.then_some(Usage::UNKNOWN));
        if let Some(usage) = usage {
            self.usage = Some(self.usage.unwrap_or_default() + usage);
        }
        if self.is_replay || !matches!(self.outcome, Some(Outcome::Error { .. })) {
            self.outcome = Some(outcome);
            self.is_replay = self.run_is_replay;
        }
    }
}
