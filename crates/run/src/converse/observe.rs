//! A test whose conversation was held before: its turns and its agent are those of the trace, its rules its own.

use std::sync::Arc;

use serde_json::Value;

use ananke_base::message::{MessageId, RequestContext, ServerAnswers, TurnRequest};
use ananke_conversation::observed::{ObservedAgent, ObservedConversation, ObservedTurn};
use ananke_plan::Prepared;
use ananke_plan::compile::{CompiledClientTools, PreparedTurn};
use ananke_trace::outcome::{ErrorKind, Problem, RuleResult};
use ananke_trace::trace::Fact;

/// Changes `prepared` so that its rules are evaluated on `conversation`, which was held before, and nothing is sent. Returns the
/// rules about facts that the conversation does not show.
///
/// # Errors
/// If a turn of the test uses a variable that an earlier turn captures, or has a condition: its rules are not known then.
pub(super) fn observe(
    prepared: &mut Prepared,
    conversation: ObservedConversation,
) -> Result<Vec<RuleResult>, Problem> {
    // A turn is `None` until the values that it needs are captured. Its rules may need them too, and nothing is captured here.
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
    // No turn of the conversation says whether it belongs to a conditional turn of the test.
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

    // `withhold` takes out the rules about facts that the conversation does not show: they would pass because the facts are
    // absent.
    let not_shown = prepared.rules.withhold(shown, turns.len());

    // The target replays the conversation. An agent whose name is not known has the name in the config. The changes of a state
    // start from the state in the config; a conversation that shows no state has none, or that state would be reported as the
    // agent's.
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

    // The turns are all that there is: no input follows them, no tool is executed, and no time is limited.
    prepared.simulation = None;
    prepared.actions = Vec::new();
    prepared.client_tools = CompiledClientTools::default();
    prepared.timeout = None;
    prepared.whole_timeout = None;
    Ok(not_shown)
}

/// A turn with the observed input. The rest of its request is empty, because the target replays the turn and reads no request.
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
