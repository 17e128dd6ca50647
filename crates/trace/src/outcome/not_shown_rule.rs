//! A rule about which a trace shows nothing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::level::Level;
use ananke_base::diagnostic::Place;

/// A rule whose facts a trace does not contain. It has neither passed nor failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotShownRule {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: Cow<'static, str>,
    /// The scope it is defined on.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// The rule as it is written at that place, as YAML.
    pub written: String,
    /// What it requires, in words.
    pub wanted: String,
    /// What the trace does not show, as a sentence.
    pub lacks: String,
}

impl NotShownRule {
    /// The rule and why it is not evaluated, on one line.
    pub fn describe(&self) -> String {
        let Self {
            rule,
            level,
            place,
            wanted,
            lacks,
            ..
        } = self;
        format!(
            "not shown: {wanted} ({} rule {rule}, {place}): {lacks}",
            level.as_str()
        )
    }
}
