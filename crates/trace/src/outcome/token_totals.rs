//! The tokens of several turns, and their cost: of the agent under test, and of its helpers.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use super::{ModelTotals, Transcript, TranscriptLine};
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
    /// The calls to models that were seen.
    #[serde(default)]
    pub model_calls: ModelTotals,
}

impl TokenTotals {
    /// The tokens of one conversation.
    pub fn of(transcript: &Transcript) -> Self {
        if transcript.peer == Peer::Server {
            return Self::default();
        }
        let turns = transcript.sent_turns();
        let turns = turns.map(|turn| Self::of_turn(turn.usage));
        let mut totals = turns.fold(Self::default(), Self::add);
        for line in transcript.turns.iter().flat_map(|turn| &turn.lines) {
            if let TranscriptLine::Asks(model) = line {
                totals.model_calls.count(model.answered_by);
            }
        }
        totals
    }

    /// The tokens of one turn; `None` if no run of it ended.
    pub fn of_turn(usage: Option<Usage>) -> Self {
        let reported = usage.filter(|usage| *usage != Usage::UNKNOWN);
        let usage = reported.unwrap_or_default();
        Self {
            usage,
            turns: 1,
            unreported: usize::from(reported.is_none()),
            uncosted: usize::from(reported.is_none() || usage.cost.is_partial),
            model_calls: ModelTotals::default(),
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
            model_calls: self.model_calls + more.model_calls,
        }
    }
}

/// The tokens of helpers by what they were asked for; a question counts as a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperTotals {
    /// Tokens of judges.
    pub judge: TokenTotals,
    /// Tokens of simulators, which play the user.
    pub simulator: TokenTotals,
    /// Tokens of generators of test cases.
    pub generator: TokenTotals,
}

impl HelperTotals {
    /// All of them, with the names of the roles.
    pub fn by_role(&self) -> [(&'static str, TokenTotals); 3] {
        [
            ("judge", self.judge),
            ("simulator", self.simulator),
            ("generator", self.generator),
        ]
    }

    /// The sum of all of them.
    pub fn sum(&self) -> TokenTotals {
        self.judge + self.simulator + self.generator
    }
}

impl Add for HelperTotals {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            judge: self.judge + more.judge,
            simulator: self.simulator + more.simulator,
            generator: self.generator + more.generator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(cost: Cost) -> Usage {
        Usage {
            cost,
            ..Usage::reported(Some(10), Some(5), None)
        }
    }

    fn known(parts: u64) -> Cost {
        Cost {
            known: Usd(parts),
            is_partial: false,
        }
    }

    #[test]
    fn a_cost_is_absent_partial_or_whole_and_never_0_for_want_of_a_price() {
        let whole = TokenTotals::of_turn(Some(usage(known(7))));
        let unpriced = TokenTotals::of_turn(Some(usage(Cost::UNKNOWN)));
        let untold = TokenTotals::of_turn(None);
        let free = TokenTotals::of_turn(Some(usage(known(0))));
        let partial = |parts| {
            Some(Cost {
                known: Usd(parts),
                is_partial: true,
            })
        };
        for (tokens, cost) in [
            (TokenTotals::default(), None),
            (unpriced + untold, None),
            (whole, Some(known(7))),
            (whole + whole, Some(known(14))),
            (whole + unpriced, partial(7)),
            (whole + untold, partial(7)),
            (free, Some(known(0))),
            (free + untold, partial(0)),
        ] {
            assert_eq!(tokens.cost(), cost, "{tokens:?}");
        }
    }
}
