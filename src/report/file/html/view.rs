//! The data of a test for the script of the page: a row for the list, and its turns, which are read when the test is opened.
//! Times are milliseconds; empty fields are omitted.

use serde::Serialize;

use super::story::{self, FindingStory, PassedRuleStory, ProblemStory, TurnStory};
use crate::context::iso8601;
use crate::outcome::Outcome;
use crate::report::words::duration::milliseconds;
use crate::report::words::names;
use crate::text::truncate;

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
    line: u32,
    target: &'a str,
    status: &'static str,
    duration_ms: f64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flaky: bool,
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
    earlier_attempts: Vec<AttemptDetails<'a>>,
    #[serde(flatten)]
    story: Story<'a>,
}

/// What came of an attempt before the last.
#[derive(Debug, Serialize)]
struct AttemptDetails<'a> {
    status: &'static str,
    duration_ms: f64,
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
    findings: Vec<FindingStory<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held: Vec<PassedRuleStory<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [String],
}

/// `outcome` in the list.
pub(super) fn row(outcome: &Outcome) -> TestRow<'_> {
    TestRow {
        id: &outcome.test.id,
        name: names::title(outcome),
        file: &outcome.test.file,
        line: outcome.test.line,
        target: &outcome.test.target,
        status: outcome.status().as_str(),
        duration_ms: milliseconds(outcome.transcript.duration_us),
        tags: &outcome.test.tags,
        tools: story::tools(outcome, MOST_TOOLS),
        headline: headline(outcome),
        flaky: outcome.is_flaky(),
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
        earlier_attempts: outcome.earlier_attempts.iter().map(attempt).collect(),
        story: story(outcome),
    }
}

fn attempt(outcome: &Outcome) -> AttemptDetails<'_> {
    AttemptDetails {
        status: outcome.status().as_str(),
        duration_ms: milliseconds(outcome.transcript.duration_us),
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
        findings: story::findings(outcome.verdict.end.failures()),
        held: story::held(&outcome.verdict.held),
        warnings: &outcome.verdict.warnings,
    }
}

fn headline(outcome: &Outcome) -> Option<String> {
    let (_, message) = outcome.headline()?;
    Some(truncate::chars(message, LONGEST_HEADLINE).into_owned())
}
