//! One test as a case: its names, its properties, what is wrong with it, and its transcript.

use std::fmt::Write as _;
use std::io::{self, Write};

use quick_xml::Writer;

use super::element::short;
use super::{Element, element, words};
use crate::report::build_job::BuildJob;
use crate::report::transcript::{TranscriptScope, TranscriptStyle, attempts, transcript};
use crate::report::words::picks;
use crate::report::words::stability::{flip, percent};
use crate::report::words::title;
use ananke_base::text::{escape, is_confusable};
use ananke_trace::outcome::{CountedStatus, Outcome, Status, TestIdentity, TurnOutcome};
use ananke_trace::trace::AgentTime;

/// The depth of cases in the document.
const CASE_DEPTH: usize = 2;

/// Writes `outcome` as a case of the default profile; of a test that fails the run with the mark of its `cause` as its message.
pub(super) fn write<W: Write>(
    writer: &mut Writer<W>,
    outcome: &Outcome,
    job: &BuildJob,
    cause: Option<&str>,
) -> io::Result<()> {
    let named = named(outcome);
    let placed = if outcome.test.is_without_file {
        named
    } else {
        named
            .with("file", &job.file(&outcome.test.file))
            .with("line", &outcome.test.line.to_string())
    };
    let element = timed(placed, outcome);
    element.open(writer)?;

    let properties = Element::new("properties", CASE_DEPTH + 1);
    properties.open(writer)?;
    let thread = (!outcome.transcript.thread_id.is_empty())
        .then_some(("thread", outcome.transcript.thread_id.clone()));
    let always = [
        ("id", &outcome.test.id),
        ("target", &outcome.test.target),
        ("agent", &outcome.test.agent),
    ];
    let always = always
        .into_iter()
        .map(|(name, value)| (name, value.clone()));
    for (name, value) in always.chain(thread).chain(standing(outcome)) {
        Element::new("property", CASE_DEPTH + 2)
            .with("name", name)
            .with("value", &value)
            .empty(writer)?;
    }
    properties.close(writer)?;

    verdict(writer, outcome, cause)?;
    let style = TranscriptStyle::for_files(TranscriptScope::Everything);
    let mut transcript = conversation(outcome);
    if is_shielded(outcome) || outcome.earlier_attempts.is_empty() {
        transcript.insert_str(0, &attempts(outcome, style));
    } else {
        for attempt in &outcome.earlier_attempts {
            retried(writer, outcome, attempt)?;
        }
    }
    let attached = attachments(outcome, job);
    if !transcript.is_empty() || !attached.is_empty() {
        Element::new("system-out", CASE_DEPTH + 1).around(writer, |out| {
            out.write_all(element::content(&transcript).as_bytes())?;
            out.write_all(element::own(&attached).as_bytes())
        })?;
    }
    element.close(writer)
}

/// Writes `outcome` as a case of the strict profile: its verdict alone.
pub(super) fn write_strict<W: Write>(
    writer: &mut Writer<W>,
    outcome: &Outcome,
    cause: Option<&str>,
) -> io::Result<()> {
    let element = timed(named(outcome), outcome);
    if outcome.status() == Status::Passed {
        return element.empty(writer);
    }
    element.open(writer)?;
    verdict(writer, outcome, cause)?;
    element.close(writer)
}

/// The text that the strict profile writes of `outcome` with its suite: the properties of the default profile, and the
/// transcript.
pub(super) fn account(outcome: &Outcome) -> String {
    let TestIdentity {
        id, target, agent, ..
    } = &outcome.test;
    let thread_id = &outcome.transcript.thread_id;
    let mut account = format!("=== {}  {}\n", escape::line(id), outcome.status().words());
    let always = [("target", target), ("agent", agent), ("thread", thread_id)];
    let always = always
        .into_iter()
        .map(|(name, value)| (name, value.clone()));
    for (name, value) in always
        .chain(standing(outcome))
        .filter(|(_, value)| !value.is_empty())
    {
        // Writing to a String cannot fail.
        let _ = writeln!(account, "{name}: {}", escape::line(&value));
    }
    let style = TranscriptStyle::for_files(TranscriptScope::Everything);
    account + &attempts(outcome, style) + &transcript(outcome, style) + "\n"
}

/// The cost of all its runs and attempts in US dollars, as far as it is known.
fn cost(outcome: &Outcome) -> Option<(&'static str, String)> {
    let (_, spent) = outcome.spent();
    let cost = spent.cost()?;
    let name = if cost.is_partial {
        "partial_cost_usd"
    } else {
        "cost_usd"
    };
    Some((name, cost.known.number().to_string()))
}

/// The properties of a test in addition to its verdict.
fn standing(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let about = &outcome.test.about;
    let mut all = Vec::new();
    if let Some(text) = &about.description {
        all.push(("description", text.clone()));
    }
    if !about.tags.is_empty() {
        all.push(("tags", about.tags.join(", ")));
    }
    if outcome.transcript.time == AgentTime::Virtual {
        all.push(("virtual_time", "true".to_owned()));
    }
    all.extend(cost(outcome));
    if outcome.attempt() > 1 {
        all.push(("attempts", outcome.attempt().to_string()));
    }
    let not_needed = outcome.transcript.not_needed();
    if not_needed > 0 {
        all.push(("turns_not_needed", not_needed.to_string()));
    }
    if let Some(stability) = outcome.stability.as_deref() {
        // A program reads the rate as a number, without its sign.
        let pass_rate = percent(stability.pass_rate() / 100.0);
        let pass_rate = pass_rate.trim_end_matches('%').to_owned();
        all.push(("runs", stability.runs().to_string()));
        all.push(("pass_rate", pass_rate));
        all.push(("stability", stability.class().as_str().to_owned()));
    }
    if let Some(picks) = picks::of_test(outcome) {
        all.push(("picks", picks));
    }
    if let Some(walks) = &outcome.walks {
        all.push(("walks", walks.walks.to_string()));
        all.push(("passed_walks", walks.passed.to_string()));
        all.push(("seed", walks.seed.to_string()));
    }
    if let Some(verdicts) = flip(outcome) {
        all.push(("comparison", verdicts));
    }
    if let Some(change) = &outcome.change {
        all.push(("change", change.as_str().to_owned()));
    }
    if outcome.is_flaky() {
        all.push(("flaky", "true".to_owned()));
    }
    if let Some(entry) = &outcome.test.quarantine {
        all.push(("quarantine", entry.to_string()));
    }
    if let Some(file) = &outcome.transcript.recording {
        all.push(("recording", file.clone()));
    }
    all
}

/// Whether the test did not pass, and is skipped for readers since the quarantine shields the run from it: they fail a
/// build on every failure they see.
fn is_shielded(outcome: &Outcome) -> bool {
    matches!(outcome.counted(), CountedStatus::Quarantined(_))
}

/// An attempt at the test of `outcome` before the last, as Maven's Surefire writes it: `flaky…` in a test that passed in the end, `rerun…`
/// in one that did not. Readers expect the findings in an element of their own.
fn retried<W: Write>(
    writer: &mut Writer<W>,
    outcome: &Outcome,
    attempt: &Outcome,
) -> io::Result<()> {
    let name = match (outcome.is_flaky(), attempt.status()) {
        (true, Status::Failed) => "flakyFailure",
        (true, _) => "flakyError",
        (false, Status::Failed) => "rerunFailure",
        (false, _) => "rerunError",
    };
    let word = attempt.status().as_str();
    let (kind, message) = attempt.headline().unwrap_or((word, word));
    let message = short(message) + &and_more(attempt);
    let element = Element::new(name, CASE_DEPTH + 1)
        .with("message", &message)
        .with("type", kind);
    element.open(writer)?;
    let findings = findings(attempt);
    Element::new("stackTrace", CASE_DEPTH + 2).text(writer, &findings)?;
    let transcript = transcript(
        attempt,
        TranscriptStyle::for_files(TranscriptScope::Everything),
    );
    if !transcript.is_empty() {
        Element::new("system-out", CASE_DEPTH + 2).text(writer, &transcript)?;
    }
    element.close(writer)
}

fn named(outcome: &Outcome) -> Element {
    Element::new("testcase", CASE_DEPTH)
        .with("name", &escape::line(&title(outcome)))
        .with("classname", &escape::line(&words::class(&outcome.test)))
}

/// With the agent's time, unless a trace does not show it.
fn timed(element: Element, outcome: &Outcome) -> Element {
    match outcome.transcript.duration() {
        Some(took) => element.with("time", &words::in_seconds(took)),
        None => element,
    }
}

/// At most one element: readers disagree on what several mean.
fn verdict<W: Write>(
    writer: &mut Writer<W>,
    outcome: &Outcome,
    cause: Option<&str>,
) -> io::Result<()> {
    let word = outcome.status().as_str();
    let headline = outcome.headline();
    let (kind, message) = headline.unwrap_or((word, word));
    let mut skipped = |message: &str| {
        Element::new("skipped", CASE_DEPTH + 1)
            .with("message", &short(message))
            .empty(writer)
    };
    let name = match outcome.counted() {
        CountedStatus::As(Status::Passed) | CountedStatus::Flaky => return Ok(()),
        CountedStatus::As(Status::Skipped) => {
            return skipped(headline.map_or("skipped on purpose", |(_, message)| message));
        }
        CountedStatus::Quarantined(entry) => {
            return skipped(&format!("{entry}: {word}: {message}"));
        }
        CountedStatus::As(Status::Failed) => "failure",
        CountedStatus::As(
            Status::Error | Status::Timeout | Status::Undecided | Status::NotShown,
        ) => "error",
    };
    let findings = findings(outcome);
    let message = cause.map_or_else(|| short(message), str::to_owned);
    Element::new(name, CASE_DEPTH + 1)
        .with("message", &(message + &and_more(outcome)))
        .with("type", kind)
        .text(writer, &findings)
}

/// The transcript, without the findings where the element of the verdict has them; empty if it has nothing else.
fn conversation(outcome: &Outcome) -> String {
    let style = TranscriptStyle::for_files(TranscriptScope::Everything);
    let whole = transcript(outcome, style);
    if whole == findings(outcome) {
        return String::new();
    }
    if !outcome.fails_the_run() {
        return whole;
    }
    let style = TranscriptStyle {
        findings_are_elsewhere: true,
        ..style
    };
    transcript(outcome, style)
}

/// The findings, in lines.
fn findings(outcome: &Outcome) -> String {
    transcript(
        outcome,
        TranscriptStyle::for_files(TranscriptScope::Findings),
    )
}

/// The number of findings in addition to the first: ` (and 3 more)`; empty if there are none.
fn and_more(outcome: &Outcome) -> String {
    let problems = outcome
        .transcript
        .turns
        .iter()
        .filter_map(TurnOutcome::problem);
    let problems = problems.chain(outcome.verdict.end().problem()).count();
    let not_shown = outcome.verdict.not_shown().count();
    match (problems + outcome.all_failures().count() + not_shown).saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    }
}

/// The lines for the recordings of every attempt that did not pass. A path whose end would be ambiguous, or that has
/// confusable characters, is omitted.
pub(super) fn attachments(outcome: &Outcome, job: &BuildJob) -> String {
    let attempts = outcome.earlier_attempts.iter().chain([outcome]);
    let unhappy = attempts.filter(|attempt| attempt.status().fails_the_run());
    let paths =
        unhappy.filter_map(|attempt| Some(job.attached(attempt.transcript.recording.as_deref()?)));
    let is_clear = |path: &String| {
        !path.contains(|character: char| is_confusable(character) || character == ']')
    };
    paths
        .filter(is_clear)
        .flat_map(|path| ["[[ATTACHMENT|".to_owned(), path, "]]\n".to_owned()])
        .collect()
}
