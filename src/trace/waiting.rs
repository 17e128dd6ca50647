//! When the agent lets its user wait: a turn in, its gaps between calls and its first text out. In the agent's own time.

use super::{Message, ToolCall, Trace, Turn};

/// A stretch of a turn's time in which no call is open, and the calls it lies between; none stands for an end of the
/// turn.
#[derive(Debug)]
pub struct Gap<'t> {
    /// Where it begins, in microseconds from the turn's start.
    pub since: u64,
    /// Where it ends, in the same way.
    pub until: u64,
    /// The call whose end begins it.
    pub from: Option<&'t ToolCall>,
    /// The call whose start ends it.
    pub to: Option<&'t ToolCall>,
}

impl Gap<'_> {
    /// How long it is, in microseconds.
    pub fn micros(&self) -> u64 {
        self.until.saturating_sub(self.since)
    }
}

impl Trace {
    /// Start→first call, between calls, last call→end; no calls: the whole turn (SPEC 7.3). An empty gap is one too.
    pub fn gaps(&self, turn: &Turn) -> Vec<Gap<'_>> {
        let end = self.turn_micros(turn);
        let started_before = turn.answered.iter().map(|index| (&self.calls[*index], 0));
        let live = turn.calls.clone().filter(|index| self.is_live(*index)).map(|index| &self.calls[index]);
        let started_now = live.map(|call| (call, self.agent_micros(turn, call.started)));
        let mut calls: Vec<(&ToolCall, u64)> = started_before.chain(started_now).collect();
        calls.sort_by_key(|(_, start)| *start);

        let mut gaps = Vec::with_capacity(calls.len() + 1);
        let (mut since, mut from) = (0, None);
        for (call, start) in calls {
            gaps.push(Gap { since, until: start.max(since), from, to: Some(call) });
            let ended = self.agent_micros(turn, call.ended());
            if ended >= since {
                (since, from) = (ended, Some(call));
            }
        }
        gaps.push(Gap { since, until: end.max(since), from, to: None });
        gaps
    }

    /// When the first text of a turn came, in microseconds from its start, and the number of the event that opened its
    /// message; `None` where none came.
    pub fn first_text(&self, turn: &Turn) -> Option<(u64, u32)> {
        let messages = self.messages.get(turn.messages.clone()).unwrap_or_default();
        let said = messages.iter().filter(|message| Message::is_text(message));
        let (at, event) = said.filter_map(|message| Some((message.first_text?, message.opened))).min()?;
        Some((self.agent_micros(turn, at), event))
    }
}
