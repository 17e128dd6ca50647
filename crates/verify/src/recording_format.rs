//! `--from recording`: a recording is replayed with its test, and what happens is the conversation.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{TraceContext, TraceError, TraceFile, TraceFormat};
use ananke_agents::{Capability, TimedChange};
use ananke_base::context::Context;
use ananke_conversation::observed::{ObservedConversation, ObservedTurn};
use ananke_lab::LabError;
use ananke_lab::freeze::{planned, run_test};
use ananke_plan::{Plan, Selection};
use ananke_recording::KeptRecording;
use ananke_run::{LoggedConversation, LoggedTurn};
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::trace::{Change, Fact, Facts, ResultContent};

/// Recordings.
pub(crate) struct RecordingFormat;

/// One recording.
struct RecordingFile {
    recording: Arc<KeptRecording>,
    context: Context,
    selection: Selection,
}

impl TraceFormat for RecordingFormat {
    fn name(&self) -> &'static str {
        "recording"
    }

    fn is_of_tests(&self) -> bool {
        true
    }

    fn open(
        &self,
        path: &Path,
        shown: &str,
        context: &TraceContext,
    ) -> Result<Box<dyn TraceFile>, TraceError> {
        let recording = Arc::new(KeptRecording::open(path, shown)?);
        let TraceContext { context, selection } = context;
        Ok(Box::new(RecordingFile {
            recording,
            context: context.clone(),
            selection: selection.clone(),
        }))
    }
}

impl TraceFile for RecordingFile {
    fn ids(&self) -> Vec<String> {
        vec![self.recording.key().test.clone()]
    }

    fn test(&self) -> Option<&str> {
        Some(&self.recording.key().test)
    }

    fn conversation(&self, _: usize) -> BoxFuture<'_, Result<ObservedConversation, Problem>> {
        Box::pin(async move {
            let plan = planned(&self.context, &self.selection, &self.recording.key().test)
                .map_err(problem)?;
            let held = run_test(&self.context, &plan, Some(&self.recording))
                .await
                .map_err(problem)?;
            let outcome = &held.outcome;
            if let Some(problem) = outcome.verdict.end().problem() {
                return Err(problem.clone());
            }
            Ok(ObservedConversation {
                thread_id: outcome.transcript.thread_id.clone(),
                agent: outcome.test.agent.clone(),
                started_unix_ms: outcome.transcript.started_unix_ms,
                shown: shown(&plan, &held.conversation),
                ..observed(held.conversation)
            })
        })
    }
}

/// The facts that the target of the test shows; declared tools and tokens only if they are in the recording.
fn shown(plan: &Plan, conversation: &LoggedConversation) -> Facts {
    let target = plan
        .cases
        .first()
        .and_then(|case| plan.config.target(&case.test.target));
    let capabilities = target.map(|target| target.model.capabilities());
    let facts = [
        (Capability::ToolCalls, Facts::of(&[Fact::Calls])),
        (Capability::Usage, Facts::of(&[Fact::Usage])),
        (Capability::State, Facts::of(&[Fact::State])),
    ];
    let has = |turn: &LoggedTurn, is: fn(&Change<'static>) -> bool| {
        turn.changes.iter().any(|logged| is(&logged.change))
    };
    let turns = &conversation.turns;
    let declares = turns.iter().any(|turn| {
        has(turn, |change| {
            matches!(change, Change::ToolsDeclared { .. })
        })
    });
    let counts = turns
        .iter()
        .all(|turn| has(turn, |change| matches!(change, Change::Usage { .. })));
    let sometimes = [(declares, Fact::DeclaredTools), (counts, Fact::Usage)];
    let missing = sometimes
        .into_iter()
        .filter(|(is_there, _)| !is_there)
        .map(|(_, fact)| Facts::of(&[fact]));
    let lacking = facts
        .into_iter()
        .filter(|(capability, _)| capabilities.is_some_and(|all| !all.has(*capability)));
    lacking
        .map(|(_, fact)| fact)
        .chain(missing)
        .fold(Facts::OF_AGENT, Facts::except)
}

fn observed(conversation: LoggedConversation) -> ObservedConversation {
    let (mut turns, mut began) = (Vec::new(), Duration::ZERO);
    for turn in conversation.turns {
        let turn = observed_turn(turn, began);
        began += turn
            .changes
            .last()
            .map(|last| last.after)
            .unwrap_or_default();
        turns.push(turn);
    }
    ObservedConversation {
        history: conversation.history,
        turns,
        ..ObservedConversation::default()
    }
}

/// The turn, with the answers of the client where they were given.
fn observed_turn(turn: LoggedTurn, after: Duration) -> ObservedTurn {
    let LoggedTurn {
        input,
        changes: logged,
        answers,
        ..
    } = turn;
    let (mut changes, mut since) = (Vec::new(), Duration::ZERO);
    let mut answers = answers.into_iter().peekable();
    let count = logged.len();
    for index in 0..=count {
        while let Some((_, answer)) = answers.next_if(|(before, _)| *before <= index) {
            let id = answer.call.clone().into();
            let result = ResultContent::Text(answer.text().into());
            let change = Change::CallAnswered {
                id,
                result,
                is_error: Some(answer.is_error),
            };
            changes.push(TimedChange {
                after: since,
                change,
            });
        }
        if let Some(logged) = logged.get(index) {
            since += Duration::from_micros(logged.after_us);
            changes.push(TimedChange {
                after: since,
                change: logged.change.clone(),
            });
        }
    }
    ObservedTurn {
        input,
        after,
        changes,
    }
}

fn problem(error: LabError) -> Problem {
    match error {
        LabError::Refused { message, help } => Problem {
            kind: ErrorKind::Setup,
            message,
            help,
        },
        LabError::Broken(problems, redactor) => {
            let first = problems
                .first()
                .map(ToString::to_string)
                .unwrap_or_default();
            let help = Some("check the test with `ananke check`".to_owned());
            Problem {
                kind: ErrorKind::Setup,
                message: redactor.text(&first).into_owned(),
                help,
            }
        }
    }
}
