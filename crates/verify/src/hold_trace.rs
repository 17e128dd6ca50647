//! Holds the conversation of a trace again, with an agent that does what the trace shows: so it gets a recording like any other.
//!
//! Flows in: a conversation, and the target of a project that it was held with. Flows out: what was said, and the recording: the
//! responses that the agent would have sent in the protocol of the target. **Invariant:** nothing is sent, and a conversation
//! that a target cannot show is refused.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use ananke_agents::{HttpRequest, ServedResponse, TimedChange, served_protocols};
use ananke_base::context::{Context, ManualClock};
use ananke_base::message::TurnInput;
use ananke_conversation::observed::ObservedConversation;
use ananke_lab::LabError;
use ananke_lab::record::{HeldConversation, KnownTransport, RecordRequest, hold};
use ananke_run::{
    ConversationDriver, ConversationOrigin, DriverRequest, Options, Run, event_channel,
};
use ananke_trace::outcome::TurnOutcome;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Fact, Trace};

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
    let clock = Arc::new(ManualClock::new(context.unix_ms()));
    let environment = Arc::clone(&plan.environment);
    let context = Context {
        environment,
        clock: Arc::clone(&clock) as _,
        ..context
    };
    let (inputs, answers): (VecDeque<_>, VecDeque<_>) = turns
        .into_iter()
        .map(|turn| (turn.input, turn.changes))
        .unzip();
    let answers = Arc::new(Mutex::new(answers));
    let left = Arc::clone(&answers);
    let transport = Arc::new(KnownTransport::new(clock, move |request| {
        answer(request, &answers)
    }));
    let (sender, events) = event_channel(1);
    let mut shared = Run::new(
        context,
        transport,
        plan.redactor.clone(),
        Options::default(),
        sender,
    );
    shared.conversations = ConversationOrigin::Driver(Arc::new(TraceUser {
        inputs: Mutex::new(inputs),
    }));
    let held = hold(shared, events, plan).await?;
    if held.problem.is_none() && !lock(&left).is_empty() {
        let message = format!("what a trace shows cannot be replayed with the target `{target}`");
        return Err(LabError::refused(
            message,
            "name a target with `--target` whose agent is asked over HTTP, in a protocol that shows calls",
        ));
    }
    Ok(held)
}

fn lock(answers: &TracedRuns) -> std::sync::MutexGuard<'_, VecDeque<Vec<TimedChange>>> {
    answers.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Says what the user of a trace said.
struct TraceUser {
    inputs: Mutex<VecDeque<TurnInput>>,
}

impl ConversationDriver for TraceUser {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: &str, _: Vec<String>, _: &Redactor) {}

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        let next = self
            .inputs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        Box::pin(std::future::ready(next.map(Into::into)))
    }

    fn ended(&self, _: &Trace, _: &TurnOutcome) {}
}
