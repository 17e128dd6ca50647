//! Where a rule is defined.

use std::sync::Arc;

use super::evaluation::Finding;
use ananke_base::diagnostic::{Place, SourceFile, Span};
use ananke_trace::outcome::{Failure, Level};
use ananke_trace::trace::Trace;

/// The level and the place that a rule is defined on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleOrigin {
    /// The level.
    pub level: Level,
    /// File and line.
    pub place: Place,
    /// The range of bytes in that file that is shown.
    pub span: Span,
    /// The range of bytes of the whole rule.
    pub whole: Span,
    /// The file itself.
    pub source: Arc<SourceFile>,
}

impl RuleOrigin {
    /// The rule as it is written, as YAML.
    pub(crate) fn written(&self) -> String {
        self.source.written(self.whole)
    }

    /// The failure of the rule `path` of this origin; calls are shown as `trace` knows them now.
    pub(crate) fn failure(&self, path: &str, finding: Finding, trace: &Trace) -> Failure {
        let Finding {
            message,
            expected,
            evidence,
            mut events,
            difference,
            help,
            measured,
        } = finding;
        events.sort_unstable();
        events.dedup();
        Failure {
            rule: path.to_owned(),
            level: self.level,
            is_prohibition: false,
            place: self.place.clone(),
            written: self.written(),
            excerpt: self.source.excerpt(&self.place),
            message,
            expected,
            measured,
            ruling: None,
            counts: None,
            seen: evidence
                .into_iter()
                .map(|evidence| evidence.line(trace))
                .collect(),
            difference,
            help,
            events,
        }
    }
}
