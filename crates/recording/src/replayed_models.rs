//! The models of an attempt that is replayed: what was asked comes back, and nothing is asked.

use ananke_trace::outcome::Problem;
use ananke_trace::trace::ModelUse;

use super::replay::Replay;

/// The models of an attempt that is replayed.
#[derive(Clone)]
pub struct ReplayedModels(pub(super) Replay);

impl ReplayedModels {
    /// Begins the next exchange of the turn.
    pub fn begin_exchange(&self) {
        self.0.begin_model_exchange();
    }

    /// The happenings after so many steps of the exchange, and before.
    pub fn take(&self, step: u32) -> ModelUse {
        self.0.model_use(step)
    }

    /// Whether the exchange ended because a model had no answer.
    pub fn has_failed(&self) -> bool {
        self.0.has_model_failed()
    }

    /// The problem of a model that ended the attempt; `None` if there is none.
    pub fn problem(&self) -> Option<Problem> {
        self.0.model_problem()
    }
}
