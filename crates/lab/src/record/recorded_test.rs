//! One conversation as a test: its turns, the rules that are proposed for each, and its recording.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::test_text::{CommentedTurn, WrittenTest, file_text};
use super::{HeldConversation, RecordRequest, conversation_rules::rules_of};
use crate::freeze::{
    given_variables, has_unreferenced_secret, run_test, text_with_references, written_turn,
};
use crate::lab_error::LabError;
use ananke_base::context::{At, CaseKey, Context};
use ananke_base::message::TurnInput;
use ananke_conversation::helper::HelperRole;
use ananke_plan::project::{AgentChoice, Variables};
use ananke_plan::{CaseEntry, Plan, Selection};
use ananke_recording::{KeptRecording, recording_path};
use ananke_run::LoggedTurn;
use ananke_trace::outcome::{Outcome, Problem, Status};
use ananke_trace::trace::{Input, Trace};

/// A test that was made from a conversation.
#[derive(Clone, Debug)]
pub struct RecordedTest {
    /// Its name.
    pub name: String,
    /// The file of its recording.
    pub recording_file: PathBuf,
    /// The text of its recording.
    pub recording: String,
    /// The number of its turns.
    pub turns: usize,
    /// The reason that the turn after these is not in it, if there was one.
    pub problem: Option<Problem>,
    /// The reason that it does not pass, if it does not.
    pub failure: Option<String>,
    /// The notes for its reader, in words.
    pub notes: Vec<String>,
}

/// A test that is not verified yet.
#[derive(Debug)]
pub(super) struct DraftTest {
    pub(super) test: RecordedTest,
    pub(super) written: WrittenTest,
    /// The variables of the command line that are not written into a file.
    secret: BTreeMap<String, String>,
}

impl DraftTest {
    /// The test `name` from a conversation.
    ///
    /// # Errors
    /// If it has no turns, or its recording cannot be replayed.
    pub(super) async fn of(
        context: &Context,
        request: &RecordRequest,
        name: &str,
        conversation: HeldConversation,
    ) -> Result<Self, LabError> {
        let HeldConversation {
            inputs,
            recording,
            client_tools,
            problem,
        } = conversation;
        if inputs.is_empty() {
            let nothing_said = || {
                let help = "type what the user says, one message per line";
                LabError::refused("nothing was said", help)
            };
            return Err(problem.map_or_else(nothing_said, LabError::from));
        }
        let kept = KeptRecording::read(&recording, "of the conversation")?;
        let (given, secret) = given_variables(&kept, &request.selection.variables);
        let mut head = Map::from_iter([("name".to_owned(), json!(name))]);
        head.extend(request.target().map(|target| ("target".to_owned(), target)));
        if !given.is_empty() {
            let given = given
                .iter()
                .map(|(name, value)| (name.clone(), json!(text_with_references(value))));
            head.insert("vars".to_owned(), Value::Object(given.collect()));
        }
        if !client_tools.is_empty() {
            head.insert("client_tools".to_owned(), client_tools.into());
        }
        let turns = inputs.iter().zip(1..).map(|(input, number)| {
            Ok(CommentedTurn {
                keys: written_turn(input, number)?,
                said: String::new(),
            })
        });
        let turns = turns.collect::<Result<Vec<_>, LabError>>()?;
        let mut draft = Self {
            test: RecordedTest {
                name: name.to_owned(),
                recording_file: PathBuf::new(),
                recording: String::new(),
                turns: inputs.len(),
                problem,
                failure: None,
                notes: notes(&inputs),
            },
            written: WrittenTest { head, turns },
            secret,
        };
        draft.record(context, request, &kept).await?;
        Ok(draft)
    }

    /// Takes the recording of the test, copied from that of the conversation, and proposes rules for what happens in it.
    async fn record(
        &mut self,
        context: &Context,
        request: &RecordRequest,
        kept: &KeptRecording,
    ) -> Result<(), LabError> {
        let copied = Arc::new(kept.to_copy_without(HelperRole::Simulator.name(), None));
        let (plan, unsaved) = self.plan(context, request)?;
        let id = plan.cases.first().map(CaseEntry::id).unwrap_or_default();
        let replayed = run_test(&unsaved, &plan, Some(&copied)).await?;
        let Some(recording) = copied.take_copy() else {
            return Err(LabError::Refused {
                message: failure(&replayed.outcome),
                help: None,
            });
        };
        self.test.recording = recording;
        self.test.recording_file = recording_path(&request.folder, &CaseKey::first(id));
        self.propose(&replayed.conversation.turns);
        Ok(())
    }

    /// Its plan, and the context in which its file has its text.
    fn plan(
        &self,
        context: &Context,
        request: &RecordRequest,
    ) -> Result<(Plan, Context), LabError> {
        let text = file_text(std::slice::from_ref(&self.written));
        request.plan(context, &text, &self.test.name, &self.selection(request))
    }

    /// The selection with which its file is planned: the target and the other variables are in it.
    fn selection(&self, request: &RecordRequest) -> Selection {
        Selection {
            target: AgentChoice::OfConfig,
            variables: Variables {
                given: self.secret.clone(),
                ..Variables::default()
            },
            ..request.selection.clone()
        }
    }

    /// Proposes rules for what happened in `turns`.
    fn propose(&mut self, turns: &[LoggedTurn]) {
        let mut trace = Trace::new(Value::Null);
        let (mut at, mut deltas, mut said) = (0_u64, Vec::new(), Vec::new());
        for (turn, written) in turns.iter().zip(&mut self.written.turns) {
            let text = turn.input.describe();
            said.push(text.clone());
            trace.begin_turn(Input {
                shown: text.clone(),
                text,
                ..Input::default()
            });
            trace.begin_exchange(At(at));
            for logged in &turn.changes {
                at = at.saturating_add(logged.after_us);
                trace.apply(At(at), logged.change.clone(), &mut deltas);
                deltas.clear();
            }
            trace.end_exchange(At(at));
            trace.end_turn(&mut deltas);
            if let Some(ranges) = trace.turns.last() {
                written.keys.set("assert", rules_of(&trace, ranges, &said));
                written.said = trace.turn_text(ranges);
            }
        }
    }

    /// Replays it as it is written.
    ///
    /// # Errors
    /// If something is wrong with it.
    pub(super) async fn verified(
        self,
        context: &Context,
        request: &RecordRequest,
    ) -> Result<RecordedTest, LabError> {
        let (plan, unsaved) = self.plan(context, request)?;
        let kept = Arc::new(KeptRecording::read(&self.test.recording, "of the test")?);
        let outcome = run_test(&unsaved, &plan, Some(&kept)).await?.outcome;
        let is_passed = outcome.status() == Status::Passed;
        Ok(RecordedTest {
            failure: (!is_passed).then(|| failure(&outcome)),
            ..self.test
        })
    }
}

/// The notes for readers of these turns.
fn notes(inputs: &[TurnInput]) -> Vec<String> {
    let is_secret = |input: &TurnInput| has_unreferenced_secret(&input.describe());
    let numbers = inputs.iter().zip(1..).filter(|(input, _)| is_secret(input));
    let note = |(_, number): (&TurnInput, usize)| {
        format!(
            "turn {number} has a marker instead of a secret that no variable has: it can only be replayed"
        )
    };
    numbers.map(note).collect()
}

/// The reason that a test does not pass, in words.
fn failure(outcome: &Outcome) -> String {
    let problem = outcome
        .first_problem()
        .map(|(_, problem)| problem.message.clone());
    let failure = || {
        outcome
            .all_failures()
            .next()
            .map(|(_, failure)| failure.message.clone())
    };
    problem
        .or_else(failure)
        .unwrap_or_else(|| format!("it is `{}`", outcome.status().as_str()))
}
