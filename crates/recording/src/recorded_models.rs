//! The happenings with the models of an agent, as a recording keeps them and a replay gives them back.
//!
//! Flows in: what was asked between two steps of the agent. Flows out: the same at the same step of a replay.
//! **Invariant:** nothing is given back before the step at which it was recorded, or after the end of its exchange.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use ananke_trace::outcome::Problem;
use ananke_trace::trace::ModelUse;

/// A place in a conversation: after so many steps of an exchange with the agent. Steps are frames of its response, and what was read
/// in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExchangeStep {
    /// The turn, counted from 1.
    pub(super) turn: u32,
    /// The number of the exchange in the turn, counted from 1.
    pub(super) exchange: u32,
    /// The number of steps before it; [`AFTER_LAST_STEP`] at the end of the exchange.
    pub(super) step: u32,
}

/// The place after everything that an exchange has.
pub const AFTER_LAST_STEP: u32 = u32::MAX;

/// The happenings with the models of one attempt.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RecordedModels {
    /// The happenings at each step, in their order.
    pub(super) used: VecDeque<(ExchangeStep, ModelUse)>,
    /// The exchange that ended because a model had no answer; `None` if there is none.
    pub(super) failed: Option<ModelPlace>,
    /// The problem that ended the attempt; `None` if it did not end with a problem of a model.
    pub(super) problem: Option<Problem>,
}

/// The place where a conversation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ModelPlace {
    /// The turn, counted from 1.
    pub(super) turn: u32,
    /// The number of the exchange in the turn, counted from 1.
    pub(super) exchange: u32,
}

impl ModelPlace {
    /// The place at the beginning of `turn`, counted from 1.
    pub(super) fn of_turn(turn: u32) -> Self {
        Self { turn, exchange: 0 }
    }

    pub(super) fn begin_exchange(&mut self) {
        self.exchange += 1;
    }

    /// The place after so many steps of the exchange.
    pub(super) fn at(self, step: u32) -> ExchangeStep {
        ExchangeStep {
            turn: self.turn,
            exchange: self.exchange,
            step,
        }
    }
}

impl RecordedModels {
    /// Takes the happenings up to a place.
    pub(super) fn take_until(&mut self, place: ExchangeStep) -> ModelUse {
        let mut all = ModelUse::default();
        while let Some((step, _)) = self.used.front()
            && *step <= place
            && let Some((_, used)) = self.used.pop_front()
        {
            all.extend(used);
        }
        all
    }

    /// Removes the happenings of a turn that is not needed.
    pub(super) fn pass_over_turn(&mut self, turn: u32) {
        self.used.retain(|(step, _)| step.turn != turn);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn passed(seconds: u64) -> ModelUse {
        ModelUse {
            passed: Duration::from_secs(seconds),
            ..ModelUse::default()
        }
    }

    #[test]
    fn happenings_come_back_at_their_step_and_never_after_their_exchange() {
        let mut place = ModelPlace::of_turn(1);
        place.begin_exchange();
        let mut models = RecordedModels::default();
        for (step, seconds) in [(0, 1), (2, 2), (AFTER_LAST_STEP, 4)] {
            models.used.push_back((place.at(step), passed(seconds)));
        }
        let mut next = place;
        next.begin_exchange();
        models.used.push_back((next.at(0), passed(8)));
        let mut taken = Vec::new();
        for at in [
            place.at(0),
            place.at(1),
            place.at(3),
            place.at(AFTER_LAST_STEP),
            next.at(0),
        ] {
            taken.push(models.take_until(at).passed.as_secs());
        }
        assert_eq!(taken, [1, 0, 2, 4, 8]);
    }

    #[test]
    fn happenings_of_a_turn_that_is_passed_over_are_dropped() {
        let mut models = RecordedModels::default();
        for turn in [1, 2] {
            let place = ModelPlace::of_turn(turn);
            models
                .used
                .push_back((place.at(0), passed(u64::from(turn))));
        }
        models.pass_over_turn(1);
        let used = models.take_until(ModelPlace::of_turn(2).at(0));
        assert_eq!(used, passed(2));
    }
}
