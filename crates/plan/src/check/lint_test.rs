//! The warnings about the rules of a test, of its target and of its checkpoints that mean nothing.

use crate::loaded::{FilledTest, LoadedTest, TargetContext};
use crate::project::{Config, TargetRules};
use ananke_base::diagnostic::{Code, Diagnostic, Spanned};
use ananke_model::model::{Scalar, Turn};
use ananke_rules::{Lint, LintContext, lint, lint_checkpoint};

impl LoadedTest {
    /// Warns about rules of the test and its target that mean nothing.
    pub(super) fn lint(
        &self,
        TargetContext { config, rules, .. }: TargetContext<'_>,
        draft: &FilledTest,
    ) -> Lint {
        let surroundings = self.surroundings(config, rules);
        lint(
            &rules.block,
            &draft.block,
            &draft.blocks_of_every_turn(),
            &surroundings,
        )
    }

    /// The surroundings of the rules of a test.
    fn surroundings<'s>(&'s self, config: &'s Config, rules: &'s TargetRules) -> LintContext<'s> {
        // A turn with a timeout of its own may take longer than the target says.
        let is_own = |turn: &Spanned<Turn>| turn.value.settings.timeout_ms.is_some();
        let whole_timeout_ms = match self.model.timeout_ms.as_ref().map(|ms| &ms.value) {
            Some(Scalar::Literal(ms)) => Some(ms.get()),
            Some(Scalar::Reference(_)) | None => None,
        };
        // A turn with a limit of its own is not bound by this one.
        let mut timeout = rules.timeout;
        if self.turns.iter().any(is_own) {
            timeout = None;
        }
        LintContext {
            whole_timeout_ms,
            config: &config.source,
            test: &self.source,
            name: self.model.name.span,
            timeout,
        }
    }

    /// Warns about the checkpoints of a simulated conversation.
    pub(super) fn lint_checkpoints(
        &self,
        draft: &FilledTest,
        TargetContext { config, rules, .. }: TargetContext<'_>,
        lint: &mut Lint,
    ) {
        let surroundings = self.surroundings(config, rules);
        let simulate = self.model.simulate.as_ref();
        let written = simulate
            .and_then(|simulate| simulate.value.checkpoints.as_deref())
            .unwrap_or_default();
        if !written.is_empty() {
            lint.certain
                .retain(|warning| warning.code != Code::AssertsNothing);
        }
        for (checkpoint, block) in written.iter().zip(&draft.checkpoints) {
            lint.certain.extend(lint_checkpoint(block, &surroundings));
            if block.only_prohibits() {
                let message = format!(
                    "the checkpoint `{}` is reached at once: it only says what must not happen",
                    checkpoint.id.value
                );
                let warning = Diagnostic::warning(Code::RequiresNothing, message);
                let warning = warning.at(&self.source, checkpoint.id.span, "");
                lint.certain
                    .push(warning.help("add what the turn that reaches it must have"));
            }
        }
    }
}
