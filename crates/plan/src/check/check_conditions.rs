//! The checks of the conditions on which turns are sent.

use crate::loaded::LoadedTest;
use ananke_base::diagnostic::{Code, Diagnostic, Spanned};
use ananke_model::model::{ConditionWord, SentByTurn, Turn, WrittenCondition, resume_type_name};

impl LoadedTest {
    /// Reports conditions that rest on no turn, or that are met only when the turn cannot be sent.
    pub(super) fn check_conditions(&self, problems: &mut Vec<Diagnostic>) {
        for (index, turn) in self.turns.iter().enumerate() {
            let Some(condition) = &turn.value.settings.condition else {
                continue;
            };
            let problem = if index == 0 && self.messages.is_empty() {
                let message = "the first turn has an `if`, and no turn is before it";
                let help = "remove it, or begin the test with `messages`";
                (message.to_owned(), help.to_owned())
            } else if waits_in_vain(turn, condition) {
                let message = "`if: interrupted` is met only while an interrupt is open, and a user message cannot be sent then";
                let help = format!("answer it: `type: {}`", resume_type_name());
                (message.to_owned(), help)
            } else {
                continue;
            };
            let (message, help) = problem;
            let problem = Diagnostic::error(Code::Contradiction, message);
            problems.push(problem.at(&self.source, condition.span, "").help(help));
        }
    }
}

/// Whether a turn says something of the user, and is sent only while an interrupt is open.
fn waits_in_vain(turn: &Turn, condition: &Spanned<WrittenCondition>) -> bool {
    let says = match turn.sent {
        SentByTurn::User(_) => true,
        SentByTurn::Own(kind, _) => kind.said.is_some(),
        SentByTurn::Connect | SentByTurn::Resume(_) | SentByTurn::Continue => false,
    };
    let is_interrupted = matches!(
        condition.value,
        WrittenCondition::Word(ConditionWord::Interrupted)
    );
    says && is_interrupted
}
