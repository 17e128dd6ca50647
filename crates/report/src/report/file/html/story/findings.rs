//! The findings: each rule that failed, with its events and its lines in its file; and the rules that passed.

use std::borrow::Cow;

use serde::Serialize;

use super::lines::EventKey;
use crate::report::words::measured::got_of_limit;
use crate::report::words::ruling;
use crate::run_document::part;
use ananke_base::diagnostic::ExcerptLine;
use ananke_base::text::truncate;
use ananke_trace::outcome::{EvidenceLine, Problem, RuleResult, Ruling, ValueDifference};

/// The most bytes of each part of a finding.
const LONGEST: usize = 4 << 10;

/// The most findings of one part of a test.
const MOST: usize = 100;

/// The number of the things seen instead that are shown with a finding.
const MOST_SEEN: usize = 10;

part! {
    /// A rule and its result.
    #[derive(Debug, Serialize)]
    pub(crate) struct RuleStory<'a> of (result: &'a RuleResult) {
        let said = result.evidence().map(EvidenceLine::text).collect::<Vec<_>>();
        let expectation = if result.has_failed() {
            result.expectation().unwrap_or_default()
        } else {
            &result.expected
        };
        /// The message of a rule that failed, or what is not shown; empty of a rule that passed.
        #[serde(skip_serializing_if = "str::is_empty")]
        message: Cow<'a, str> = bounded(&result.message);
        /// The expectation; of a rule that failed only what the message does not say of it.
        #[serde(skip_serializing_if = "str::is_empty")]
        expected: Cow<'a, str> = bounded(expectation);
        /// The measured value of a limit, and the limit, of a rule that passed.
        measured?: String = got_of_limit(result).filter(|_| result.has_passed());
        seen*: Vec<Cow<'a, str>> = said.iter().take(MOST_SEEN).map(|text| bounded(text)).collect();
        #[serde(skip_serializing_if = "is_zero")]
        more_seen: usize = said.len().saturating_sub(MOST_SEEN);
        /// The values that differ, as `seen` shows them: what was found, and what was expected.
        differences*: Vec<[&'a str; 2]> =
            result.differences.iter().map(ValueDifference::shown).collect();
        difference?: String = result.difference.as_ref().map(ToString::to_string);
        /// The decision of a judge.
        judge*: Vec<String> = judged(result.ruling.as_ref(), &result.message);
        help?: Cow<'a, str> = result.help.as_deref().map(bounded);
        events*: Vec<EventKey> = result.events.iter().copied().map(EventKey).collect();
        level: &'static str = result.level.as_str();
        #[serde(skip_serializing_if = "str::is_empty")]
        rule: &'a str = &result.rule;
        file: &'a str = &result.place.file;
        line: u32 = result.place.line;
        source*: Vec<SourceLine<'a>> = result.excerpt.lines.iter().map(SourceLine::of).collect();
        /// The number of findings that are omitted.
        #[serde(skip_serializing_if = "is_zero")]
        further: usize = 0;
    }
}

part! {
    /// A line of the file that the rule is written in.
    #[derive(Debug, Serialize)]
    pub(crate) struct SourceLine<'a> of (line: &'a ExcerptLine) {
        number: u32 = line.number;
        text: &'a str = &line.text;
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        meant: bool = line.is_meant;
    }
}

part! {
    /// The reason that something could not be evaluated to its end.
    #[derive(Debug, Serialize)]
    pub(crate) struct ProblemStory<'a> of (problem: &'a Problem) {
        kind: &'static str = problem.kind.as_str();
        message: Cow<'a, str> = bounded(&problem.message);
        help?: Cow<'a, str> = problem.help.as_deref().map(bounded);
    }
}

/// A text that is truncated if it is too long for a finding.
fn bounded(text: &str) -> Cow<'_, str> {
    truncate::bytes(text, LONGEST)
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
    let mut shown: Vec<RuleStory<'_>> = failures.by_ref().take(MOST).map(RuleStory::of).collect();
    if let Some(last) = shown.last_mut() {
        last.further = failures.count();
    }
    shown
}

/// The rules that passed, as many as a person reads.
pub(crate) fn passed<'a>(rules: impl Iterator<Item = &'a RuleResult>) -> Vec<RuleStory<'a>> {
    rules.take(MOST).map(RuleStory::of).collect()
}

/// The rules that are not shown: all of them, since none may be overlooked.
pub(crate) fn not_shown<'a>(rules: impl Iterator<Item = &'a RuleResult>) -> Vec<RuleStory<'a>> {
    rules.map(RuleStory::of).collect()
}

/// The decision of a judge, line by line; without a reason that `message` gives already.
fn judged(ruling: Option<&Ruling>, message: &str) -> Vec<String> {
    let lines = ruling
        .map(|ruling| ruling::lines(ruling, message))
        .unwrap_or_default();
    lines
        .iter()
        .take(MOST)
        .map(|line| bounded(line).into_owned())
        .collect()
}
