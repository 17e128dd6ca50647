//! One test as a case: its names, its properties, what is wrong with it, and its transcript.

use std::fmt::Write as _;
use std::io::{self, Write};

use quick_xml::Writer;

use super::element::Element;
use crate::outcome::{Outcome, Status};
use crate::report::transcript::{Scope, Telling, tell};
use crate::report::{duration, names, text};

/// How deep the elements of a case stand.
const CASE_DEPTH: usize = 2;

/// Writes `outcome` as a case of the default profile.
pub(super) fn write<W: Write>(writer: &mut Writer<W>, outcome: &Outcome) -> io::Result<()> {
    let element = named(outcome)
        .with("file", &outcome.file)
        .with("line", &outcome.line.to_string())
        .with("time", &duration::in_seconds(outcome.duration_us));
    element.open(writer)?;

    let properties = Element::new("properties", CASE_DEPTH + 1);
    properties.open(writer)?;
    let thread = (!outcome.thread_id.is_empty()).then_some(("thread", &outcome.thread_id));
    let always = [("id", &outcome.id), ("target", &outcome.target), ("agent", &outcome.agent)];
    for (name, value) in always.into_iter().chain(thread) {
        Element::new("property", CASE_DEPTH + 2).with("name", name).with("value", value).empty(writer)?;
    }
    properties.close(writer)?;

    verdict(writer, outcome)?;
    let transcript = tell(outcome, Telling::for_files(Scope::Everything));
    if !transcript.is_empty() {
        Element::new("system-out", CASE_DEPTH + 1).text(writer, &transcript)?;
    }
    element.close(writer)
}

/// Writes `outcome` as a case of the strict profile: its verdict alone.
pub(super) fn write_strict<W: Write>(writer: &mut Writer<W>, outcome: &Outcome) -> io::Result<()> {
    let element = named(outcome).with("time", &duration::in_seconds(outcome.duration_us));
    if outcome.status == Status::Passed {
        return element.empty(writer);
    }
    element.open(writer)?;
    verdict(writer, outcome)?;
    element.close(writer)
}

/// What the strict profile tells of `outcome` with its suite: what the default one says in properties, and the
/// transcript.
pub(super) fn account(outcome: &Outcome) -> String {
    let Outcome { id, target, agent, thread_id, status, .. } = outcome;
    let mut account = format!("=== {}  {}\n", text::line(id), status.as_str());
    for (name, value) in [("target", target), ("agent", agent), ("thread", thread_id)] {
        if !value.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(account, "{name}: {}", text::line(value));
        }
    }
    account + &tell(outcome, Telling::for_files(Scope::Everything)) + "\n"
}

fn named(outcome: &Outcome) -> Element {
    Element::new("testcase", CASE_DEPTH)
        .with("name", &text::line(&names::title(outcome)))
        .with("classname", &text::line(&names::class(&outcome.file)))
}

/// At most one element: readers disagree on what several mean.
fn verdict<W: Write>(writer: &mut Writer<W>, outcome: &Outcome) -> io::Result<()> {
    let problem = outcome.first_problem().map(|(_, problem)| problem);
    let failure = outcome.all_failures().next().map(|(_, failure)| failure);
    let word = outcome.status.as_str();
    let (name, kind, message) = match outcome.status {
        Status::Passed => return Ok(()),
        Status::Skipped => {
            let message = problem.map_or("skipped on purpose", |problem| &problem.message);
            return Element::new("skipped", CASE_DEPTH + 1).with("message", &short(message)).empty(writer);
        }
        Status::Failed => {
            let of_problem = problem.map(|problem| (problem.kind.as_str(), problem.message.as_str()));
            let of_rule = failure.map(|failure| (failure.rule.as_str(), failure.message.as_str()));
            let (kind, message) = of_rule.or(of_problem).unwrap_or((word, word));
            ("failure", kind, message)
        }
        Status::Error | Status::Timeout => {
            let of_problem = problem.map(|problem| (problem.kind.as_str(), problem.message.as_str()));
            let (kind, message) = of_problem.unwrap_or((word, word));
            ("error", kind, message)
        }
    };
    let findings = tell(outcome, Telling::for_files(Scope::Findings));
    Element::new(name, CASE_DEPTH + 1)
        .with("message", &short(message))
        .with("type", kind)
        .text(writer, &findings)
}

/// What fits into an attribute that servers show as a heading.
fn short(message: &str) -> String {
    text::line(&text::bounded(message, 1000)).into_owned()
}
