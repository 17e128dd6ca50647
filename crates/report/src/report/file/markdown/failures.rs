//! The tests that failed, in a given room: a table of their causes, then for each cause its first test with its findings. If there
//! is little room, first transcripts get shorter, then the last are only counted.

use std::hash::{BuildHasher as _, RandomState};

use indexmap::IndexMap;

use super::words::{cell, folded};
use super::{code, message};
use crate::report::document::counted;
use crate::report::layout::mark;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, attempts, transcript};
use crate::report::words::links::line_of_file;
use crate::report::words::record_again::RecordAgain;
use crate::report::words::stability::rate;
use crate::report::words::walks::summary;
use ananke_base::text::{HeadTail, duration, grouped};
use ananke_trace::outcome::{Causes, CommonCause, Outcome, Specimen, StatusChange};
use ananke_trace::process::in_one_line;

/// The most reasons in the report, however much room there is: longer lists are for programs.
const MOST: usize = 500;

/// The number of failures that are open; the others are collapsed together.
const OPEN: usize = 10;

/// The most rows of the table, and the most tests of a reason that are listed.
const MOST_ROWS: usize = 50;
const MOST_OF_REASON: usize = 10;

/// The most bytes that are kept of one transcript.
const LONGEST_TRANSCRIPT: usize = 8 << 10;

/// A transcript that would be shorter than this says nothing.
const SHORTEST_TRANSCRIPT: usize = 400;

/// The most bytes of the findings of one test.
const FINDINGS: usize = 2 << 10;

/// The most bytes of an id in a list or a row, and of a reason.
const NAME: usize = 200;

/// The longest path that is linked, in bytes.
const LINKED: usize = 400;

/// Lines indented this far are a code block, whatever they contain.
const CODE_BLOCK: usize = 4;

/// The tests that failed, as many as there may be room for.
#[derive(Debug)]
pub(super) struct Failures {
    /// By a hash of the reasons.
    groups: IndexMap<u64, FailureGroup>,
    hasher: RandomState,
    /// The number of tests that failed.
    tests: usize,
    /// The number of bytes that heads and rows take.
    bytes: usize,
    room: usize,
    /// Whether a reason had no room: then no later one has.
    is_full: bool,
}

/// The tests that failed for one reason.
#[derive(Debug)]
struct FailureGroup {
    /// An entry of a list for each of the first of them.
    entries: Vec<String>,
    /// The number of all of them.
    tests: usize,
    /// The name of the first test, and its verdict.
    head: String,
    /// The result of its runs, and what is wrong.
    findings: String,
    transcript: HeadTail,
    record_again: RecordAgain,
}

impl Failures {
    /// As many as `room` bytes can hold.
    pub(super) fn new(room: usize) -> Self {
        Self {
            groups: IndexMap::new(),
            hasher: RandomState::new(),
            tests: 0,
            bytes: 0,
            room,
            is_full: false,
        }
    }

    /// Adds a test, whose files are under `blob_url`.
    pub(super) fn add(&mut self, outcome: &Outcome, blob_url: Option<&str>) {
        self.tests += 1;
        let key = self.hasher.hash_one(outcome.reason());
        let entry = entry(outcome, blob_url);
        if let Some(known) = self.groups.get_mut(&key) {
            known.tests += 1;
            known.record_again.add(outcome);
            if known.entries.len() < MOST_OF_REASON && self.bytes + entry.len() <= self.room {
                self.bytes += entry.len();
                known.entries.push(entry);
            }
            return;
        }
        if self.is_full || self.groups.len() == MOST {
            return;
        }
        let group = FailureGroup::of(outcome, entry);
        let size = group.size();
        self.is_full = self.bytes + size > self.room;
        if !self.is_full {
            self.bytes += size;
            self.groups.insert(key, group);
        }
    }

    /// The first failure of each reason in full, in at most `room` bytes.
    pub(super) fn details(&self, room: usize) -> String {
        let around = further(usize::MAX).len() + folded(&more(usize::MAX), "").len();
        let mut left = room.saturating_sub(around);
        let mut fitting = Vec::new();
        let mut groups: Vec<&FailureGroup> = self.groups.values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.tests));
        for group in groups {
            let Some(rest) = left.checked_sub(group.size()) else {
                break;
            };
            left = rest;
            fitting.push(group);
        }
        let most = share(&fitting, left);
        let sections: Vec<String> = fitting.iter().map(|group| group.text(most)).collect();
        let (open, collapsed) = sections.split_at(sections.len().min(OPEN));
        let mut text = open.concat();
        if !collapsed.is_empty() {
            text += &folded(&more(collapsed.len()), &collapsed.concat());
        }
        let shown: usize = fitting.iter().map(|group| group.tests).sum();
        if self.tests > shown {
            text += &further(self.tests - shown);
        }
        text
    }
}

/// What is said of the other tests of a reason.
const SAME: &str = "for the same reason";

/// A row for each cause, in at most `room` bytes; empty if there are none.
pub(super) fn table(causes: &Causes, blob_url: Option<&str>, room: usize) -> String {
    let mut table = "| Cause | Tests | First |\n|---|---|---|\n".to_owned();
    let all = causes.largest_first();
    let room = room.saturating_sub(more_row(usize::MAX, usize::MAX).len());
    let mut rows = 0;
    for cause in &all {
        let row = row(cause, blob_url);
        if rows == MOST_ROWS || table.len() + row.len() > room {
            break;
        }
        table += &row;
        rows += 1;
    }
    if rows == 0 {
        return String::new();
    }
    let left = all.len() - rows;
    if left + causes.further() > 0 {
        table += &more_row(left, causes.further());
    }
    table + "\n"
}

/// The row of the table that counts causes that have none, and findings of which no cause is kept.
fn more_row(causes: usize, findings: usize) -> String {
    let causes = (causes > 0).then(|| counted(causes, "more cause"));
    let findings = (findings > 0).then(|| counted(findings, "finding") + " of others");
    let parts: Vec<String> = causes.into_iter().chain(findings).collect();
    format!("| … and {} | | |\n", parts.join(", and "))
}

/// The row of a cause.
fn row(cause: &CommonCause, blob_url: Option<&str>) -> String {
    let Specimen {
        file,
        line,
        has_file,
        status,
        ..
    } = &cause.specimen;
    let blob_url = blob_url.filter(|_| *has_file);
    format!(
        "| {} {} | {} | {} |\n",
        mark(*status),
        cell(&message(&in_one_line(&cause.sentence), NAME)),
        grouped(cause.tests),
        place(file, *line, blob_url),
    )
}

/// The entry of a test in the list of those of one reason.
fn entry(outcome: &Outcome, blob_url: Option<&str>) -> String {
    let change = outcome.change.map(StatusChange::as_str);
    let (file, line) = outcome.headline_place();
    let blob_url = blob_url.filter(|_| outcome.test.has_file(file));
    format!(
        "- {} {}{} {}\n",
        mark(outcome.status()),
        code(&outcome.test.id, NAME),
        change.map_or_else(String::new, |change| format!(" {change}")),
        place(file, line, blob_url),
    )
}

/// The place of what is wrong; a link if the file is known to be on a server.
fn place(file: &str, line: u32, blob_url: Option<&str>) -> String {
    let shown = cell(&code(&format!("{file}:{line}"), NAME));
    let address = blob_url
        .filter(|_| file.len() <= LINKED)
        .and_then(|directory| line_of_file(directory, file, line));
    match address {
        Some(address) => format!("[{shown}]({address})"),
        None => shown,
    }
}

impl FailureGroup {
    fn of(outcome: &Outcome, entry: String) -> Self {
        let findings = findings(outcome);
        let [head, runs] = head(outcome);
        let mut record_again = RecordAgain::default();
        record_again.add(outcome);
        Self {
            entries: vec![entry],
            tests: 1,
            record_again,
            head,
            transcript: kept_transcript(outcome, &findings),
            findings: if findings.is_empty() {
                runs
            } else {
                runs + &findings + "\n"
            },
        }
    }

    /// The number of bytes that it takes without its transcript.
    fn size(&self) -> usize {
        self.text(0).len()
    }

    /// The number of the other tests, after the verdict of the first.
    fn others(&self) -> String {
        match self.tests - 1 {
            0 => String::new(),
            1 => format!(", and 1 more test {SAME}"),
            others => format!(", and {} more tests {SAME}", grouped(others)),
        }
    }

    /// All of it, with at most `most` bytes of its transcript.
    fn text(&self, most: usize) -> String {
        let mut text = format!("{}{}\n\n{}", self.head, self.others(), self.findings);
        let has_room = self.transcript.size() <= most || most >= SHORTEST_TRANSCRIPT;
        if has_room && self.transcript.size() > 0 {
            text += &folded(
                "transcript",
                &self.transcript.clone().shortened(most).to_string(),
            );
        }
        if self.tests > 1 {
            // The details have the command for the first test alone.
            if let Some(command) = self.record_again.command() {
                text += &["record all again: ", &code(&command, NAME), "\n\n"].concat();
            }
            let further = match self.tests - self.entries.len() {
                0 => String::new(),
                left => format!("- … and {} more\n", grouped(left)),
            };
            let tests = format!("{} tests", grouped(self.tests));
            text += &folded(&tests, &(self.entries.concat() + &further));
        }
        text
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
    format!("… and the details of {} more\n\n", grouped(count))
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

/// The name of a test with its verdict, and the result of its runs.
fn head(outcome: &Outcome) -> [String; 2] {
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
        "### {} {}\n\n{status}{time}{attempts}{change}",
        mark(outcome.status()),
        code(&outcome.test.id, 400),
    );
    [heading, runs.unwrap_or_default()]
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
