//! The place where a rule is defined.

use std::sync::Arc;

use super::{Finding, RuleScope};
use ananke_base::diagnostic::{Excerpt, Place, SourceFile, Span};
use ananke_trace::outcome::{CaseWords, Level, RuleResult, RuleStatus};
use ananke_trace::trace::{EventNumber, Trace};

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

    /// The lines by which a person recognises the rule. A case is one line with all of its assertions: this one is shown alone.
    fn excerpt(&self) -> Excerpt {
        let written = self.written();
        match CaseWords::in_file(&self.place.file, &written) {
            Some(_) => Excerpt::of_line(self.place.line, &written),
            None => self.source.excerpt(&self.place),
        }
    }

    /// The rule `path` of this origin, as messages call it: an assertion of a case by its own type.
    pub fn named(&self, path: &str) -> String {
        match CaseWords::in_file(&self.place.file, &self.written()) {
            Some(CaseWords { kind, .. }) => format!("the assertion `{kind}` ({})", self.place),
            None => format!("the {} rule `{path}` ({})", self.level.as_str(), self.place),
        }
    }

    /// The rule `path` of this origin, which expects this, as one that passed.
    pub(crate) fn passed(&self, path: &'static str, expected: String) -> RuleResult {
        RuleResult::passed(
            path,
            self.level,
            self.place.clone(),
            (self.written(), expected),
        )
    }

    /// The same as one about which nothing is known, because of what is missing.
    pub(crate) fn not_shown(
        &self,
        path: &'static str,
        expected: String,
        missing: String,
    ) -> RuleResult {
        RuleResult {
            status: RuleStatus::NotShown,
            message: missing,
            ..self.passed(path, expected)
        }
    }

    /// The failure of the rule `path` of this origin, which judges `scope`; calls are shown as `trace` knows them now.
    pub(crate) fn failure(
        &self,
        path: &'static str,
        mut finding: Finding,
        trace: &Trace,
        scope: RuleScope,
    ) -> RuleResult {
        let (tool, differences) = finding.facts(trace);
        let Finding {
            message,
            expected,
            evidence,
            events,
            difference,
            help,
            measured,
            found,
            ..
        } = finding;
        let mut events: Vec<EventNumber> = events
            .into_iter()
            .map(|event| trace.numbered(event))
            .collect();
        events.sort_unstable();
        events.dedup();
        RuleResult {
            status: RuleStatus::Failed,
            tool,
            excerpt: self.excerpt(),
            message,
            measured,
            seen: evidence
                .into_iter()
                .map(|evidence| evidence.line(trace, scope))
                .collect(),
            found,
            differences,
            difference,
            help,
            events,
            ..self.passed(path, expected)
        }
    }
}
