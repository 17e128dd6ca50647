//! The tokens of several turns, and their cost.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::Transcript;
use ananke_base::text::Usd;

use crate::trace::{Cost, Peer, Usage};

/// The tokens of several turns, and how many of these turns reported none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenTotals {
    /// The sum of what was reported.
    pub usage: Usage,
    /// The number of turns that an agent was asked in; a server has no tokens, so its turns are not counted.
    pub turns: usize,
    /// The number of them that reported no tokens.
    pub unreported: usize,
    /// The number of them whose cost is not known, or not all of it.
    pub uncosted: usize,
}

impl TokenTotals {
    /// The tokens of one conversation.
    pub fn of(transcript: &Transcript) -> Self {
        if transcript.peer == Peer::Server {
            return Self::default();
        }
        let used = transcript
            .sent_turns()
            .filter_map(|turn| turn.usage)
            .filter(|usage| *usage != Usage::UNKNOWN);
        let (reported, usage) = used.fold((0, Usage::default()), |(count, sum), own| {
            (count + 1, sum + own)
        });
        let turns = transcript.sent_turns().count();
        let costed = transcript.sent_turns().filter(|turn| match turn.usage {
            Some(usage) => !usage.cost.is_partial,
            None => false,
        });
        Self {
            usage,
            turns,
            unreported: turns - reported,
            uncosted: turns - costed.count(),
        }
    }

    /// The cost of all these turns; `None` if nothing of it is known, or if there are none.
    pub fn cost(&self) -> Option<Cost> {
        let known = self.usage.cost.known;
        if self.uncosted == self.turns && known == Usd(0) {
            return None;
        }
        Some(Cost {
            known,
            is_partial: self.uncosted > 0,
        })
    }
}

impl Add for TokenTotals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            usage: self.usage + more.usage,
            turns: self.turns + more.turns,
            unreported: self.unreported + more.unreported,
            uncosted: self.uncosted + more.uncosted,
        }
    }
}
