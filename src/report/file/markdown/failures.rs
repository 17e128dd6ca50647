//! The tests that failed, in a given room: first their transcripts get shorter, then the last of them are only counted.

use super::words::{code, folded};
use crate::outcome::Outcome;
use crate::report::layout::mark;
use crate::report::transcript::earlier_attempts;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, transcript};
use crate::text::{HeadTail, duration};

/// The most tests in the report, however much room there is: longer lists are for programs.
const MOST: usize = 500;

/// The most bytes that are kept of one transcript.
const LONGEST_TRANSCRIPT: usize = 8 << 10;

/// A transcript that would be shorter than this says nothing.
const SHORTEST_TRANSCRIPT: usize = 400;

/// The most bytes of the findings of one test.
const FINDINGS: usize = 2 << 10;

/// Lines indented this far are a code block, whatever they contain.
const CODE_BLOCK: usize = 4;

/// The tests that failed, as many as there may be room for.
#[derive(Debug)]
pub(super) struct Failures {
    kept: Vec<FailedTest>,
    /// How many bytes the heads of those take.
    bytes: usize,
    room: usize,
    further: usize,
}

/// One test.
#[derive(Debug)]
struct FailedTest {
    /// Its name, its verdict, and what is wrong.
    head: String,
    transcript: HeadTail,
}

impl Failures {
    /// As many as `room` bytes can hold.
    pub(super) fn new(room: usize) -> Self {
        Self { kept: Vec::new(), bytes: 0, room, further: 0 }
    }

    pub(super) fn add(&mut self, outcome: &Outcome) {
        if self.further > 0 || self.kept.len() == MOST {
            self.further += 1;
            return;
        }
        let head = head(outcome);
        if self.bytes + head.len() > self.room {
            self.further += 1;
            return;
        }
        self.bytes += head.len();
        self.kept.push(FailedTest { head, transcript: kept_transcript(outcome) });
    }

    /// The failures in at most `room` bytes.
    pub(super) fn text(&self, room: usize) -> String {
        let mut left = room.saturating_sub(further(usize::MAX).len());
        let mut fitting = Vec::new();
        for test in &self.kept {
            let Some(rest) = left.checked_sub(test.head.len()) else { break };
            left = rest;
            fitting.push(test);
        }
        let most = share(&fitting, left);
        let mut text = String::new();
        for FailedTest { head, transcript } in &fitting {
            text.push_str(head);
            if transcript.size() <= most || most >= SHORTEST_TRANSCRIPT {
                text += &folded("transcript", &transcript.clone().shortened(most).to_string());
            }
        }
        let left_out = self.kept.len() - fitting.len() + self.further;
        if left_out > 0 {
            text += &further(left_out);
        }
        text
    }
}

/// How long every transcript may be, so that all of them and the text around them take `room` bytes: what the short
/// ones leave is for the long ones.
fn share(tests: &[&FailedTest], room: usize) -> usize {
    let around = folded("transcript", "").len() + CODE_BLOCK + HeadTail::LONGEST_MARK;
    let mut lengths: Vec<usize> = tests.iter().map(|test| test.transcript.size() + around).collect();
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
    format!("… and {count} more that did not pass\n\n")
}

fn head(outcome: &Outcome) -> String {
    let status = outcome.status().as_str();
    let of = outcome.attempt();
    let attempts = if of > 1 { format!(", attempt {of} of {of}") } else { String::new() };
    let time = duration::rounded(outcome.transcript.duration_us);
    let heading = format!(
        "### {} {}\n\n{status} after {time}{attempts}\n\n",
        mark(outcome.status()),
        code(&outcome.test.id, 400)
    );
    let findings = TranscriptStyle {
        indent: CODE_BLOCK,
        item: 400,
        whole: FINDINGS,
        ..TranscriptStyle::for_files(TranscriptScope::Findings)
    };
    let findings = transcript(outcome, findings);
    if findings.is_empty() { heading } else { heading + &findings + "\n" }
}

fn kept_transcript(outcome: &Outcome) -> HeadTail {
    let style = TranscriptStyle {
        indent: CODE_BLOCK,
        whole: usize::MAX,
        ..TranscriptStyle::for_files(TranscriptScope::Everything)
    };
    let story = earlier_attempts(outcome, style) + &transcript(outcome, style);
    HeadTail::new(story).shortened(LONGEST_TRANSCRIPT)
}
