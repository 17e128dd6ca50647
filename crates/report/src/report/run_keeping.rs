//! The news, for those who print how a run ended, whether it is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the run that goes on is kept. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct RunKeeping(Arc<AtomicBool>);

impl RunKeeping {
    /// That of a run which is kept unless it fails.
    pub(crate) fn begun() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Whether `ananke show` can show all of the run.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// A part of the run could not be written.
    pub(crate) fn fails(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
