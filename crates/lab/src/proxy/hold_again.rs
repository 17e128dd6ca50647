//! Holds a captured conversation again, with the agent's responses as they passed: so it gets a recording like any other.

use std::collections::VecDeque;
use std::sync::Mutex;

use super::captured_turns::{CapturedAnswer, CapturedTurns};
use super::recognized_answer::recognized_answer;
use super::{CapturedConversation, CapturedRequest};
use crate::lab_error::LabError;
use crate::record::{HeldConversation, KnownConversation, KnownTools, RecordRequest};
use ananke_agents::{HttpRequest, ServedResponse, Target};
use ananke_base::context::{Context, lock};
use ananke_plan::project::Variables;

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
        target,
        notes,
        ends,
    } = CapturedTurns::of(conversation);
    let tools = KnownTools::new(tools, answers);
    let (mut plan, context) = request.blank_test(context, name, &tools.written())?;
    plan.variables = variables.clone();
    plan.redactor.add(secrets);
    let left = Mutex::new(exchanges);
    let known = KnownConversation { inputs, tools };
    let held = known
        .hold_again(context, plan, move |request| {
            let mut left = lock(&left);
            match target.as_deref().and_then(Target::passing) {
                Some(passing) => recognized_answer(passing, request, &mut left),
                None => answer(request, &mut left),
            }
        })
        .await?;
    let held = HeldConversation { notes, ..held };
    Ok(HeldAgain { held, ends })
}

/// The next response that passed, with the ids of this request.
fn answer(
    request: &HttpRequest,
    left: &mut VecDeque<CapturedAnswer>,
) -> Result<ServedResponse, String> {
    let Some(CapturedAnswer {
        request: CapturedRequest::OfProtocol(protocol, captured),
        response,
    }) = left.pop_front()
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
