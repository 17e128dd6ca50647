//! The data of a test for the script of the page: a row for the list, and its turns, which are read when the test is opened.
//! Times are milliseconds; empty fields are omitted.

use serde::Serialize;

use super::kind::kind;
use super::story::{self, ProblemStory, RuleStory, TurnStory};
use crate::report::words::checkpoints::{self, CheckpointWords};
use crate::report::words::duration::milliseconds;
use crate::report::words::names;
use crate::report::words::stability::{
    checkpoint as checkpoint_rate, decision, flip, numbers, rate, times, tries,
};
use crate::report::words::walks::{details, summary};
use ananke_base::context::iso8601;
use ananke_base::text::truncate;
use ananke_trace::outcome::{CheckpointOutcome, Outcome};
use ananke_trace::process::in_one_line;

/// The most characters of a finding in the list.
const LONGEST_HEADLINE: usize = 400;

/// How many of the tools that a test called can be searched for.
const MOST_TOOLS: usize = 20;

/// A test in the list.
#[derive(Debug, Serialize)]
pub(super) struct TestRow<'a> {
    id: &'a str,
    name: String,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    target: &'a str,
    status: &'static str,
    /// What it is counted as.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    /// How many of its runs passed, of a test that ran several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    quarantined: bool,
}

/// The details of a test.
#[derive(Debug, Serialize)]
pub(super) struct TestDetails<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    agent: &'a str,
    thread_id: &'a str,
    started: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantine: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_attempts: Vec<AttemptDetails<'a>>,
    /// What several runs came to, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    runs: Vec<String>,
    #[serde(flatten)]
    story: Story<'a>,
}

/// What came of an attempt other than the one that the test is shown by.
#[derive(Debug, Serialize)]
struct AttemptDetails<'a> {
    name: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    #[serde(flatten)]
    story: Story<'a>,
}

/// What happened, and what is wrong with it as a whole.
#[derive(Debug, Serialize)]
struct Story<'a> {
    turns: Vec<TurnStory<'a>>,
    #[serde(skip_serializing_if = "story::is_zero")]
    turns_not_run: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemStory<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<RuleStory<'a>>,
    /// The checkpoints of a simulated conversation, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checkpoints: Vec<CheckpointStory>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    passed: Vec<RuleStory<'a>>,
    /// The rules that a trace does not show.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_shown: Vec<RuleStory<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    silenced: &'a [String],
}

/// A checkpoint of a simulated conversation.
#[derive(Debug, Serialize)]
struct CheckpointStory {
    status: &'static str,
    text: String,
    note: String,
}

/// `outcome` in the list.
pub(super) fn row(outcome: &Outcome) -> TestRow<'_> {
    TestRow {
        id: &outcome.test.id,
        name: names::title(outcome),
        file: &outcome.test.file,
        line: (!outcome.test.is_without_file).then_some(outcome.test.line),
        target: &outcome.test.target,
        status: outcome.status().as_str(),
        kind: kind(outcome),
        duration_ms: outcome.transcript.duration().map(milliseconds),
        tags: &outcome.test.tags,
        tools: story::tools(outcome, MOST_TOOLS),
        headline: headline(outcome),
        runs: outcome
            .stability
            .as_ref()
            .map(|stability| format!("{}/{}", stability.passed, stability.runs())),
        quarantined: outcome.test.quarantine.is_some(),
    }
}

/// `outcome` as it is read.
pub(super) fn test(outcome: &Outcome) -> TestDetails<'_> {
    TestDetails {
        description: outcome.test.description.as_deref(),
        agent: &outcome.test.agent,
        thread_id: &outcome.transcript.thread_id,
        started: iso8601(outcome.transcript.started_unix_ms),
        recording: outcome.transcript.recording.as_deref(),
        quarantine: outcome.test.quarantine.as_ref().map(ToString::to_string),
        other_attempts: other_attempts(outcome),
        runs: runs(outcome),
        story: story(outcome),
    }
}

/// The other side of a comparison, a run for each reason, the attempts that were retried.
fn other_attempts(outcome: &Outcome) -> Vec<AttemptDetails<'_>> {
    let other_side = outcome
        .other_side()
        .into_iter()
        .map(|other| attempt("The other time".to_owned(), other));
    let failed = outcome
        .stability
        .iter()
        .flat_map(|stability| &stability.failures);
    let of_runs = failed.filter_map(|failed| {
        let name = numbers(failed).replacen('r', "R", 1);
        outcome
            .example(failed)
            .map(|example| attempt(name, example))
    });
    let retried = (1..).zip(&outcome.earlier_attempts);
    let retried = retried.map(|(number, earlier)| attempt(format!("Attempt {number}"), earlier));
    other_side.chain(of_runs).chain(retried).collect()
}

/// What the runs came to, and those with the reason that the test is shown by.
fn runs(outcome: &Outcome) -> Vec<String> {
    let Some(stability) = outcome.stability.as_deref() else {
        let of_walks = outcome
            .walks
            .iter()
            .flat_map(|walks| [vec![summary(walks)], details(walks)].concat());
        return flip(outcome).into_iter().chain(of_walks).collect();
    };
    let shown = stability
        .failures
        .iter()
        .filter(|failed| outcome.example(failed).is_none());
    let shown = shown.map(|failed| {
        let message = truncate::chars(&failed.message, LONGEST_HEADLINE);
        format!("{} {}: {message}", numbers(failed), failed.status.as_str())
    });
    let reached = stability
        .checkpoints
        .iter()
        .map(|reached| checkpoint_rate(reached, stability.runs()));
    let lines = flip(outcome)
        .into_iter()
        .chain([rate(stability)])
        .chain(decision(stability));
    let below = (stability.runs() > 1).then(|| format!("run {} is shown below", outcome.run));
    lines
        .chain([times(stability)])
        .chain(tries(stability))
        .chain(reached)
        .chain(shown)
        .chain(below)
        .collect()
}

fn attempt(name: String, outcome: &Outcome) -> AttemptDetails<'_> {
    AttemptDetails {
        name,
        status: outcome.status().as_str(),
        duration_ms: outcome.transcript.duration().map(milliseconds),
        headline: headline(outcome),
        story: story(outcome),
    }
}

fn story(outcome: &Outcome) -> Story<'_> {
    Story {
        turns: story::turns(outcome),
        turns_not_run: outcome.transcript.turns_not_run as usize,
        skip_reason: outcome.verdict.end.skip_reason(),
        problem: outcome.verdict.end.problem().map(story::problem),
        findings: story::findings(outcome.verdict.failures()),
        checkpoints: outcome
            .transcript
            .checkpoints
            .iter()
            .map(checkpoint)
            .collect(),
        passed: story::passed(outcome.passed_rules()),
        not_shown: story::not_shown(outcome.verdict.not_shown()),
        warnings: &outcome.verdict.warnings,
        silenced: &outcome.verdict.silenced,
    }
}

fn checkpoint(checkpoint: &CheckpointOutcome) -> CheckpointStory {
    let CheckpointWords { status, text, note } = checkpoints::words(checkpoint);
    CheckpointStory {
        status: status.as_str(),
        text,
        note,
    }
}

fn headline(outcome: &Outcome) -> Option<String> {
    let (_, message) = outcome.headline()?;
    Some(truncate::chars(&in_one_line(message), LONGEST_HEADLINE).into_owned())
}
