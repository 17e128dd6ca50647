//! The cost of a run so far, and the most that it may be.

use std::sync::Mutex;

use super::stopper::Reason;
use ananke_base::context::lock;
use ananke_base::text::Usd;
use ananke_trace::outcome::{Outcome, TokenTotals};

/// The cost of a run so far: of its agents, and of their helpers.
#[derive(Debug, Default)]
pub(crate) struct SpentCost(Mutex<Usd>);

impl SpentCost {
    /// Adds tokens that were used before the first test.
    pub(crate) fn add_before(&self, tokens: &TokenTotals) {
        let mut spent = lock(&self.0);
        *spent = *spent + tokens.usage.cost.known;
    }

    /// Adds the cost of a test; the reason to stop the run before the next one, if it is over `limit`, or if it is not known
    /// whether it is.
    pub(crate) fn add(&self, outcome: &Outcome, limit: Usd) -> Option<Reason> {
        let helpers = outcome.helpers.sum();
        let (_, tokens) = outcome.spent();
        let mut spent = lock(&self.0);
        *spent = *spent + tokens.usage.cost.known + helpers.usage.cost.known;
        if *spent > limit {
            let spent = *spent;
            return Some(Reason::CostLimit { spent, limit });
        }
        // A request that failed reports no tokens. It does not stop the run, since servers charge nothing for most of them.
        let mut turns = outcome.transcript.sent_turns();
        let is_unknown = turns.any(|turn| turn.usage.is_some() && !turn.cost_gaps.is_empty());
        if is_unknown || helpers.uncosted > 0 {
            Some(Reason::CostUnknown)
        } else {
            None
        }
    }
}
