//! A rule that passed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::level::Level;
use crate::diagnostic::Place;

/// A rule that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedRule {
    /// The rule's path in an assert block: `tools.forbid`, `timing.max_idle_ms`.
    pub rule: Cow<'static, str>,
    /// The scope it is defined on.
    pub level: Level,
    /// Where it was written.
    pub place: Place,
    /// What it requires, in words.
    pub wanted: String,
}
