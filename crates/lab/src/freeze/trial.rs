//! A test that is run once in this process, and reported to no one.
//!
//! Flows in: a plan with one test, and the recording that it is replayed from, if there is one. Flows out: its outcome, and
//! the conversation. Nothing is sent and nothing is written.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::lab_error::LabError;
use ananke_agents::{ClientEvent, HttpRequest, Received, Reply, TargetError, Transport};
use ananke_base::context::{At, Context};
use ananke_model::settings::RunSettings;
use ananke_plan::{Plan, Planned, Selection, plan};
use ananke_recording::KeptRecording;
use ananke_run::{
    ConversationLog, ConversationTape, LoggedConversation, Options, Run, RunAnswers,
    TapedConversation, event_channel, run_one,
};
use ananke_trace::outcome::Outcome;
use ananke_trace::redact::Redactor;

/// The result of a test.
#[derive(Debug)]
pub struct HeldTest {
    /// The outcome, secrets masked.
    pub outcome: Outcome,
    /// The data that was sent and received.
    pub conversation: LoggedConversation,
    /// The same with the rules that watched it.
    pub taped: TapedConversation,
}

/// The plan of the one test `id`, whose file is the only one that is read.
///
/// # Errors
/// Those of [`planned`].
pub(crate) fn planned_alone(
    context: &Context,
    selection: &Selection,
    id: &str,
) -> Result<Plan, LabError> {
    let selection = Selection {
        paths: vec![PathBuf::from(id)],
        ..selection.clone()
    };
    planned(context, &selection, id)
}

/// The plan of the one test `id`.
///
/// # Errors
/// If there is no such test, or something is wrong with its files.
pub fn planned(context: &Context, selection: &Selection, id: &str) -> Result<Plan, LabError> {
    let Planned {
        plan,
        problems,
        redactor,
        ..
    } = plan(context, selection, &Redactor::default());
    let Some(mut plan) = plan else {
        return Err(LabError::Broken(problems, redactor));
    };
    plan.cases.retain(|case| case.id() == id);
    if plan.cases.is_empty() {
        let help = "was the test renamed or deleted? run it again with `--record`".to_owned();
        return Err(LabError::refused(format!("there is no test `{id}`"), help));
    }
    plan.cases.truncate(1);
    Ok(plan)
}

/// Runs the one test of `plan`.
///
/// # Errors
/// If it does not run.
pub async fn run_test(
    context: &Context,
    plan: &Plan,
    recording: Option<&Arc<KeptRecording>>,
) -> Result<HeldTest, LabError> {
    let (sender, events) = event_channel(1);
    let context = Context {
        environment: Arc::clone(&plan.environment),
        ..context.clone()
    };
    let options = Options::from(RunSettings {
        given_runs: Some(1),
        ..RunSettings::default()
    });
    let mut shared = Run::new(
        context,
        Arc::new(SendNothing),
        plan.redactor.clone(),
        options,
        sender,
    );
    let log = ConversationLog::default();
    let tape = ConversationTape::default();
    if let Some(recording) = recording {
        shared.answers = RunAnswers::Recording(Arc::clone(recording));
    }
    shared.taps = vec![Arc::new(log.clone()), Arc::new(tape.clone())];
    let outcome = Box::pin(run_one(shared, plan.clone(), events))
        .await
        .ok_or_else(|| {
            LabError::refused(
                "the test did not run",
                "does it run with `ananke run --replay`?",
            )
        })?;
    Ok(HeldTest {
        outcome,
        conversation: log.take(),
        taped: tape.take(),
    })
}

/// The way to no agent.
struct SendNothing;

impl Transport for SendNothing {
    fn moment(&self, _: ClientEvent) -> At {
        At::default()
    }

    fn send(&self, _: HttpRequest, _: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let message = "nothing is sent while a test is made".to_owned();
        let error = TargetError {
            message,
            received: Received::default(),
            help: None,
        };
        Box::pin(std::future::ready(Err(error)))
    }
}
