//! Holds a captured conversation again, with the agent's responses as they passed: so it gets a recording like any other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::captured_conversation::CapturedConversation;
use super::captured_transport::CapturedTransport;
use super::captured_turns::CapturedTurns;
use crate::context::{Context, ManualClock};
use crate::freeze::FreezeError;
use crate::message::TurnInput;
use crate::outcome::TurnEnd;
use crate::plan::Plan;
use crate::record::{HeldConversation, hold};
use crate::redact::Redactor;
use crate::run::{ConversationDriver, Options, Run, event_channel};
use crate::trace::Trace;

/// A captured conversation that was held again.
#[derive(Clone, Debug)]
pub struct HeldAgain {
    /// What was said, and its recording.
    pub held: HeldConversation,
    /// Why the conversation goes no further than this, if it did.
    pub ends: Option<String>,
}

/// Holds `conversation` again as the one test of `plan`, which has no turns. Nothing is sent.
///
/// # Errors
/// If it cannot be recorded.
pub async fn hold_again(
    context: &Context,
    plan: Plan,
    conversation: CapturedConversation,
) -> Result<HeldAgain, FreezeError> {
    let CapturedTurns { inputs, exchanges, ends } = CapturedTurns::of(conversation);
    let clock = Arc::new(ManualClock::new(context.unix_ms()));
    let environment = Arc::clone(&plan.environment);
    let context = Context { environment, clock: Arc::clone(&clock) as _, ..context.clone() };
    let (sender, events) = event_channel(1);
    let transport = Arc::new(CapturedTransport::new(clock, exchanges));
    let mut shared = Run::new(context, transport, plan.redactor.clone(), Options::default(), sender);
    shared.driver = Some(Arc::new(CapturedClient(Mutex::new(inputs))));
    let held = hold(shared, events, plan).await?;
    Ok(HeldAgain { held, ends })
}

/// Says what the client of the proxy said.
struct CapturedClient(Mutex<VecDeque<TurnInput>>);

impl ConversationDriver for CapturedClient {
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    fn begins(&self, _: Vec<String>, _: &Redactor) {}

    fn next(&self) -> BoxFuture<'_, Option<TurnInput>> {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(std::future::ready(next))
    }

    fn ended(&self, _: &Trace, _: &TurnEnd) {}
}
