//! Shrinks a recording: a test that fails in, the smallest agent and test that fail with the same rule out.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::ShrinkProgress;
use super::candidate_turn::CandidateTurn;
use super::shrink_search::ShrinkSearch;
use super::source_config::{SourceConfig, TEST_FILE, refuse_programs};
use super::test_candidate::{CandidateFiles, TestCandidate, test_of};
use super::violated_rule::ViolatedRule;
use crate::freeze::{HeldTest, planned_alone, run_test};
use crate::lab_error::LabError;
use crate::test_writer::{SourceTest, WrittenConversation};
use ananke_agents::AgentStepReader;
use ananke_base::context::{Context, write_file};
use ananke_base::source::{Node, NodeValue};
use ananke_base::text::escape;
use ananke_model::model::NEWEST_VERSION;
use ananke_plan::Selection;
use ananke_recording::KeptRecording;
use ananke_trace::outcome::ErrorKind;

/// The names of the files of a shrunk test.
const FILES: [&str; 2] = ["ananke.config.yaml", TEST_FILE];

/// Keys of a test that a shrunk test has.
const KEPT: [&str; 3] = ["description", "client_tools", "messages"];

/// The input of a shrink, and the place of its result.
#[derive(Clone, Debug)]
pub struct ShrinkRequest {
    /// The recording of a test that fails.
    pub recording: Arc<KeptRecording>,
    /// The config, the target and the variables that it was recorded with.
    pub selection: Selection,
    /// The directory of the config and the test.
    pub folder: PathBuf,
    /// The most candidates that are run.
    pub most_tries: usize,
}

/// A config and a test that fail with the rule, not written yet.
#[derive(Clone, Debug)]
pub struct ShrunkTest {
    /// The rule that it violates.
    pub rule: ViolatedRule,
    /// The message that the rule then has.
    pub message: String,
    /// The files, with their texts: the config and the test.
    pub files: [(PathBuf, String); 2],
    /// The number of turns and the number of events of the recording.
    pub recorded: (usize, usize),
    /// The number of turns and the number of events that are left.
    pub left: (usize, usize),
    /// The number of steps of the agent that are left.
    pub steps: usize,
    /// The number of candidates that were run.
    pub tried: usize,
    /// Whether there were no more candidates to try.
    pub is_smallest: bool,
    /// The parts of the conversation that have no steps, in words.
    pub omitted: Vec<&'static str>,
}

/// Shrinks a recording; nothing is written. `report` gets the progress.
///
/// # Errors
/// If no rule fails in the recording, or the conversation cannot be written as steps.
pub async fn shrink(
    context: &Context,
    request: &ShrinkRequest,
    report: &mut (dyn FnMut(ShrinkProgress) + Send),
) -> Result<ShrunkTest, LabError> {
    let recorded = RecordedFailure::read(context, request).await?;
    let files = FILES.map(|name| request.folder.join(name));
    let most_tries = request.most_tries;
    let mut search = ShrinkSearch {
        context,
        files: files.clone(),
        id: format!("{}::{}", FILES[1], recorded.name),
        most_tries,
        tried: 0,
        known: HashMap::new(),
        report,
    };
    let (begin, rule) = begin(&mut search, &recorded).await?;
    let best = search.smallest(begin, &rule).await;
    let (tried, is_smallest) = (search.tried, search.tried < most_tries);
    let last = search.held(&best).await?;
    let left = last.as_ref().map(size).unwrap_or_default();
    let failure = last.as_ref().and_then(|held| rule.found_in(&held.outcome));
    let Some((message, CandidateFiles { config, test })) = failure
        .map(|failure| failure.message.clone())
        .zip(best.files())
    else {
        return Err(not_the_same(&rule, &recorded.omitted));
    };
    let id = escape::line(&request.recording.key().test);
    let comment = format!(
        "# What is left of `{id}`: it violates `{}`. Made with `ananke shrink`.\n",
        rule.path
    );
    let [config_file, test_file] = files;
    Ok(ShrunkTest {
        rule,
        message,
        files: [
            (config_file, comment.clone() + &config),
            (test_file, comment + &test),
        ],
        recorded: recorded.size,
        left,
        steps: best.steps(),
        tried,
        is_smallest,
        omitted: recorded.omitted,
    })
}

/// A recorded test that fails, with its whole conversation.
struct RecordedFailure {
    /// The name of the test.
    name: String,
    rule: ViolatedRule,
    /// The number of turns and the number of events.
    size: (usize, usize),
    whole: TestCandidate,
    /// The parts of the conversation that have no steps, in words.
    omitted: Vec<&'static str>,
}

impl RecordedFailure {
    async fn read(context: &Context, request: &ShrinkRequest) -> Result<Self, LabError> {
        let recording = &request.recording;
        let selection = &request.selection;
        let plan = planned_alone(context, selection, &recording.key().test)?;
        let entry = &plan.cases[0];
        let source = SourceTest::read(context, &entry.test)?;
        refuse_programs(&source.tree)?;
        let held = run_test(context, &plan, Some(recording)).await?;
        if let Some((_, problem)) = held
            .outcome
            .first_problem()
            .filter(|(_, problem)| problem.kind == ErrorKind::Recording)
        {
            return Err(problem.clone().into());
        }
        let rule = ViolatedRule::of(&held.outcome)?;
        let mut config = SourceConfig::read(context, &plan, &entry.test.target)?;
        if let Some((_, target)) = config.targets.first_mut() {
            let thread_id = json!(held.outcome.transcript.thread_id);
            target.set("threadId", literal(&thread_id));
        }
        let (whole, omitted) = candidate(&source, &held, recording, config, selection)?;
        Ok(Self {
            name: entry.test.name.clone(),
            rule,
            size: size(&held),
            whole,
            omitted,
        })
    }
}

impl ShrunkTest {
    /// Writes the files.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn write(&self) -> io::Result<()> {
        self.files
            .iter()
            .try_for_each(|(path, text)| write_file(path, text.as_bytes()))
    }

    /// The paths of the files.
    pub fn paths(&self) -> [&Path; 2] {
        [&self.files[0].0, &self.files[1].0]
    }
}

/// The number of turns and the number of events of a conversation.
fn size(held: &HeldTest) -> (usize, usize) {
    (held.conversation.turns.len(), held.conversation.events())
}

/// The whole conversation as a candidate, and what has no steps.
fn candidate(
    source: &SourceTest,
    held: &HeldTest,
    recording: &KeptRecording,
    config: SourceConfig,
    selection: &Selection,
) -> Result<(TestCandidate, Vec<&'static str>), LabError> {
    let facts = WrittenConversation::of(&source.tree, &held.conversation, &held.outcome);
    let frozen = facts.written()?.keys;
    let written = frozen.get("turns").map_or(&[][..], Node::items);
    let mut reader = AgentStepReader::default();
    let mut turns = Vec::new();
    for ((turn, written), number) in held.conversation.turns.iter().zip(written).zip(1..) {
        let steps = reader.turn(
            turn.changes
                .iter()
                .map(|logged| (logged.after_us, &logged.change)),
        );
        turns.push(CandidateTurn::of(turn, written, steps, number)?);
    }
    let mut entries = vec![
        ("version".to_owned(), Node::of_json(&json!(NEWEST_VERSION))),
        ("name".to_owned(), literal(&json!(held.outcome.test.name))),
    ];
    let mut variables = held.conversation.variables.clone();
    variables.extend(recording.given_variables());
    let given = selection.variables.given.iter();
    variables
        .extend(given.map(|(name, value)| (name.clone(), json!(recording.masked(name, value)))));
    if !variables.is_empty() {
        entries.push(("vars".to_owned(), literal(&Value::Object(variables))));
    }
    let kept = KEPT
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), frozen.get(key)?.clone())));
    entries.extend(kept);
    let agent = match held.outcome.test.agent.as_str() {
        "" => "agent".to_owned(),
        agent => agent.to_owned(),
    };
    let target_asserts = config
        .targets
        .iter()
        .map(|(_, target)| target.get("assert").cloned())
        .collect();
    let assert = frozen.get("assert").cloned();
    let candidate = TestCandidate {
        agent,
        turns,
        config,
        test: test_of(entries),
        assert,
        target_asserts,
    };
    Ok((candidate, reader.omitted().collect()))
}

/// A value as a file writes it, in which nothing is replaced.
fn literal(value: &Value) -> Node {
    fn escape(node: &mut Node) {
        match &mut node.value {
            NodeValue::String(text) => *text = text.replace("${", "$${"),
            NodeValue::List(items) => items.iter_mut().for_each(escape),
            NodeValue::Map(entries) => entries
                .iter_mut()
                .for_each(|entry| escape(&mut entry.value)),
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
        }
    }
    let mut node = Node::of_json(value);
    escape(&mut node);
    node
}

/// The simplest form of the whole conversation that violates the rule: without waiting and captures if it does so without
/// them.
async fn begin(
    search: &mut ShrinkSearch<'_>,
    recorded: &RecordedFailure,
) -> Result<(TestCandidate, ViolatedRule), LabError> {
    let RecordedFailure {
        whole,
        rule,
        omitted,
        ..
    } = recorded;
    let rules: Vec<usize> = (0..whole.rules()).collect();
    let whole = whole.with_rules(&rules);
    let forms = [
        whole.without_waits().without_captures(),
        whole.without_waits(),
        whole.without_captures(),
        whole.clone(),
    ];
    let last = forms.len() - 1;
    for (index, form) in forms.into_iter().enumerate() {
        let held = search.held(&form).await;
        search.tried += 1;
        // A form without captures may not be a test; the whole conversation is one, unless it is too large.
        let held = if index == last {
            held?
        } else {
            held.ok().flatten()
        };
        if let Some(rule) = held.and_then(|held| rule.written_as(&held.outcome)) {
            return Ok((form, rule));
        }
    }
    Err(not_the_same(rule, omitted))
}

fn not_the_same(rule: &ViolatedRule, omitted: &[&'static str]) -> LabError {
    let message = format!(
        "an agent written in YAML cannot violate `{}` as the recorded one did",
        rule.path
    );
    let help = match omitted {
        [] => "freeze the conversation with `ananke freeze` instead".to_owned(),
        omitted => format!(
            "there are no steps for {}; freeze the conversation with `ananke freeze` instead",
            omitted.join(", ")
        ),
    };
    LabError::refused(message, help)
}
