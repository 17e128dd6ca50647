//! What is wrong: each rule that failed, with its events and its lines in its file; and the rules that passed.

use std::borrow::Cow;

use serde::Serialize;

use crate::report::words::measured::got_of_limit;
use crate::report::words::ruling;
use ananke_base::diagnostic::ExcerptLine;
use ananke_base::text::truncate;
use ananke_trace::outcome::{Failure, NotShownRule, PassedRule, Problem, Ruling};

/// The most bytes of each part of a finding.
const LONGEST: usize = 4 << 10;

/// The most findings of one part of a test.
const MOST: usize = 100;

/// How many of the things that were seen instead are shown with a finding.
const MOST_SEEN: usize = 10;

/// A rule that failed.
#[derive(Debug, Serialize)]
pub(crate) struct FindingStory<'a> {
    message: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    expected: Cow<'a, str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seen: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_seen: usize,
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

/// A rule that passed.
#[derive(Debug, Serialize)]
pub(crate) struct PassedRuleStory<'a> {
    wanted: Cow<'a, str>,
    /// What there was of a limit, and the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<String>,
    /// What a judge decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    judge: Vec<String>,
    rule: &'a str,
    level: &'static str,
    file: &'a str,
    line: u32,
}

/// A rule that a trace does not show.
#[derive(Debug, Serialize)]
pub(crate) struct NotShownStory<'a> {
    wanted: Cow<'a, str>,
    /// What the trace does not show.
    message: Cow<'a, str>,
    rule: &'a str,
    level: &'static str,
    file: &'a str,
    line: u32,
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
pub(crate) fn findings(failures: &[Failure]) -> Vec<FindingStory<'_>> {
    let mut shown: Vec<FindingStory<'_>> = failures.iter().take(MOST).map(finding).collect();
    if let Some(last) = shown.last_mut() {
        last.further = failures.len().saturating_sub(MOST);
    }
    shown
}

/// `held`, as many as a person reads.
pub(crate) fn held(held: &[PassedRule]) -> Vec<PassedRuleStory<'_>> {
    let view = held.iter().take(MOST).map(|passed| {
        let PassedRule {
            rule,
            level,
            place,
            wanted,
            ..
        } = passed;
        PassedRuleStory {
            wanted: truncate::bytes(wanted, LONGEST),
            measured: got_of_limit(passed),
            judge: judged(passed.ruling.as_ref(), ""),
            rule,
            level: level.as_str(),
            file: &place.file,
            line: place.line,
        }
    });
    view.collect()
}

/// `rules` that a trace does not show: all of them, since none may be overlooked.
pub(crate) fn not_shown<'a>(rules: &'a [NotShownRule]) -> Vec<NotShownStory<'a>> {
    let story = |not_shown: &'a NotShownRule| {
        let NotShownRule {
            rule,
            level,
            place,
            wanted,
            lacks,
            ..
        } = not_shown;
        NotShownStory {
            wanted: truncate::bytes(wanted, LONGEST),
            message: truncate::bytes(lacks, LONGEST),
            rule,
            level: level.as_str(),
            file: &place.file,
            line: place.line,
        }
    };
    rules.iter().map(story).collect()
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

fn finding(failure: &Failure) -> FindingStory<'_> {
    let Failure {
        rule,
        level,
        place,
        excerpt,
        message,
        difference,
        help,
        events,
        ..
    } = failure;
    let seen: Vec<&str> = failure.evidence().collect();
    let source = excerpt.lines.iter().map(
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
    FindingStory {
        message: truncate::bytes(message, LONGEST),
        expected: truncate::bytes(failure.expectation().unwrap_or_default(), LONGEST),
        more_seen: seen.len().saturating_sub(MOST_SEEN),
        seen: seen
            .into_iter()
            .take(MOST_SEEN)
            .map(|seen| truncate::bytes(seen, LONGEST))
            .collect(),
        difference: difference.as_ref().map(ToString::to_string),
        judge: judged(failure.ruling.as_ref(), message),
        help: help.as_ref().map(|help| truncate::bytes(help, LONGEST)),
        events,
        level: level.as_str(),
        rule,
        file: &place.file,
        line: place.line,
        source: source.collect(),
        further: 0,
    }
}
