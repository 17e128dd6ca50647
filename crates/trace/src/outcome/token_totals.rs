//! The tokens of several turns.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::Transcript;
use crate::trace::{Peer, Usage};

/// The tokens of several turns, and how many of these turns reported none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenTotals {
    /// The sum of what was reported.
    pub usage: Usage,
    /// The number of turns that an agent was asked in; a server has no tokens, so its turns are not counted.
    pub turns: usize,
    /// The number of them that reported no tokens.
    pub unreported: usize,
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
        Self {
            usage,
            turns,
            unreported: turns - reported,
        }
    }
}

impl Add for TokenTotals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            usage: self.usage + more.usage,
            turns: self.turns + more.turns,
            unreported: self.unreported + more.unreported,
        }
    }
}
