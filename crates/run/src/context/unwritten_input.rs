//! The input after the written turns of a test, and its source.
//!
//! **Why:** After its written turns a test may go on with a simulator, a walk, a person or a program. They follow the
//! written turns and do not replace them, so that setting the scene by hand works the same with each.

use futures_util::future::BoxFuture;

use ananke_base::message::{ClientInput, PendingAnswer, TurnInput, UserContent};
use ananke_conversation::{ConversationSoFar, TimeLeft};
use ananke_plan::compile::PreparedTurn;
use ananke_rules::TurnRules;
use ananke_trace::outcome::{ErrorKind, Halt, InputDecision, InputOrigin, Problem, TurnOutcome};
use ananke_trace::trace::{RunEnd, Trace};

/// The input of a turn that is not written.
pub(crate) struct UnwrittenTurn {
    pub(crate) sends: UnwrittenRequest,
    /// The origin of the input.
    pub(crate) origin: InputOrigin,
    /// The rest of the time of the conversation, if that is limited.
    pub(crate) time_left: Option<TimeLeft>,
}

/// A request that is not one of the written turns.
pub(crate) enum UnwrittenRequest {
    /// One with the settings of the test.
    Says(TurnInput),
    /// The same, with what its request has in addition.
    Adds(Box<ClientInput>),
    /// One with settings and rules of its own.
    Prepared(Box<(PreparedTurn, TurnRules)>),
}

/// Says what the user says after the written turns.
pub(crate) trait UnwrittenInput: Send {
    /// The input of the user in the turn `number`, counted from 1; `None` if the conversation is over.
    ///
    /// # Errors
    /// If nothing is said, and the conversation is not over.
    fn next<'a>(
        &'a mut self,
        number: usize,
        so_far: ConversationSoFar<'a>,
    ) -> BoxFuture<'a, Result<Option<UnwrittenTurn>, Halt>>;

    /// A turn has ended, written or not.
    fn ended(&mut self, trace: &Trace, turn: &TurnOutcome) {
        let _ = (trace, turn);
    }

    /// Whether the agent waits for input after a turn that has ended, written or not; `None` if that does not matter.
    fn awaits(&mut self, trace: &Trace) -> Option<InputDecision> {
        let _ = trace;
        None
    }
}

/// The input with which a user's text is sent: the answer to the open interrupt if there is exactly one, else a message.
pub(crate) fn input_of(trace: &Trace, text: String) -> TurnInput {
    // With several open interrupts it is not clear which of them the text answers, so it is sent as a message.
    if let Some(exchange) = trace.exchanges.last()
        && let Some(RunEnd::Interrupted(open)) = &exchange.run_end
        && open.len() == 1
    {
        return TurnInput::Resume(vec![PendingAnswer::resolved(text)]);
    }
    TurnInput::User(UserContent::Text(text.into()))
}

/// The end of a conversation with the problem `message`; the help names the checkpoints that it did not reach.
pub(crate) fn failed(message: String, so_far: ConversationSoFar<'_>) -> Halt {
    let unreached = so_far.checkpoints.missing();
    // A message that begins like this is about the checkpoints, and has their names already.
    let help = if unreached.is_empty() || message.starts_with("missing") {
        None
    } else {
        let names = unreached.join(", ");
        Some(format!("these checkpoints were not reached: {names}"))
    };
    Problem {
        kind: ErrorKind::Conversation,
        message,
        help,
    }
    .into()
}

/// A conversation that has more turns than it may have.
pub(crate) fn too_many_turns(most: usize, so_far: ConversationSoFar<'_>) -> Halt {
    failed(format!("max turns ({most}) exceeded"), so_far)
}
