//! The parts of a turn that its test gives it.

use crate::compile::PreparedTurn;
use ananke_base::message::{MessageId, RequestContext, ServerAnswers, TurnInput, TurnRequest};
use ananke_rules::{Block, TurnRules, inherit};

/// The parts of a turn that its test gives it: they travel with the test, so that a turn that is written nowhere is made
/// without its plan.
#[derive(Clone, Debug, Default)]
pub struct TurnDefaults {
    /// The context that the command line gives.
    pub(crate) given: RequestContext,
    /// The context that the test gives.
    pub(crate) of_test: RequestContext,
    /// The rules of the target.
    pub(crate) target: Block,
    /// The rules of the test.
    pub(crate) test: Block,
}

impl TurnDefaults {
    /// A turn in which `input` is sent, which the test has not written down.
    pub fn turn(&self, input: TurnInput) -> PreparedTurn {
        let mut context = RequestContext::default();
        self.complete(&mut context);
        let request = TurnRequest {
            id: None,
            input,
            message: MessageId::default(),
            timeout: None,
            context,
            answers: ServerAnswers::default(),
        };
        PreparedTurn {
            request,
            captures: Vec::new(),
        }
    }

    /// Adds what the command line and the test give to the context of a turn: the command line takes precedence over the
    /// turn, and the turn over the test.
    pub(crate) fn complete(&self, own: &mut RequestContext) {
        own.put_over(&self.of_test);
        let of_turn = std::mem::replace(own, self.given.clone());
        own.put_over(&of_turn);
    }

    /// The rules that apply to a turn whose own are `block`.
    pub(crate) fn rules(&self, block: Block) -> TurnRules {
        let mut inherited = inherit(&self.target, &self.test, &[block]);
        inherited.turns.pop().unwrap_or_default()
    }
}
