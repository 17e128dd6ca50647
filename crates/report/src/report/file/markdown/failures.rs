//! The tests that failed, in a given room: a table of them, then each with its findings, the first of them open. Failures
//! with the same reason are one. If there is little room, first transcripts get shorter, then the last are only counted.

use std::fmt::Write as _;

use indexmap::IndexMap;

use super::words::{cell, code, folded, message};
use crate::report::layout::mark;
use crate::report::transcript::attempts;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, transcript};
use crate::report::words::stability::rate;
use crate::report::words::walks::summary;
use ananke_base::text::{HeadTail, duration, grouped};
use ananke_trace::outcome::Outcome;
use ananke_trace::process::in_one_line;

/// The most tests in the report, however much room there is: longer lists are for programs.
const MOST: usize = 500;

/// The number of failures that are open; the others are collapsed together.
const OPEN: usize = 10;

/// The most rows of the table.
const MOST_ROWS: usize = 50;

/// The most bytes that are kept of one transcript.
const LONGEST_TRANSCRIPT: usize = 8 << 10;

/// A transcript that would be shorter than this says nothing.
const SHORTEST_TRANSCRIPT: usize = 400;

/// The most bytes of the findings of one test.
const FINDINGS: usize = 2 << 10;

/// The most bytes of an id in a list or a row, and of a reason.
const NAME: usize = 200;

/// Lines indented this far are a code block, whatever they contain.
const CODE_BLOCK: usize = 4;

/// The tests that failed, as many as there may be room for.
#[derive(Debug)]
pub(super) struct Failures {
    /// By reason.
    groups: IndexMap<String, FailureGroup>,
    tests: usize,
    /// The number of bytes that the heads and rows of those take.
    bytes: usize,
    room: usize,
    further: usize,
}

/// The tests that failed for one reason.
#[derive(Debug)]
struct FailureGroup {
    /// The row of the table without the number of tests.
    row: [String; 4],
    /// The name of the first test, its verdict, and what is wrong.
    head: String,
    transcript: HeadTail,
    /// The ids of the others.
    others: Vec<String>,
}

impl Failures {
    /// As many as `room` bytes can hold.
    pub(super) fn new(room: usize) -> Self {
        Self {
            groups: IndexMap::new(),
            tests: 0,
            bytes: 0,
            room,
            further: 0,
        }
    }

    pub(super) fn add(&mut self, outcome: &Outcome) {
        let reason = outcome
            .headline()
            .map_or(outcome.status().as_str(), |(_, reason)| reason);
        let reason = in_one_line(reason);
        let id = code(&outcome.test.id, NAME);
        let known = self.groups.get_mut(&reason);
        let group = known.is_none().then(|| FailureGroup::of(outcome, &reason));
        let size = group.as_ref().map_or(id.len() + 3, FailureGroup::size);
        if self.further > 0 || self.tests == MOST || self.bytes + size > self.room {
            self.further += 1;
            return;
        }
        (self.tests, self.bytes) = (self.tests + 1, self.bytes + size);
        match (known, group) {
            (Some(known), _) => known.others.push(id),
            (None, Some(group)) => _ = self.groups.insert(reason, group),
            (None, None) => {}
        }
    }

    /// The failures in at most `room` bytes.
    pub(super) fn text(&self, room: usize) -> String {
        let around = further(usize::MAX).len() + folded(&more(usize::MAX), "").len();
        let mut left = room.saturating_sub(around);
        let table = self.table(left / 4);
        left -= table.len();
        let mut fitting = Vec::new();
        for group in self.groups.values() {
            let Some(rest) = left.checked_sub(group.size()) else {
                break;
            };
            left = rest;
            fitting.push(group);
        }
        let most = share(&fitting, left);
        let sections: Vec<String> = fitting.iter().map(|group| group.text(most)).collect();
        let (open, collapsed) = sections.split_at(sections.len().min(OPEN));
        let mut text = table + &open.concat();
        if !collapsed.is_empty() {
            text += &folded(&more(collapsed.len()), &collapsed.concat());
        }
        let shown: usize = fitting.iter().map(|group| group.others.len() + 1).sum();
        let left_out = self.tests - shown + self.further;
        if left_out > 0 {
            text += &further(left_out);
        }
        text
    }

    /// A row for each reason, in at most `room` bytes; empty for one failure, which its heading names.
    fn table(&self, room: usize) -> String {
        if self.groups.len() < 2 {
            return String::new();
        }
        let mut table = "| | test | reason | time |\n|---|---|---|---|\n".to_owned();
        let mut left_out = self.groups.len();
        for FailureGroup {
            row: [mark, id, reason, time],
            others,
            ..
        } in self.groups.values().take(MOST_ROWS)
        {
            let more = if others.is_empty() {
                String::new()
            } else {
                format!(" and {} more", others.len())
            };
            let row = format!("| {mark} | {id}{more} | {reason} | {time} |\n");
            if table.len() + row.len() > room {
                break;
            }
            table += &row;
            left_out -= 1;
        }
        if left_out > 0 {
            let _ = writeln!(table, "| | … and {left_out} more | | |");
        }
        if table.len() > room {
            String::new()
        } else {
            table + "\n"
        }
    }
}

impl FailureGroup {
    fn of(outcome: &Outcome, reason: &str) -> Self {
        let row = [
            mark(outcome.status()).to_owned(),
            cell(&code(&outcome.test.id, NAME)),
            cell(&message(reason, NAME)),
            took(outcome).unwrap_or_default().replace(' ', "\u{a0}"),
        ];
        let findings = findings(outcome);
        Self {
            row,
            head: head(outcome, &findings),
            transcript: kept_transcript(outcome, &findings),
            others: Vec::new(),
        }
    }

    /// The number of bytes that it takes without its transcript.
    fn size(&self) -> usize {
        self.head.len() + self.others().len()
    }

    /// The other tests, collapsed.
    fn others(&self) -> String {
        if self.others.is_empty() {
            return String::new();
        }
        let list = self
            .others
            .iter()
            .fold(String::new(), |list, id| list + "- " + id + "\n");
        let plural = if self.others.len() == 1 {
            "test"
        } else {
            "tests"
        };
        folded(
            &format!("{} more {plural} with the same reason", self.others.len()),
            &list,
        )
    }

    /// All of it, with at most `most` bytes of its transcript.
    fn text(&self, most: usize) -> String {
        let mut text = self.head.clone();
        let has_room = self.transcript.size() <= most || most >= SHORTEST_TRANSCRIPT;
        if has_room && self.transcript.size() > 0 {
            text += &folded(
                "transcript",
                &self.transcript.clone().shortened(most).to_string(),
            );
        }
        text + &self.others()
    }
}

/// The length that every transcript may have, so that all of them and the text around them take `room` bytes: what the
/// short ones leave is for the long ones.
fn share(groups: &[&FailureGroup], room: usize) -> usize {
    let around = folded("transcript", "").len() + CODE_BLOCK + HeadTail::LONGEST_MARK;
    let mut lengths: Vec<usize> = groups
        .iter()
        .map(|group| group.transcript.size() + around)
        .collect();
    lengths.sort_unstable();
    let mut left = room;
    for (shared, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - shared);
        if *length > share {
            return share.saturating_sub(around);
        }
        left -= length;
    }
    usize::MAX
}

fn further(count: usize) -> String {
    format!("… and {} more that did not pass\n\n", grouped(count))
}

/// The line above the failures that are collapsed.
fn more(count: usize) -> String {
    format!(
        "{} more {}",
        grouped(count),
        if count == 1 { "failure" } else { "failures" }
    )
}

/// The findings.
fn findings(outcome: &Outcome) -> String {
    let style = TranscriptStyle {
        indent: CODE_BLOCK,
        item: 400,
        whole: FINDINGS,
        ..TranscriptStyle::for_files(TranscriptScope::Findings)
    };
    transcript(outcome, style)
}

fn head(outcome: &Outcome, findings: &str) -> String {
    let status = outcome.status().words();
    let of = outcome.attempt();
    let attempts = if of > 1 {
        format!(", attempt {of} of {of}")
    } else {
        String::new()
    };
    let change = outcome
        .change
        .map(|change| format!(", {}", change.as_str()));
    let change = change.unwrap_or_default();
    let time = took(outcome)
        .map(|took| format!(" after {took}"))
        .unwrap_or_default();
    let of_walks = outcome.walks.as_deref().map(summary);
    let runs = outcome
        .stability
        .as_deref()
        .map(rate)
        .or(of_walks)
        .map(|came_to| format!("{came_to}\n\n"));
    let heading = format!(
        "### {} {}\n\n{status}{time}{attempts}{change}\n\n{}",
        mark(outcome.status()),
        code(&outcome.test.id, 400),
        runs.unwrap_or_default()
    );
    if findings.is_empty() {
        heading
    } else {
        heading + findings + "\n"
    }
}

/// The agent's time, unless a trace does not show it.
fn took(outcome: &Outcome) -> Option<String> {
    outcome.transcript.duration().map(duration::rounded)
}

/// The transcript; empty if it says nothing but what is wrong.
fn kept_transcript(outcome: &Outcome, findings: &str) -> HeadTail {
    let style = TranscriptStyle {
        indent: CODE_BLOCK,
        whole: usize::MAX,
        ..TranscriptStyle::for_files(TranscriptScope::Everything)
    };
    let story = attempts(outcome, style) + &transcript(outcome, style);
    let story = if story == findings {
        String::new()
    } else {
        story
    };
    HeadTail::new(story).shortened(LONGEST_TRANSCRIPT)
}
