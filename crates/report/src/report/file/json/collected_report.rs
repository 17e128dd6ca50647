//! The report of a run as a value, for a program that this run asks: what a JSON file of the run contains.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::JsonReport;
use crate::report::Reporter;
use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// The largest report that is handed over, in bytes.
const LARGEST: u64 = 8 << 20;

/// Collects the report of a run.
pub struct CollectedReport {
    report: JsonReport,
    value: CollectedValue,
}

/// The collected report, once the run is over. Clones are the same value.
#[derive(Clone, Debug, Default)]
pub struct CollectedValue(Arc<Mutex<Option<Value>>>);

impl CollectedReport {
    /// A report that will be in `value`.
    ///
    /// # Errors
    /// If there is no room for temporary files.
    pub fn new(value: &CollectedValue) -> io::Result<Self> {
        Ok(Self {
            report: JsonReport::private()?,
            value: value.clone(),
        })
    }
}

impl CollectedValue {
    /// The report; `None` if the run has not ended.
    pub fn take(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Reporter for CollectedReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.report.event(event)?;
        if self.report.size()? <= LARGEST {
            return Ok(());
        }
        let message = format!(
            "the report is larger than the {} MiB that a reporter is given",
            LARGEST >> 20
        );
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.report.write(&mut bytes)?;
        let report = serde_json::from_slice(&bytes)?;
        *self.value.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
        Ok(())
    }
}
