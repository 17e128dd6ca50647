//! The changes to a conversation that its rules notice, for the coverage of a run.

use super::{Mutation, taped_mutants::TapedMutants};
use ananke_model::model::MutationOperator;
use ananke_run::coverage::{CallPart, NoticedChanges};
use ananke_run::{ConversationMutator, TapedConversation};
use ananke_trace::outcome::mutation::Fate;

/// The largest number of items of all changed tapes of one conversation together: a long one has fewer changes.
const MOST_ITEMS: usize = 5_000_000;

/// Changes conversations, and says which changes their rules notice.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoticedByRules;

impl ConversationMutator for NoticedByRules {
    fn noticed(&self, taped: TapedConversation) -> NoticedChanges {
        let mut noticed = NoticedChanges::default();
        // A pattern that is too large was found when the test ran.
        let Ok(mutants) = TapedMutants::of(taped) else {
            return noticed;
        };
        if mutants.unchanged.is_some() {
            return noticed;
        }
        let most = MOST_ITEMS / mutants.taped.items.len().max(1);
        for mutation in mutants.mutations().into_iter().take(most) {
            let parts = parts(&mutation);
            let is_interrupt = mutation.operator == MutationOperator::SkipInterrupt;
            if parts.is_empty() && !is_interrupt {
                continue;
            }
            match mutants.evaluate(&mutation) {
                Ok(Fate::Killed { .. }) => {}
                // The next turn answers an interrupt that does not come.
                Ok(Fate::KilledByProtocol(_)) if is_interrupt => {}
                _ => continue,
            }
            if is_interrupt {
                noticed.interrupt(mutation.turn);
            }
            for part in parts {
                noticed.call(mutation.event, part);
            }
        }
        noticed
    }
}

/// The parts of a call that a change is about.
fn parts(mutation: &Mutation) -> Vec<CallPart> {
    use MutationOperator as Operator;
    let argument = || {
        mutation
            .argument
            .clone()
            .map(CallPart::Argument)
            .into_iter()
            .collect()
    };
    match mutation.operator {
        Operator::DropCall => vec![CallPart::Ending, CallPart::Order],
        Operator::SwapCalls | Operator::MoveCall => vec![CallPart::Order],
        Operator::ResultError
        | Operator::ResultDenied
        | Operator::ResultEmpty
        | Operator::ResultValue => {
            vec![CallPart::Ending]
        }
        Operator::ChangeArgument
        | Operator::DropArgument
        | Operator::RetypeArgument
        | Operator::SwapIdentifier => argument(),
        _ => Vec::new(),
    }
}
