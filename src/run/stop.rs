//! Stopping a run before its end, and why.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why a run stops before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A test did not pass, and the run was to stop then.
    FailFast,
    /// Somebody interrupted it.
    Interrupted,
}

impl Reason {
    /// The words in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FailFast => "a test before it did not pass",
            Self::Interrupted => "the run was interrupted",
        }
    }
}

/// Stops a run; clones stop the same one.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    reason: Arc<OnceLock<Reason>>,
    token: CancellationToken,
}

impl Stopper {
    /// Stops the run: what runs is cut short, nothing more is started. The first reason stays.
    pub fn stop(&self, reason: Reason) {
        self.reason.get_or_init(|| reason);
        self.token.cancel();
    }

    /// Why the run stops, where it does.
    pub fn reason(&self) -> Option<Reason> {
        self.reason.get().copied()
    }

    /// Is cancelled when the run stops.
    pub(super) fn token(&self) -> &CancellationToken {
        &self.token
    }
}
