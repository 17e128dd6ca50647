//! Where a rule is defined.

use std::sync::Arc;

use super::judge::Finding;
use crate::diagnostic::{Place, SourceFile, Span};
use crate::outcome::{Failure, Level};
use crate::trace::Trace;

/// The level and the place that a rule is defined on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The level.
    pub level: Level,
    /// File and line.
    pub place: Place,
    /// The range of bytes in that file.
    pub span: Span,
    /// The file itself.
    pub source: Arc<SourceFile>,
}

impl RuleOrigin {
    /// The failure of the rule `path` of this origin; calls are shown as `trace` knows them now.
    pub(crate) fn failure(&self, path: &str, finding: Finding, trace: &Trace) -> Failure {
        let Finding { message, expected, evidence, mut events, difference, help } = finding;
        events.sort_unstable();
        events.dedup();
        Failure {
            rule: path.to_owned(),
            level: self.level,
            place: self.place.clone(),
            excerpt: self.source.excerpt(&self.place),
            message,
            expected,
            seen: evidence.into_iter().flat_map(|evidence| evidence.lines(trace)).collect(),
            difference,
            help,
            events,
        }
    }
}
