//! Freezes a conversation: a recording and its test in, a static test with its own recording out.
//!
//! **Invariant:** what is returned was replayed, strictly, with the verdict of the recording.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::verdicts::{difference, failure};
use super::{HeldTest, planned, planned_alone, run_test};
use crate::lab_error::LabError;
use crate::test_writer::{
    SourceTest, WrittenConversation, WrittenRules, chosen_target, file_text, write_together,
};
use ananke_base::context::{CaseKey, Context};
use ananke_base::source::Node;
use ananke_base::text::escape;
use ananke_conversation::helper::HelperRole;
use ananke_plan::project::Variables;
use ananke_plan::{CaseEntry, Plan, Selection};
use ananke_recording::{KeptRecording, recording_path};
use ananke_trace::outcome::{ErrorKind, Status};

/// Variables of the command line, by name.
type Given = BTreeMap<String, String>;

/// The input of a freeze, and the place of its result.
#[derive(Clone, Debug)]
pub struct FreezeRequest {
    /// The conversation.
    pub recording: Arc<KeptRecording>,
    /// The config, the target and the variables that it was recorded with.
    pub selection: Selection,
    /// The file of the static test; without one it is next to the test.
    pub output: Option<PathBuf>,
    /// The directory of its recording.
    pub folder: PathBuf,
}

/// A static test, not written yet.
#[derive(Clone, Debug)]
pub struct FrozenTest {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: PathBuf,
    /// The text of its file.
    pub text: String,
    /// The file of its recording.
    pub recording_file: PathBuf,
    /// The recording.
    pub recording: String,
    /// The number of its turns.
    pub turns: usize,
    /// The number of them that a simulator or a person has written.
    pub said_by_others: usize,
    /// Its verdict.
    pub status: Status,
    /// The parts of the test that are not in it, in words.
    pub notes: Vec<String>,
}

/// Freezes a conversation; nothing is written.
///
/// # Errors
/// If the recording cannot be replayed, or the static test has another verdict.
pub async fn freeze(context: &Context, request: &FreezeRequest) -> Result<FrozenTest, LabError> {
    let FreezeRequest {
        recording,
        selection,
        output,
        folder,
    } = request;
    let id = &recording.key().test;
    let plan = planned_alone(context, selection, id)?;
    let entry = &plan.cases[0];
    let source = SourceTest::read(context, &entry.test)?;
    let held = run_test(context, &plan, Some(recording)).await?;
    refuse_what_only_a_simulator_can_say(&held)?;
    let (given, secret) = given_variables(recording, &selection.variables);
    let written = WrittenConversation {
        target: chosen_target(selection, &entry.test.target),
        given,
        rules: frozen_rules(&source, held.outcome.status(), &plan, entry),
        ..WrittenConversation::of(&source.tree, &held.conversation, &held.outcome)
    }
    .written()?;
    let file = output.clone().unwrap_or_else(|| file_of(entry, &source));
    let shown = escape::line(id);
    let origin = format!("A conversation of `{shown}`, frozen with `ananke freeze`");
    let text = file_text(&origin, std::slice::from_ref(&written));

    let unsaved = Context {
        files: context.files.with_unsaved(file.clone(), &text),
        ..context.clone()
    };
    // What the command line says is in the test now, but for secrets.
    let variables = Variables {
        given: secret,
        ..Variables::default()
    };
    let selection = Selection {
        paths: vec![file.clone()],
        config: Some(plan.config.source.path.clone()),
        variables,
        ..Selection::default()
    };
    let frozen_id = frozen_id(&plan.config.folder, &file, &entry.test.name);
    let frozen = planned(&unsaved, &selection, &frozen_id)?;
    let script = simulator_script(&source);
    let copied = recording.to_copy_without(HelperRole::Simulator.name(), script.as_deref());
    let recording = recorded_again(&unsaved, &frozen, &Arc::new(copied), &held).await?;
    let recording_file = recording_path(folder, &CaseKey::first(frozen_id.clone()));
    Ok(FrozenTest {
        id: frozen_id,
        file,
        text,
        recording_file,
        recording,
        turns: written.turns,
        said_by_others: written.said_by_others,
        status: held.outcome.status(),
        notes: written.notes,
    })
}

/// The origin of the rules of a frozen test: those of its test, which say what matters. A test that has none would check
/// nothing once it is frozen, so they are proposed; what is wrong with a conversation that failed is no proposal.
fn frozen_rules(
    source: &SourceTest,
    status: Status,
    plan: &Plan,
    entry: &CaseEntry,
) -> WrittenRules {
    match plan.config.target(&entry.test.target) {
        Some(target) if status == Status::Passed && !has_rules(&source.tree) => {
            WrittenRules::Proposed(target.model.capabilities())
        }
        _ => WrittenRules::OfTest,
    }
}

/// True if rules are written anywhere in a test: at its own level, in a turn, a checkpoint or an action.
fn has_rules(keys: &Node) -> bool {
    let has_own = keys.get("assert").is_some();
    let entries = keys.entries().iter();
    has_own
        || entries.map(|entry| &entry.value).any(has_rules)
        || keys.items().iter().any(has_rules)
}

/// The recording of a frozen test, copied from that of the conversation that was `held`.
///
/// # Errors
/// If the test has another verdict, with the copy or replayed.
async fn recorded_again(
    context: &Context,
    plan: &Plan,
    copied: &Arc<KeptRecording>,
    held: &HeldTest,
) -> Result<String, LabError> {
    let copy = run_test(context, plan, Some(copied)).await?;
    refuse_another_verdict(held, &copy)?;
    let Some(recording) = copied.take_copy() else {
        return Err(not_recorded(&copy));
    };
    let kept = Arc::new(KeptRecording::read(&recording, "of the frozen test")?);
    let replayed = run_test(context, plan, Some(&kept)).await?;
    refuse_another_verdict(held, &replayed)?;
    Ok(recording)
}

impl FrozenTest {
    /// The files that it is written to.
    pub fn files(&self) -> [&Path; 2] {
        [&self.file, &self.recording_file]
    }

    /// Writes the test and its recording; nothing of it is there after an error, unless it was there before.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self) -> io::Result<()> {
        write_together(&[
            (&self.recording_file, &self.recording),
            (&self.file, &self.text),
        ])
    }
}

/// The variables of the command line: those that can be written into a file, and those that are secret in the recording.
pub(crate) fn given_variables(recording: &KeptRecording, variables: &Variables) -> (Given, Given) {
    let given = variables.given.clone().into_iter();
    given.partition(|(name, value)| recording.masked(name, value) == *value)
}

/// The refusal of a test whose replay did not come to a recording.
pub(crate) fn not_recorded(copy: &HeldTest) -> LabError {
    let why = failure(&copy.outcome).unwrap_or("its conversation cannot be recorded");
    LabError::Refused {
        message: why.to_owned(),
        help: None,
    }
}

/// The file of the static test if none is named: next to the test's own.
fn file_of(entry: &CaseEntry, source: &SourceTest) -> PathBuf {
    let path = &entry.test.path;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".test.yaml", ".test.yml", ".yaml", ".yml"];
    let stem = endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    if source.is_alone && entry.row.is_none() {
        return path.with_file_name(format!("{stem}.frozen.test.yaml"));
    }
    let own = recording_path(Path::new(""), &CaseKey::first(entry.id()));
    let own = own.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}.{own}.frozen.test.yaml"))
}

/// The id of the test `name` in `file`.
fn frozen_id(folder: &Path, file: &Path, name: &str) -> String {
    let path = file
        .strip_prefix(folder)
        .unwrap_or(file)
        .to_string_lossy()
        .replace('\\', "/");
    format!("{path}::{name}")
}

/// The script that plays the user, as recordings call it.
fn simulator_script(source: &SourceTest) -> Option<String> {
    source
        .tree
        .get("simulate")?
        .get("script")?
        .as_str()
        .map(str::to_owned)
}

/// Refuses a conversation whose verdict is not about its agent alone.
fn refuse_what_only_a_simulator_can_say(held: &HeldTest) -> Result<(), LabError> {
    let Some((turn, problem)) = held.outcome.first_problem() else {
        return Ok(());
    };
    let is_of_conversation = turn == 0
        && matches!(
            problem.kind,
            ErrorKind::Conversation | ErrorKind::Simulator | ErrorKind::Timeout
        );
    if problem.kind == ErrorKind::Recording {
        return Err(problem.clone().into());
    }
    if is_of_conversation || problem.kind == ErrorKind::Simulator {
        let message = format!(
            "the conversation ended with `{}`, which a test without a simulator cannot",
            problem.message
        );
        return Err(LabError::refused(
            message,
            "freeze a conversation that its rules decide",
        ));
    }
    Ok(())
}

fn refuse_another_verdict(held: &HeldTest, frozen: &HeldTest) -> Result<(), LabError> {
    match difference(&held.outcome, &frozen.outcome) {
        None => Ok(()),
        Some(difference) => {
            let message =
                format!("the frozen test does not have the verdict of the recording: {difference}");
            Err(LabError::refused(message, "nothing was written"))
        }
    }
}
