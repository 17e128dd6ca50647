//! One conversation as a test: its turns, the rules that are proposed for each, and its recording.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::{HeldConversation, RecordRequest};
use crate::freeze::{HeldTest, failure, given_variables, not_recorded, run_test};
use crate::lab_error::LabError;
use crate::test_writer::{
    WrittenConversation, WrittenRules, WrittenTest, blank_test, chosen_target, file_text,
};
use ananke_base::context::{CaseKey, Context};
use ananke_base::message::ClientInput;
use ananke_conversation::helper::HelperRole;
use ananke_plan::project::{AgentChoice, Variables};
use ananke_plan::{CaseEntry, Plan, Selection};
use ananke_recording::{KeptRecording, recording_path};
use ananke_run::{LoggedConversation, LoggedTurn};
use ananke_trace::outcome::{InputOrigin, Outcome, Problem, Status};

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
            target,
            recording,
            client_tools,
            notes,
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
        let test = blank_test(name, &client_tools);
        let conversation = LoggedConversation {
            turns: inputs.into_iter().map(sent).collect(),
            ..LoggedConversation::default()
        };
        let outcome = Outcome::default();
        let mut facts = WrittenConversation {
            target: chosen_target(&request.selection, &target),
            given,
            ..WrittenConversation::of(&test, &conversation, &outcome)
        };
        let mut draft = Self {
            test: RecordedTest {
                name: name.to_owned(),
                recording_file: PathBuf::new(),
                recording: String::new(),
                turns: conversation.turns.len(),
                problem,
                failure: None,
                notes: Vec::new(),
            },
            written: facts.written()?,
            secret,
        };
        // The conversation may have secrets that its recording has not: what the agent did is taken from a replay.
        let replayed = draft.record(context, request, &kept).await?;
        let turns = facts.conversation.turns.iter_mut();
        for (turn, replayed) in turns.zip(replayed.conversation.turns) {
            turn.changes = replayed.changes;
        }
        let (plan, _) = draft.plan(context, request)?;
        let case = plan.cases.first();
        let target = case.and_then(|case| plan.config.target(&case.test.target));
        if let Some(target) = target {
            facts.rules = WrittenRules::Proposed(target.model.capabilities());
        }
        draft.written = facts.written()?;
        draft.test.notes = notes;
        draft.test.notes.extend(draft.written.notes.iter().cloned());
        Ok(draft)
    }

    /// Takes the recording of the test, copied from that of the conversation, and returns what happens in it.
    async fn record(
        &mut self,
        context: &Context,
        request: &RecordRequest,
        kept: &KeptRecording,
    ) -> Result<HeldTest, LabError> {
        let copied = Arc::new(kept.to_copy_without(HelperRole::Simulator.name(), None));
        let (plan, unsaved) = self.plan(context, request)?;
        let id = plan.cases.first().map(CaseEntry::id).unwrap_or_default();
        let replayed = run_test(&unsaved, &plan, Some(&copied)).await?;
        let Some(recording) = copied.take_copy() else {
            return Err(not_recorded(&replayed));
        };
        self.test.recording = recording;
        self.test.recording_file = recording_path(&request.folder, &CaseKey::first(id));
        Ok(replayed)
    }

    /// Its plan, and the context in which its file has its text.
    fn plan(
        &self,
        context: &Context,
        request: &RecordRequest,
    ) -> Result<(Plan, Context), LabError> {
        let text = file_text(request.origin, std::slice::from_ref(&self.written));
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
        let status = outcome.status();
        let why = failure(&outcome).map(str::to_owned);
        let why = why.unwrap_or_else(|| format!("it is `{}`", status.as_str()));
        Ok(RecordedTest {
            failure: (status != Status::Passed).then_some(why),
            ..self.test
        })
    }
}

/// A turn that a person has sent; what came of it is not known yet.
fn sent(sent: ClientInput) -> LoggedTurn {
    LoggedTurn {
        input: sent.input,
        request: sent.request,
        origin: InputOrigin::Human,
        changes: Vec::new(),
        answers: Vec::new(),
    }
}
