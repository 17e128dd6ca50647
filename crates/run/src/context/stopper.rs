//! Stopping a run before its end, and why.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use ananke_base::text::Usd;
use ananke_trace::outcome::Lost;
use tokio_util::sync::CancellationToken;

/// The reason that a run stops before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A test did not pass, and the run was to stop then.
    FailFast,
    /// A signal interrupted the run.
    Interrupted,
    /// A server that the tests need ended.
    ServerEnded,
    /// The first tests got no complete answer.
    NoAnswer,
    /// A server or the `setup` of the config failed, before the first test.
    NotStarted,
    /// The tests so far cost more than the run may (`--max-cost`).
    CostLimit {
        /// The cost of the tests so far.
        spent: Usd,
        /// The amount of `--max-cost`.
        limit: Usd,
    },
    /// The cost of an earlier test is not known, so the amount left for further ones is not either.
    CostUnknown,
}

impl Reason {
    /// The words in reports.
    pub fn words(self) -> Cow<'static, str> {
        let words = match self {
            Self::FailFast => "an earlier test did not pass",
            Self::Interrupted => "the run was interrupted",
            Self::ServerEnded => "a server of the config ended",
            Self::NoAnswer => "no earlier test got a complete answer",
            Self::NotStarted => "what the config starts did not start",
            Self::CostLimit { spent, limit } => {
                let spent = spent.exact();
                let limit = limit.exact();
                return format!("the run had cost {spent}, and `--max-cost` is {limit}").into();
            }
            Self::CostUnknown => "what an earlier test cost is not known, which `--max-cost` needs",
        };
        words.into()
    }

    /// The resource that is missing to the tests that did not run, if it is that.
    pub(crate) fn lost(self) -> Option<Lost> {
        match self {
            Self::ServerEnded => Some(Lost::Server),
            Self::NoAnswer => Some(Lost::Agent),
            Self::CostLimit { .. } | Self::CostUnknown => Some(Lost::Budget),
            Self::FailFast | Self::Interrupted | Self::NotStarted => None,
        }
    }
}

/// Stops a run; clones stop the same one.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    reason: Arc<OnceLock<Reason>>,
    token: CancellationToken,
    interrupt: CancellationToken,
}

impl Stopper {
    /// Stops the run: running tests are aborted, no more are started. The first reason stays.
    pub fn stop(&self, reason: Reason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
        if reason == Reason::Interrupted {
            self.interrupt.cancel();
        }
    }

    /// Stops scheduling; running tests finish. The first reason stays.
    pub fn wind_down(&self, reason: Reason) {
        self.reason.get_or_init(|| reason);
    }

    /// The reason that the run stops, if it does.
    pub fn reason(&self) -> Option<Reason> {
        self.reason.get().copied()
    }

    /// Returns when the run is interrupted, whatever stopped it before.
    pub async fn interrupted(&self) {
        self.interrupt.cancelled().await;
    }

    /// The token that is cancelled when the run stops.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }
}
