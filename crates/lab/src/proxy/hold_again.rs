//! Holds a captured conversation again, with the agent's responses as they passed: so it gets a recording like any other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::captured_turns::{CapturedAnswer, CapturedTurns};
use super::{CapturedConversation, captured_tools::CapturedTools};
use crate::lab_error::LabError;
use crate::record::{HeldConversation, KnownTransport, RecordRequest, hold};
use ananke_agents::{HttpRequest, ServedResponse};
use ananke_base::context::{Context, ManualClock};
use ananke_base::message::{ToolAnswer, TurnInput};
use ananke_plan::project::Variables;
use ananke_run::{
    ConversationDriver, ConversationOrigin, DriverRequest, Options, Run, event_channel,
};
use ananke_trace::outcome::TurnOutcome;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{ToolCall, Trace};

/// A captured conversation that was held again.
#[derive(Clone, Debug)]
pub struct HeldAgain {
    /// The conversation and its recording.
    pub held: HeldConversation,
    /// The reason that the conversation ends here, if it did.
    pub ends: Option<String>,
}

/// Holds `conversation` again as a test of this name that has no turns, with the `variables` of the project. Nothing is sent.
/// `secrets` are in nothing that comes of it.
///
/// # Errors
/// If it cannot be recorded.
pub async fn hold_again(
    context: &Context,
    request: &RecordRequest,
    name: &str,
    variables: &Variables,
    secrets: &[String],
    conversation: CapturedConversation,
) -> Result<HeldAgain, LabError> {
    let CapturedTurns {
        inputs,
        exchanges,
        tools,
        answers,
        ends,
    } = CapturedTurns::of(conversation);
    let tools = CapturedTools::new(tools, answers);
    let (mut plan, context) = request.blank_test(context, name, &tools.written())?;
    plan.variables = variables.clone();
    plan.redactor.add(secrets);
    let clock = Arc::new(ManualClock::new(context.unix_ms()));
    let environment = Arc::clone(&plan.environment);
    let context = Context {
        environment,
        clock: Arc::clone(&clock) as _,
        ..context
    };
    let (sender, events) = event_channel(1);
    let left = Mutex::new(exchanges);
    let transport = Arc::new(KnownTransport::new(clock, move |request| {
        answer(request, &left)
    }));
    let mut shared = Run::new(
        context,
        transport,
        plan.redactor.clone(),
        Options::default(),
        sender,
    );
    let client = Arc::new(CapturedClient {
        inputs: Mutex::new(inputs),
        tools,
    });
    shared.conversations = ConversationOrigin::Driver(Arc::clone(&client) as _);
    let held = hold(shared, events, plan).await?;
    let held = HeldConversation {
        client_tools: client.tools.written(),
        ..held
    };
    Ok(HeldAgain { held, ends })
}

/// The next response that passed, with the ids of this request.
fn answer(
    request: &HttpRequest,
    left: &Mutex<VecDeque<CapturedAnswer>>,
) -> Result<ServedResponse, String> {
    let answer = left
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .pop_front();
    let Some(CapturedAnswer {
        protocol,
        request: captured,
        response,
    }) = answer
    else {
        return Err("the client of the proxy asked nothing more".to_owned());
    };
    let mut response = captured.streamed(response);
    if let Ok(now) = protocol.read(&request.body) {
        for frame in &mut response.frames {
            frame.bytes = now.adopted(&*captured, &frame.bytes);
        }
    }
    Ok(response)
}

/// Says what the client of the proxy said, and answers calls as it did.
struct CapturedClient {
    inputs: Mutex<VecDeque<TurnInput>>,
    tools: CapturedTools,
}

impl ConversationDriver for CapturedClient {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: &str, _: Vec<String>, redactor: &Redactor) {
        self.tools.mask(redactor);
    }

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        let next = self
            .inputs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        Box::pin(std::future::ready(next.map(Into::into)))
    }

    fn ended(&self, _: &Trace, _: &TurnOutcome) {}

    fn executes(&self, tool: &str) -> bool {
        self.tools.executes(tool)
    }

    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(std::future::ready(
            self.tools.answer(call.name.as_str(), call.wire_id.as_ref()),
        ))
    }
}
