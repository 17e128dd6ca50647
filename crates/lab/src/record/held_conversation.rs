//! Holds a conversation that a driver leads, and keeps its recording in memory.
//!
//! Flows in: a run with a driver, and the plan of a test without turns. Flows out: what was said, and the recording. Nothing is
//! written.

use std::sync::Arc;

use serde_json::Value;

use crate::lab_error::LabError;
use ananke_base::message::ClientInput;
use ananke_plan::Plan;
use ananke_run::{ConversationLog, EventReceiver, MemoryRecording, Run, RunAnswers, run_one};
use ananke_trace::outcome::{Outcome, Problem, Status};

/// A conversation that is over, secrets masked.
#[derive(Clone, Debug)]
pub struct HeldConversation {
    /// The inputs of the turns that ended as they should.
    pub inputs: Vec<ClientInput>,
    /// The name of the target that it was held with.
    pub target: String,
    /// The text of its recording.
    pub recording: String,
    /// The client-side tools that the test has of its own, as it writes them, with their mocks.
    pub client_tools: Vec<Value>,
    /// The parts of it that a test of it does not have, in words.
    pub notes: Vec<String>,
    /// The reason that the turn after these did not end as it should, if there was one.
    pub problem: Option<Problem>,
}

/// Holds the conversation of the one test of `plan`, whose events go to `events`.
///
/// # Errors
/// If it was stopped, or cannot be recorded.
pub async fn hold(
    mut shared: Run,
    events: EventReceiver,
    plan: Plan,
) -> Result<HeldConversation, LabError> {
    let (log, kept) = (ConversationLog::default(), MemoryRecording::default());
    shared.answers = RunAnswers::InMemory(kept.clone());
    shared.taps = vec![Arc::new(log.clone())];
    let case = plan.cases.first();
    let target = case
        .map(|case| case.test.target.clone())
        .unwrap_or_default();
    let outcome = run_one(shared, plan, events).await;
    let (Some(recording), Some(outcome)) = (kept.take()?, outcome) else {
        let message = "the conversation was stopped: nothing was written".to_owned();
        return Err(LabError::Refused {
            message,
            help: None,
        });
    };
    let turns = log.take().turns.into_iter().take(complete_turns(&outcome));
    let inputs = turns.map(|turn| ClientInput {
        input: turn.input,
        request: turn.request,
    });
    let problem = outcome.first_problem().map(|(_, problem)| problem.clone());
    Ok(HeldConversation {
        inputs: inputs.collect(),
        target,
        recording,
        client_tools: Vec::new(),
        notes: Vec::new(),
        problem,
    })
}

/// The number of turns that ended as they should, before the first that did not.
fn complete_turns(outcome: &Outcome) -> usize {
    let turns = outcome.transcript.turns.iter();
    turns
        .take_while(|turn| turn.problem().is_none() && turn.status() == Status::Passed)
        .count()
}
