//! Holds the conversation of a trace again, with an agent that does what the trace shows: so it gets a recording like any other.
//!
//! Flows in: a conversation, and the target of a project that it was held with. Flows out: what was said, and the recording: the
//! responses that the agent would have sent in the protocol of the target. **Invariant:** nothing is sent, and a conversation
//! that a target cannot show is refused.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use ananke_agents::{HttpRequest, ServedResponse, TimedChange, served_protocols};
use ananke_base::context::{Context, lock};
use ananke_base::message::ClientInput;
use ananke_conversation::observed::ObservedConversation;
use ananke_lab::LabError;
use ananke_lab::record::{HeldConversation, KnownConversation, KnownTools, RecordRequest};
use ananke_trace::trace::Fact;

/// The turns that are not asked for yet.
type TracedRuns = Mutex<VecDeque<Vec<TimedChange>>>;

/// Holds `conversation` again as a test of this name.
///
/// # Errors
/// If it has no messages of the user, or cannot be recorded with the target.
pub(super) async fn hold_trace(
    context: &Context,
    request: &RecordRequest,
    name: &str,
    conversation: ObservedConversation,
) -> Result<HeldConversation, LabError> {
    let ObservedConversation { turns, shown, .. } = conversation;
    if !shown.has(Fact::UserText) {
        let message = format!("the conversation `{name}` does not show what the user said");
        return Err(LabError::refused(
            message,
            "a test has to say something: record messages in the trace",
        ));
    }
    let (plan, context) = request.blank_test(context, name, &[])?;
    let target = plan
        .cases
        .first()
        .map(|case| case.test.target.clone())
        .unwrap_or_default();
    let (inputs, answers): (VecDeque<_>, VecDeque<_>) = turns
        .into_iter()
        .map(|turn| (ClientInput::from(turn.input), turn.changes))
        .unzip();
    let answers = Arc::new(Mutex::new(answers));
    let left = Arc::clone(&answers);
    let known = KnownConversation {
        inputs,
        tools: KnownTools::default(),
    };
    let held = known
        .hold_again(context, plan, move |request| answer(request, &answers))
        .await?;
    if held.problem.is_none() && !lock(&left).is_empty() {
        let message = format!("what a trace shows cannot be replayed with the target `{target}`");
        return Err(LabError::refused(
            message,
            "name a target with `--target` whose agent is asked over HTTP, in a protocol that shows calls",
        ));
    }
    Ok(held)
}

/// The next answer of the agent, in the protocol of the request.
fn answer(request: &HttpRequest, answers: &TracedRuns) -> Result<ServedResponse, String> {
    let request = served_protocols().find_map(|protocol| protocol.read(&request.body).ok());
    // If a request has all of its conversation, the calls of an agent are not seen.
    let request = request.filter(|request| request.thread().is_some());
    let request =
        request.ok_or("what a trace shows cannot be said in the protocol of this target")?;
    let changes = lock(answers)
        .pop_front()
        .ok_or("the trace shows nothing more")?;
    Ok(request.response(&[changes]))
}
