//! Holds a conversation again that was held before: so it gets a recording like any other.
//!
//! Flows in: what its user said, what the client-side tools answered, and what the agent responds again. Flows out: what
//! [`hold`] makes of every conversation. **Invariant:** nothing is sent, and time is virtual.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::{HeldConversation, KnownTools, KnownTransport, hold};
use crate::lab_error::LabError;
use ananke_agents::{HttpRequest, ServedResponse};
use ananke_base::context::{Context, ManualClock, lock};
use ananke_base::message::{ClientInput, ToolAnswer};
use ananke_plan::Plan;
use ananke_run::{
    ConversationDriver, ConversationOrigin, DriverRequest, Options, Run, event_channel,
};
use ananke_trace::outcome::TurnOutcome;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{ToolCall, Trace};

/// A conversation that was held before.
pub struct KnownConversation {
    /// The inputs of its turns.
    pub inputs: VecDeque<ClientInput>,
    /// The client-side tools.
    pub tools: KnownTools,
}

impl KnownConversation {
    /// Holds it again as the one test of `plan`, which has no turns, with an agent that gives `responses`.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub async fn hold_again(
        self,
        context: Context,
        plan: Plan,
        responses: impl Fn(&HttpRequest) -> Result<ServedResponse, String> + Send + Sync + 'static,
    ) -> Result<HeldConversation, LabError> {
        let clock = Arc::new(ManualClock::new(context.unix_ms()));
        let context = Context {
            environment: Arc::clone(&plan.environment),
            clock: Arc::clone(&clock) as _,
            ..context
        };
        let transport = Arc::new(KnownTransport::new(clock, responses));
        let (sender, events) = event_channel(1);
        let redactor = plan.redactor.clone();
        let mut shared = Run::new(context, transport, redactor, Options::default(), sender);
        let user = Arc::new(KnownUser {
            inputs: Mutex::new(self.inputs),
            tools: self.tools,
        });
        shared.conversations = ConversationOrigin::Driver(Arc::clone(&user) as _);
        // A run is large: it is put aside once, and not moved with every task.
        let held = Box::pin(hold(shared, events, plan)).await?;
        Ok(HeldConversation {
            client_tools: user.tools.written(),
            ..held
        })
    }
}

/// Says what the user said, and answers calls as the client did.
struct KnownUser {
    inputs: Mutex<VecDeque<ClientInput>>,
    tools: KnownTools,
}

impl ConversationDriver for KnownUser {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: &str, _: Vec<String>, redactor: &Redactor) {
        self.tools.mask(redactor);
    }

    fn next(&self) -> BoxFuture<'_, Option<DriverRequest>> {
        let next = lock(&self.inputs).pop_front();
        Box::pin(std::future::ready(next.map(Into::into)))
    }

    fn ended(&self, _: &Trace, _: &TurnOutcome) {}

    fn executes(&self, tool: &str) -> bool {
        self.tools.executes(tool)
    }

    fn execute<'a>(&'a self, call: &'a ToolCall) -> BoxFuture<'a, ToolAnswer> {
        let answer = self.tools.answer(call.name.as_str(), call.wire_id.as_ref());
        Box::pin(std::future::ready(answer))
    }
}
