//! The times for which the user waits: the gaps of a turn between its calls, and its first text, in the agent's own time.

use super::{Message, ToolCall, Trace, TurnRanges};

/// A time in a turn in which no call is open, and the calls before and after it; `None` is the start or end of the
/// turn.
#[derive(Debug)]
pub struct CallGap<'t> {
    /// Its start, in microseconds from the turn's start.
    pub since: u64,
    /// Its end, in the same unit.
    pub until: u64,
    /// The call whose end begins it.
    pub from: Option<&'t ToolCall>,
    /// The call whose start ends it.
    pub to: Option<&'t ToolCall>,
}

impl CallGap<'_> {
    /// The length of the gap, in microseconds.
    pub fn micros(&self) -> u64 {
        self.until.saturating_sub(self.since)
    }
}

impl Trace {
    /// The calls that were open in a turn, and when each was opened, in microseconds from the turn's start: first those of
    /// earlier turns that were answered in it.
    pub fn open_calls(&self, turn: &TurnRanges) -> impl Iterator<Item = (usize, u64)> {
        let started_before = turn.late_results.iter().map(|index| (*index, 0));
        let live = turn.calls.clone().filter(|index| self.is_live(*index));
        let started_now =
            live.map(|index| (index, self.agent_micros(turn, self.calls[index].started)));
        started_before.chain(started_now)
    }

    /// Start→first call, between calls, last call→end; no calls: the whole turn (SPEC 7.3). A gap may be empty.
    pub fn gaps(&self, turn: &TurnRanges) -> Vec<CallGap<'_>> {
        let end = self.turn_micros(turn);
        let mut calls: Vec<(&ToolCall, u64)> = self
            .open_calls(turn)
            .map(|(index, start)| (&self.calls[index], start))
            .collect();
        calls.sort_by_key(|(_, start)| *start);

        let mut gaps = Vec::with_capacity(calls.len() + 1);
        let (mut since, mut from) = (0, None);
        for (call, start) in calls {
            gaps.push(CallGap {
                since,
                until: start.max(since),
                from,
                to: Some(call),
            });
            let ended = self.agent_micros(turn, call.ended());
            if ended >= since {
                (since, from) = (ended, Some(call));
            }
        }
        gaps.push(CallGap {
            since,
            until: end.max(since),
            from,
            to: None,
        });
        gaps
    }

    /// The moment at which the first text of a turn arrived, in microseconds from its start, and the number of the event
    /// that opened its message.
    pub fn first_text(&self, turn: &TurnRanges) -> Option<(u64, u32)> {
        let messages = self.messages.get(turn.messages.clone()).unwrap_or_default();
        let said = messages.iter().filter(|message| Message::is_text(message));
        let (at, event) = said
            .filter_map(|message| Some((message.first_text?, message.opened)))
            .min()?;
        Some((self.agent_micros(turn, at), event))
    }
}
