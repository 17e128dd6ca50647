//! The data of a test for the script of the page: a row for the list, and its turns, which are read when the test is opened.
//! Times are milliseconds; empty fields are omitted.

use serde::Serialize;

use super::story::{self, ProblemStory, RuleStory, TurnStory};
use crate::report::words::stability::{
    checkpoint as checkpoint_rate, decision, flip, numbers, rate, spent, times, tries,
};
use crate::report::words::walks::{details, summary};
use crate::report::words::{checkpoints, headline_in_one_line, title};
use crate::run_document::{milliseconds, part};
use ananke_base::context::iso8601;
use ananke_base::text::truncate;
use ananke_trace::outcome::{CheckpointOutcome, CountedStatus, Outcome, StatusChange};

/// All kinds, in the order in which people look at them.
pub(super) const KINDS: [&str; 9] = [
    "failed",
    "error",
    "timeout",
    "undecided",
    "not_shown",
    "quarantined",
    "flaky",
    "passed",
    "skipped",
];

/// The kind of a test: its status; of one in quarantine that did not pass, and of one that passed on a retry, a kind of its own.
pub(super) fn kind(outcome: &Outcome) -> &'static str {
    match outcome.counted() {
        CountedStatus::Quarantined(_) => "quarantined",
        CountedStatus::Flaky => "flaky",
        CountedStatus::As(status) => status.as_str(),
    }
}

/// The numbers of tests of each kind.
#[derive(Debug, Default)]
pub(super) struct KindCounts([usize; KINDS.len()]);

impl KindCounts {
    /// Counts one more test.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let kind = kind(outcome);
        for (count, _) in self.0.iter_mut().zip(KINDS).filter(|(_, own)| *own == kind) {
            *count += 1;
        }
    }

    /// The kinds of which there are tests, each with its count.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let counts = self.0.iter().copied().zip(KINDS);
        counts.filter(|(count, _)| *count > 0)
    }
}

/// The most characters of a finding in the list.
const LONGEST_HEADLINE: usize = 400;

/// The number of the tools of a test that can be searched for.
const MOST_TOOLS: usize = 20;

part! {
    /// A test in the list.
    #[derive(Debug, Serialize)]
    pub(super) struct TestRow<'a> of (outcome: &'a Outcome) {
        id: &'a str = &outcome.test.id;
        name: String = title(outcome);
        file: &'a str = &outcome.test.file;
        line?: u32 = (!outcome.test.is_without_file).then_some(outcome.test.line);
        target: &'a str = &outcome.test.target;
        status: &'static str = outcome.status().as_str();
        /// The kind under which it is counted.
        kind: &'static str = kind(outcome);
        change?: &'static str = outcome.change.map(StatusChange::as_str);
        duration_ms?: f64 = outcome.transcript.duration().map(milliseconds);
        tags*: &'a [String] = &outcome.test.about.tags;
        tools*: Vec<&'a str> = story::tools(outcome, MOST_TOOLS);
        headline?: String = headline(outcome);
        /// The number of its runs that passed, if the test ran several times.
        runs?: String = {
            let stability = outcome.stability.as_ref();
            stability.map(|stability| format!("{}/{}", stability.passed, stability.runs()))
        };
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        quarantined: bool = outcome.test.quarantine.is_some();
    }
}

part! {
    /// The details of a test, as it is read.
    #[derive(Debug, Serialize)]
    pub(super) struct TestDetails<'a> of (outcome: &'a Outcome) {
        description?: &'a str = outcome.test.about.description.as_deref();
        agent: &'a str = &outcome.test.agent;
        thread_id: &'a str = &outcome.transcript.thread_id;
        started: String = iso8601(outcome.transcript.started_unix_ms);
        recording?: &'a str = outcome.transcript.recording.as_deref();
        quarantine?: String = outcome.test.quarantine.as_ref().map(ToString::to_string);
        other_attempts*: Vec<AttemptDetails<'a>> = other_attempts(outcome);
        /// The results of several runs, line by line.
        runs*: Vec<String> = runs(outcome);
        #[serde(flatten)]
        story: Story<'a> = Story::of(outcome);
    }
}

part! {
    /// The result of an attempt other than the one that the test is shown by.
    #[derive(Debug, Serialize)]
    pub(super) struct AttemptDetails<'a> of (called: String, outcome: &'a Outcome) {
        name: String = called;
        status: &'static str = outcome.status().as_str();
        duration_ms?: f64 = outcome.transcript.duration().map(milliseconds);
        headline?: String = headline(outcome);
        #[serde(flatten)]
        story: Story<'a> = Story::of(outcome);
    }
}

part! {
    /// The events of the attempt, and the problems of it as a whole.
    #[derive(Debug, Serialize)]
    pub(super) struct Story<'a> of (outcome: &'a Outcome) {
        let verdict = &outcome.verdict;
        let transcript = &outcome.transcript;
        turns: Vec<TurnStory<'a>> = story::turns(outcome);
        #[serde(skip_serializing_if = "story::is_zero")]
        turns_not_run: usize = transcript.turns_not_run as usize;
        skip_reason?: &'a str = verdict.end().skip_reason();
        problem?: ProblemStory<'a> = verdict.end().problem().map(ProblemStory::of);
        findings*: Vec<RuleStory<'a>> = story::findings(verdict.failures());
        /// The checkpoints of a simulated conversation, a line each.
        checkpoints*: Vec<CheckpointStory> =
            transcript.checkpoints.iter().map(CheckpointStory::of).collect();
        passed*: Vec<RuleStory<'a>> = story::passed(outcome.passed_rules());
        /// The rules that a trace does not show.
        not_shown*: Vec<RuleStory<'a>> = story::not_shown(verdict.not_shown());
        warnings*: &'a [String] = &verdict.warnings;
        silenced*: &'a [String] = &verdict.silenced;
    }
}

part! {
    /// A checkpoint of a simulated conversation.
    #[derive(Debug, Serialize)]
    pub(super) struct CheckpointStory of (checkpoint: &CheckpointOutcome) {
        let words = checkpoints::words(checkpoint);
        status: &'static str = words.status.as_str();
        text: String = words.text;
        note: String = words.note;
    }
}

/// The other side of a comparison, a run for each reason, the attempts that were retried.
fn other_attempts(outcome: &Outcome) -> Vec<AttemptDetails<'_>> {
    let other_side = outcome
        .other_side()
        .into_iter()
        .map(|other| AttemptDetails::of("The other time".to_owned(), other));
    let failed = outcome
        .stability
        .iter()
        .flat_map(|stability| &stability.failures);
    let of_runs = failed.filter_map(|failed| {
        let name = numbers(failed).replacen('r', "R", 1);
        outcome
            .example(failed)
            .map(|example| AttemptDetails::of(name, example))
    });
    let retried = (1..).zip(&outcome.earlier_attempts);
    let retried =
        retried.map(|(number, earlier)| AttemptDetails::of(format!("Attempt {number}"), earlier));
    other_side.chain(of_runs).chain(retried).collect()
}

/// The results of the runs, and those with the reason that the test is shown by.
fn runs(outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::from_iter(flip(outcome));
    let Some(stability) = outcome.stability.as_deref() else {
        if let Some(walks) = &outcome.walks {
            lines.push(summary(walks));
            lines.extend(details(walks));
        }
        return lines;
    };
    lines.push(rate(stability));
    lines.extend(decision(stability));
    lines.push(times(stability));
    lines.extend(spent(stability));
    lines.extend(tries(stability));
    let reached = stability.checkpoints.iter();
    lines.extend(reached.map(|reached| checkpoint_rate(reached, stability.runs())));
    for failed in &stability.failures {
        // A failure with an example is shown with its transcript.
        if outcome.example(failed).is_none() {
            let message = truncate::chars(&failed.message, LONGEST_HEADLINE);
            let status = failed.status.as_str();
            lines.push(format!("{} {status}: {message}", numbers(failed)));
        }
    }
    if stability.runs() > 1 {
        lines.push(format!("run {} is shown below", outcome.run));
    }
    lines
}

fn headline(outcome: &Outcome) -> Option<String> {
    let sentence = headline_in_one_line(outcome)?;
    Some(truncate::chars(&sentence, LONGEST_HEADLINE).into_owned())
}
