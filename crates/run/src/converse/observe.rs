//! A test whose conversation was held before: its turns and its agent are those of the trace, its rules its own.

use std::sync::Arc;

use serde_json::Value;

use ananke_base::message::{MessageId, RequestContext, ServerAnswers, TurnRequest};
use ananke_conversation::observed::{ObservedAgent, ObservedConversation, ObservedTurn};
use ananke_plan::Prepared;
use ananke_plan::compile::PreparedTurn;
use ananke_trace::outcome::{ErrorKind, Problem, RuleResult};
use ananke_trace::trace::Fact;

/// Puts `conversation` into `prepared` instead of what it would do. Returns the rules that it does not show.
///
/// # Errors
/// If a turn of the test waits for what an earlier one keeps, or is sent on a condition: nothing is known about its rules.
pub(super) fn observe(
    prepared: &mut Prepared,
    conversation: ObservedConversation,
) -> Result<Vec<RuleResult>, Problem> {
    // A turn that is filled late has rules that are filled late, too.
    if let Some(index) = prepared.turns.iter().position(Option::is_none) {
        let message = format!(
            "turn {} uses a variable that an earlier turn captures",
            index + 1
        );
        let help =
            "a trace is verified without captures: write the rule on the test, or without the variable"
                .to_owned();
        return Err(Problem::new(ErrorKind::Setup, message).help(help));
    }
    if let Some(index) = prepared.rules.conditional_turn() {
        let message = format!("turn {} has an `if`", index + 1);
        let help = "a trace is verified without conditions: write the rule on the test, or remove the turn";
        return Err(Problem::new(ErrorKind::Setup, message).help(help));
    }
    let ObservedConversation {
        thread_id,
        agent,
        started_unix_ms,
        history,
        turns,
        shown,
        warnings,
    } = conversation;

    // A rule about facts that the trace does not show has no verdict: it would pass for want of them.
    let not_shown = prepared.rules.withhold(shown, turns.len());

    // The target answers with what was observed. What the trace lacks is as the config says.
    let agent = if agent.is_empty() {
        prepared.target.agent().to_owned()
    } else {
        agent
    };
    let state = if shown.has(Fact::State) {
        prepared.target.state().clone()
    } else {
        Value::Null
    };
    prepared.turns = turns.iter().map(|turn| Some(prepared_turn(turn))).collect();
    prepared.target = Arc::new(ObservedAgent {
        peer: prepared.target.peer(),
        agent,
        state,
        started_unix_ms,
        turns,
    });
    prepared.history = history;
    prepared.thread_id = thread_id;
    prepared.warnings.extend(warnings);

    // Nothing is sent any more, so nothing follows the turns, executes tools, or takes too long.
    prepared.simulation = None;
    prepared.actions = Vec::new();
    prepared.client_tools = Vec::new();
    prepared.timeout = None;
    prepared.whole_timeout = None;
    Ok(not_shown)
}

fn prepared_turn(turn: &ObservedTurn) -> PreparedTurn {
    let request = TurnRequest {
        id: None,
        input: turn.input.clone(),
        message: MessageId::default(),
        timeout: None,
        context: RequestContext::default(),
        answers: ServerAnswers::default(),
    };
    PreparedTurn {
        request,
        captures: Vec::new(),
    }
}
