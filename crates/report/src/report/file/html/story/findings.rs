//! What is wrong: each rule that failed, with its events and its lines in its file; and the rules that passed.

use std::borrow::Cow;

use serde::Serialize;

use crate::report::words::measured::got_of_limit;
use crate::report::words::ruling;
use ananke_base::diagnostic::ExcerptLine;
use ananke_base::text::truncate;
use ananke_trace::outcome::{EvidenceLine, Problem, RuleResult, Ruling, ValueDifference};

/// The most bytes of each part of a finding.
const LONGEST: usize = 4 << 10;

/// The most findings of one part of a test.
const MOST: usize = 100;

/// How many of the things that were seen instead are shown with a finding.
const MOST_SEEN: usize = 10;

/// A rule and its result.
#[derive(Debug, Serialize)]
pub(crate) struct RuleStory<'a> {
    /// What is wrong, or what is not shown; empty of a rule that passed.
    #[serde(skip_serializing_if = "str::is_empty")]
    message: Cow<'a, str>,
    /// What it expects; of a rule that failed only what the message does not say of it.
    #[serde(skip_serializing_if = "str::is_empty")]
    expected: Cow<'a, str>,
    /// What there was of a limit, and the limit, of a rule that passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seen: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_seen: usize,
    /// The values that differ, as `seen` shows them: what was found, and what was expected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
    /// What a judge decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    judge: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    events: &'a [u32],
    level: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    rule: &'a str,
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<SourceLine<'a>>,
    /// The number of findings that are omitted.
    #[serde(skip_serializing_if = "is_zero")]
    further: usize,
}

/// A line of the file that the rule is written in.
#[derive(Debug, Serialize)]
struct SourceLine<'a> {
    number: u32,
    text: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    meant: bool,
}

/// Why something could not be evaluated to its end.
#[derive(Debug, Serialize)]
pub(crate) struct ProblemStory<'a> {
    kind: &'static str,
    message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Cow<'a, str>>,
}

/// Whether there is none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "a serializer asks so")]
pub(crate) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// `failures`, as many as a person reads; the last of them says how many more there are.
pub(crate) fn findings<'a>(
    mut failures: impl Iterator<Item = &'a RuleResult>,
) -> Vec<RuleStory<'a>> {
    let mut shown: Vec<RuleStory<'_>> = failures.by_ref().take(MOST).map(rule).collect();
    if let Some(last) = shown.last_mut() {
        last.further = failures.count();
    }
    shown
}

/// The rules that passed, as many as a person reads.
pub(crate) fn passed<'a>(rules: impl Iterator<Item = &'a RuleResult>) -> Vec<RuleStory<'a>> {
    rules.take(MOST).map(rule).collect()
}

/// The rules that are not shown: all of them, since none may be overlooked.
pub(crate) fn not_shown<'a>(rules: impl Iterator<Item = &'a RuleResult>) -> Vec<RuleStory<'a>> {
    rules.map(rule).collect()
}

/// A problem as the page shows it.
pub(crate) fn problem(problem: &Problem) -> ProblemStory<'_> {
    let Problem {
        kind,
        message,
        help,
    } = problem;
    let help = help.as_ref().map(|help| truncate::bytes(help, LONGEST));
    ProblemStory {
        kind: kind.as_str(),
        message: truncate::bytes(message, LONGEST),
        help,
    }
}

/// What a judge decided, line by line; without a reason that `message` gives already.
fn judged(ruling: Option<&Ruling>, message: &str) -> Vec<String> {
    let lines = ruling
        .map(|ruling| ruling::lines(ruling, message))
        .unwrap_or_default();
    lines
        .iter()
        .take(MOST)
        .map(|line| truncate::bytes(line, LONGEST).into_owned())
        .collect()
}

fn rule(result: &RuleResult) -> RuleStory<'_> {
    let seen: Vec<&str> = result.evidence().map(EvidenceLine::text).collect();
    let source = result.excerpt.lines.iter().map(
        |ExcerptLine {
             number,
             text,
             is_meant,
         }| SourceLine {
            number: *number,
            text,
            meant: *is_meant,
        },
    );
    let expected = if result.has_failed() {
        result.expectation().unwrap_or_default()
    } else {
        &result.expected
    };
    RuleStory {
        message: truncate::bytes(&result.message, LONGEST),
        expected: truncate::bytes(expected, LONGEST),
        measured: got_of_limit(result).filter(|_| result.has_passed()),
        more_seen: seen.len().saturating_sub(MOST_SEEN),
        seen: seen
            .into_iter()
            .take(MOST_SEEN)
            .map(|seen| truncate::bytes(seen, LONGEST))
            .collect(),
        differences: result
            .differences
            .iter()
            .map(ValueDifference::shown)
            .collect(),
        difference: result.difference.as_ref().map(ToString::to_string),
        judge: judged(result.ruling.as_ref(), &result.message),
        help: result
            .help
            .as_ref()
            .map(|help| truncate::bytes(help, LONGEST)),
        events: &result.events,
        level: result.level.as_str(),
        rule: &result.rule,
        file: &result.place.file,
        line: result.place.line,
        source: source.collect(),
        further: 0,
    }
}
