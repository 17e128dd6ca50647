//! The state of a Markdown report during a run: as much as fits into it, and numbers.

use std::fmt::Write as _;

use super::{
    MarkdownRows, code, failures,
    failures::Failures,
    message,
    picks::picks,
    words::{NAME, folded},
};
use crate::report::layout::{Page, Palette, counts, mark};
use crate::report::slowest::Slowest;
use crate::report::words::rerun::rerun;
use crate::report::words::run_facts::change_totals;
use crate::report::words::stability::{flip, flip_rate, rate};
use crate::report::words::{ruling, run_facts, tokens};
use crate::run_document::RunTotals;
use ananke_base::text::duration;
use ananke_trace::outcome::{
    Causes, CountedStatus, NearNames, Outcome, Quarantine, RunEvent, RunFacts, Status,
    StatusChange, Verdict,
};

/// The number of slowest tests in the report.
const SLOWEST: usize = 5;

/// The first line, which is not shown: a program that writes comments finds its own by it.
pub(in crate::report) const MARKER: &str = "<!-- ananke -->";

/// The most bytes of a command.
const COMMAND: usize = 500;

/// Builds the Markdown report of a run.
#[derive(Debug)]
pub(in crate::report) struct MarkdownBuilder {
    most: usize,
    run: RunTotals,
    failures: Failures,
    quarantined: MarkdownRows,
    flaky: MarkdownRows,
    fixed: MarkdownRows,
    /// The tests that ran several times.
    repeated: MarkdownRows,
    slowest: Slowest,
}

impl MarkdownBuilder {
    /// A report that keeps what a text of at most `most` bytes can contain.
    pub(in crate::report) fn new(most: usize) -> Self {
        Self {
            most,
            run: RunTotals::default(),
            failures: Failures::new(most),
            quarantined: MarkdownRows::new(most / 8),
            flaky: MarkdownRows::new(most / 8),
            fixed: MarkdownRows::new(most / 8),
            repeated: MarkdownRows::new(most / 8),
            slowest: Slowest::new(SLOWEST),
        }
    }

    /// What the tests failed of so far.
    pub(in crate::report) fn causes(&self) -> &Causes {
        &self.run.causes
    }

    /// Takes the next event of the run.
    pub(in crate::report) fn add(&mut self, event: &RunEvent) {
        self.run.add(event);
        if let RunEvent::CaseFinished(outcome) = event {
            self.case(outcome);
        }
    }

    fn case(&mut self, outcome: &Outcome) {
        let of_runs = outcome.stability.as_deref().map(rate);
        let came_to: Vec<String> = flip(outcome).into_iter().chain(of_runs).collect();
        if !came_to.is_empty() {
            self.repeated.add(&format!(
                "{} {}",
                code(&outcome.test.id, NAME),
                came_to.join("; ")
            ));
        }
        if outcome.change == Some(StatusChange::Fixed) {
            self.fixed.add(&code(&outcome.test.id, NAME));
        }
        match outcome.counted() {
            CountedStatus::As(status) if status.fails_the_run() => {
                let blob_url = self.run.facts.blob_url.as_deref();
                self.failures.add(outcome, blob_url);
            }
            CountedStatus::Quarantined(entry) => self.quarantined.add(&quarantined(outcome, entry)),
            CountedStatus::Flaky => {
                let row = format!(
                    "{} passed at attempt {}",
                    code(&outcome.test.id, NAME),
                    outcome.attempt()
                );
                self.flaky.add(&row);
            }
            CountedStatus::As(_) => {}
        }
        self.slowest.add(outcome, || code(&outcome.test.id, NAME));
    }

    /// The whole in at most `room` bytes, or what was said when this was made where that is less; nothing where not
    /// even the verdict fits.
    pub(in crate::report) fn text(&self, room: usize) -> String {
        let room = room.min(self.most);
        let (head, rest) = (self.head(), self.rest());
        if head.len() > room {
            return String::new();
        }
        let rest = if head.len() + rest.len() > room {
            String::new()
        } else {
            rest
        };
        let left = room - head.len() - rest.len();
        let blob_url = self.run.facts.blob_url.as_deref();
        let table = failures::table(&self.run.causes, blob_url, left / 2);
        let rerun = Some(self.rerun()).filter(|rerun| table.len() + rerun.len() <= left);
        let summary = table + &rerun.unwrap_or_default();
        let details = self.failures.details(left - summary.len());
        // If there is no room for it, not even the count of omitted tests is written.
        let details = Some(details).filter(|details| summary.len() + details.len() <= left);
        let mut text = head + &summary + &details.unwrap_or_default() + &rest;
        text.truncate(text.trim_end().len());
        text + "\n"
    }

    /// The verdict and the numbers.
    fn head(&self) -> String {
        let RunTotals {
            totals,
            selected,
            snapshots,
            ..
        } = &self.run;
        let sign = if self.run.exit_code() == Some(0) {
            mark(Status::Passed)
        } else {
            mark(Status::Failed)
        };
        let mut page = Page::default();
        page.lines(&format!("{MARKER}\n## {sign} {}\n\n", self.run.reason()));
        counts::write(&mut page, &Palette::default(), totals, *selected);
        page.plain(&run_facts::took(&self.run));
        page.end();
        page.end();
        page.plain(&made_with(&self.run.facts));
        page.end();
        page.end();
        let mut lines = Vec::from_iter(run_facts::turns(&self.run));
        let named = [
            ("models", run_facts::model_calls(&self.run)),
            ("tokens", tokens::of_run(self.run.tokens)),
            ("cost", tokens::cost_of_run(&self.run)),
            ("helpers", tokens::helpers(&self.run.helpers)),
            ("changes", change_totals(totals.changes)),
        ];
        for (name, words) in named {
            if let Some(words) = words {
                lines.push(format!("{name}: {words}"));
            }
        }
        lines.extend(ruling::totals(totals.judged));
        lines.extend(flip_rate(totals));
        // Each fact is a paragraph, as Markdown joins lines that follow each other.
        for line in lines {
            page.plain(&line);
            page.end();
            page.end();
        }
        let snapshots = snapshots.counts();
        if !snapshots.is_empty() {
            page.plain(&format!("snapshots: {snapshots}"));
            page.end();
            page.end();
        }
        page.into_text()
    }

    /// Whether a test failed that can pass in another run.
    fn has_failed(&self) -> bool {
        self.run.totals.failing() + self.run.totals.undecided > 0
    }

    /// The command that runs the tests that failed again; empty if none failed.
    fn rerun(&self) -> String {
        let RunFacts {
            command, config, ..
        } = &self.run.facts;
        let command = rerun(command, config.as_deref()).filter(|_| self.has_failed());
        command.map_or_else(String::new, |command| {
            format!("run them again: {}\n\n", code(&command, COMMAND))
        })
    }

    /// The part after the failures.
    fn rest(&self) -> String {
        let mut text = picks(&self.run.picks, self.most / 8);
        let end = self.run.end.as_ref();
        text += &expired(
            end.map(|end| end.verdict.expired.as_slice())
                .unwrap_or_default(),
            self.most / 8,
        );
        text += &end
            .map(|end| warnings(&end.verdict, self.most / 8))
            .unwrap_or_default();
        let MarkdownRows { count, .. } = self.flaky;
        if count > 0 {
            let fails = end.is_some_and(|end| end.verdict.flaky_fails);
            let fails = if fails {
                ", which fails the run (`--flaky fail`)"
            } else {
                ""
            };
            let _ = write!(text, "### flaky{fails}\n\n{}\n", self.flaky.text());
        }
        if self.fixed.count > 0 {
            let _ = write!(text, "### fixed\n\n{}\n", self.fixed.text());
        }
        if self.repeated.count > 0 {
            let tests = if self.repeated.count == 1 {
                "test"
            } else {
                "tests"
            };
            text += &folded(
                &format!("stability of {} {tests}", self.repeated.count),
                &self.repeated.text(),
            );
        }
        if self.quarantined.count > 0 {
            text += &folded(
                &format!("{} quarantined", self.quarantined.count),
                &self.quarantined.text(),
            );
        }
        if self.run.totals.tests() > SLOWEST {
            let rows = self
                .slowest
                .tests()
                .iter()
                .fold(String::new(), |mut rows, (us, id)| {
                    let _ = writeln!(rows, "- {} {id}", duration::rounded(*us));
                    rows
                });
            text += &folded("slowest", &rows);
        }
        text
    }
}

/// The facts of a run on one line, each value in a code span; an address is one that readers make a link of.
fn made_with(facts: &RunFacts) -> String {
    let facts = run_facts::made_with(facts);
    let facts = facts.iter().map(|fact| match fact.link() {
        Some(link) => format!("{} {link}", fact.name),
        None => format!("{} {}", fact.name, code(&fact.value, NAME)),
    });
    facts.collect::<Vec<_>>().join(" · ")
}

fn quarantined(outcome: &Outcome, entry: &Quarantine) -> String {
    let status = outcome.status().words();
    let message = outcome
        .headline()
        .map(|(_, reason)| format!(": {}", message(reason, NAME)));
    let Quarantine { expires, owner, .. } = entry;
    let id = code(&outcome.test.id, NAME);
    format!(
        "{id} {status}{}, until {expires} ({})",
        message.unwrap_or_default(),
        code(owner, NAME)
    )
}

fn expired(entries: &[Quarantine], room: usize) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut rows = MarkdownRows::new(room);
    for Quarantine {
        test,
        owner,
        expires,
        place,
        ..
    } in entries
    {
        let (test, owner, place) = (
            code(test, NAME),
            code(owner, NAME),
            code(&place.to_string(), NAME),
        );
        rows.add(&format!(
            "{test} last day {expires}, owner {owner}, {place}"
        ));
    }
    format!(
        "### expired quarantine entries, which fail the run\n\n{}\n",
        rows.text()
    )
}

fn warnings(verdict: &Verdict, room: usize) -> String {
    let NearNames { found, note } = &verdict.near_names;
    if found.is_empty() && note.is_none() {
        return String::new();
    }
    let mut rows = MarkdownRows::new(room);
    if let Some(note) = note {
        rows.add(note);
    }
    for tool in found {
        let (place, name, nearest) = (tool.place.to_string(), &tool.name, &tool.nearest);
        let [place, name, nearest] = [&place, name, nearest].map(|text| code(text, NAME));
        rows.add(&format!(
            "{place}: no agent called {name}, which `{}` names. Did you mean {nearest}?",
            tool.rule
        ));
    }
    let fails = if verdict.warnings_fail {
        ", which fail the run (`--deny-warnings`)"
    } else {
        ""
    };
    format!("### warnings{fails}\n\n{}\n", rows.text())
}
