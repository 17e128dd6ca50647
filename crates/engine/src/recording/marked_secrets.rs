//! The secrets of an attempt, and the markers that stand for them in its recording.

use ananke_model::variables::Secret;
use ananke_trace::redact::{Markers, Redactor};

/// The secrets that are known by now: each that is added stays, so that a recording and its replay mark the same.
#[derive(Default)]
pub(super) struct MarkedSecrets {
    secrets: Vec<Secret>,
    /// Their markers.
    pub(super) markers: Markers,
}

impl MarkedSecrets {
    /// Adds `secrets`; `redactor` gives the patterns.
    pub(super) fn add(&mut self, secrets: &[Secret], redactor: &Redactor) {
        self.secrets.extend_from_slice(secrets);
        self.secrets.sort();
        self.secrets.dedup();
        self.markers = Markers::new(&self.secrets, redactor.patterns());
    }
}
