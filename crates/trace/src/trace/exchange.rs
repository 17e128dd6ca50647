//! Requests to the agent, and the events of their responses.

use super::{CostGap, RunEnd, Usage};
use ananke_base::context::At;

/// The most reasons that an exchange keeps: an agent may name a new model each time that it reports tokens.
const MOST_GAPS: usize = 10;

/// One request to the agent and its response.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The turn it belongs to, counted from 0.
    pub turn: usize,
    /// The moment at which the request was sent.
    pub sent: At,
    /// The moment at which the response began.
    pub first_byte: Option<At>,
    /// The HTTP status of the response, if the protocol has one.
    pub status: Option<u16>,
    /// The progress, in words, of a request whose response did not come in time.
    pub missing: Option<String>,
    /// The moment at which the run ended: its last terminal event, else the end of the exchange.
    pub ended: Option<At>,
    /// The runs' ids as the agent gave them, in order.
    pub run_ids: Vec<String>,
    /// The end of its last run, according to the agent.
    pub run_end: Option<RunEnd>,
    /// Whether its answer is not whole, according to the agent.
    pub is_truncated: bool,
    /// The tokens of its ended runs; unknown if a run finished without reporting them.
    pub usage: Option<Usage>,
    /// The reasons why some of their cost is not known, each once; at most [`MOST_GAPS`].
    pub(super) cost_gaps: Vec<CostGap>,
    /// Whether `run_end` is that of a replayed run.
    pub is_replay: bool,
    pub(super) running: RunningRun,
    /// The number of the event that ended it.
    pub(super) ended_by: Option<u32>,
}

/// The run of an exchange that began last.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningRun {
    pub(super) is_replay: bool,
    /// The usage that it has reported so far.
    usage: Option<Usage>,
    has_ended: bool,
}

/// One event as it arrived. Its number is its place in [`Trace::events`](super::Trace::events).
#[derive(Clone, Debug)]
pub struct Event {
    /// The moment of arrival.
    pub at: At,
    /// The exchange it belongs to.
    pub exchange: u16,
}

impl Exchange {
    pub(super) fn sent(turn: usize, at: At) -> Self {
        Self {
            turn,
            sent: at,
            first_byte: None,
            status: None,
            missing: None,
            ended: None,
            run_ids: Vec::new(),
            run_end: None,
            is_truncated: false,
            usage: None,
            cost_gaps: Vec::new(),
            is_replay: false,
            running: RunningRun::default(),
            ended_by: None,
        }
    }

    /// The agent's time, in microseconds.
    pub fn micros(&self) -> u64 {
        self.ended
            .map_or(0, |ended| ended.0.saturating_sub(self.sent.0))
    }

    /// Begins a run.
    pub(super) fn run_started(&mut self, id: Option<String>) {
        self.running.has_ended = false;
        self.run_ids.extend(id);
    }

    /// Adds tokens of the running run. `gap` is the reason why their cost is not known.
    pub(super) fn add_usage(&mut self, usage: Usage, gap: Option<CostGap>) {
        self.running.usage = Some(self.running.usage.unwrap_or_default() + usage);
        if let Some(gap) = gap
            && self.cost_gaps.len() < MOST_GAPS
            && !self.cost_gaps.contains(&gap)
        {
            self.cost_gaps.push(gap);
        }
    }

    /// Ends a run. An error is kept whatever a later run of the same response says, unless it is a replayed one.
    pub(super) fn run_ended(&mut self, at: At, event: u32, end: RunEnd) {
        (self.ended, self.ended_by) = (Some(at), Some(event));
        let is_first_end = !std::mem::replace(&mut self.running.has_ended, true);
        let owes = is_first_end
            && matches!(
                end,
                RunEnd::Finished | RunEnd::Interrupted(_) | RunEnd::Unknown(_)
            );
        let usage = self
            .running
            .usage
            .take()
            .or_else(|| owes.then_some(Usage::UNKNOWN));
        if let Some(usage) = usage {
            self.usage = Some(self.usage.unwrap_or_default() + usage);
        }
        if self.is_replay || !matches!(self.run_end, Some(RunEnd::Error { .. })) {
            self.run_end = Some(end);
            self.is_replay = self.running.is_replay;
        }
    }
}
