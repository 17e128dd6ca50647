//! The checks of a walk, before anything runs.

use crate::loaded::LoadedTest;
use ananke_base::diagnostic::{Code, Diagnostic, Span};

impl LoadedTest {
    /// Reports what cannot be combined with a walk, and a walk that cannot begin.
    pub(super) fn check_walk(&self, problems: &mut Vec<Diagnostic>) {
        let Some(walk) = &self.model.walk else { return };
        let mut report = |code: Code, span: Span, message: &str, help: &str| {
            problems.push(
                Diagnostic::error(code, message.to_owned())
                    .at(&self.source, span, "")
                    .help(help),
            );
        };
        for (span, message, help) in self.excluded_by_walk() {
            if let Some(span) = span {
                report(Code::Contradiction, span, message, help);
            }
        }
        for (name, _) in walk
            .value
            .actions
            .iter()
            .filter(|(name, _)| name.value.trim().is_empty())
        {
            report(
                Code::EmptyValue,
                name.span,
                "an action has no name",
                "give it a name",
            );
        }
        let snapshots = self
            .actions()
            .filter_map(|(_, turn)| turn.settings.assert.as_ref())
            .chain(&self.model.assert)
            .filter_map(|block| block.snapshot.as_ref());
        for snapshot in snapshots {
            let message = "each walk is another conversation: there is no one snapshot of them";
            report(
                Code::Contradiction,
                snapshot.span,
                message,
                "remove `snapshot`",
            );
        }
        let is_stuck = self.turns.is_empty()
            && self
                .actions()
                .all(|(_, turn)| turn.settings.needs.is_some());
        if is_stuck && let Some((first, _)) = walk.value.actions.iter().next() {
            let message = "no walk can begin: every action has `needs`, which nothing meets before the first turn";
            let help = "add an action without `needs`, or `turns`, which are sent before each walk";
            report(Code::Contradiction, first.span, message, help);
        }
    }

    /// The keys that cannot be combined with a walk: where each is, the reason, and what to do.
    fn excluded_by_walk(&self) -> [(Option<Span>, &'static str, &'static str); 4] {
        let model = &self.model;
        let two_tests = "keep one of them, or write two tests";
        [
            (
                model.simulate.as_ref().map(|written| written.span),
                "`simulate` and `walk` both say what the user does",
                two_tests,
            ),
            (
                model.interactive.as_ref().map(|written| written.span),
                "`interactive` and `walk` both say what the user does",
                two_tests,
            ),
            (
                model.runs.as_ref().map(|written| written.span),
                "`runs` cannot be combined with `walk`, which says how often in `walks`",
                "remove `runs`",
            ),
            (
                model.prohibitions.as_ref().map(|written| written.span),
                "`prohibitions` is about `runs`, which cannot be combined with `walk`",
                "remove `prohibitions`",
            ),
        ]
    }
}
