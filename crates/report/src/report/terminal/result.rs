//! The lists at the end of a run for people: the tests that failed and the reasons, those that are flaky or in
//! quarantine, and the entries of the quarantine that need attention; at most [`MOST`] of each.

use std::collections::BTreeMap;

use anstyle::Style;

use super::failed_tests::FailedTests;
use super::listing::{MOST, bounded, further};
use crate::report::layout::{Page, Palette, mark};
use ananke_base::diagnostic::Place;
use ananke_base::text::escape;
use ananke_trace::outcome::{
    Causes, CountedStatus, NearName, NearNames, Outcome, Quarantine, Status, Verdict,
};

/// The lists at the end of a run.
#[derive(Debug, Default)]
pub(crate) struct RunResult {
    failed: FailedTests,
    /// The conversations in which no rule failed, and whose traces do not show some.
    not_shown: FailedTests,
    flaky: List,
    quarantined: List,
    /// The entries of the quarantine that were met, and whether every test of theirs passed at once.
    entries: BTreeMap<Place, (Quarantine, bool)>,
}

#[derive(Debug, Default)]
struct List {
    listed: Vec<(Status, String)>,
    further: usize,
}

impl RunResult {
    /// Whether a test failed that is not in quarantine.
    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Adds a test, with its number if it fails the run.
    pub(crate) fn add(&mut self, outcome: &Outcome, number: Option<usize>) {
        match outcome.counted() {
            CountedStatus::As(Status::NotShown) => self.not_shown.add(outcome, number),
            CountedStatus::As(status) if status.fails_the_run() => self.failed.add(outcome, number),
            CountedStatus::As(_) => {}
            CountedStatus::Flaky => {
                self.flaky.add(
                    outcome,
                    &format!("  passed at attempt {}", outcome.attempt()),
                );
            }
            CountedStatus::Quarantined(Quarantine { expires, owner, .. }) => {
                self.quarantined
                    .add(outcome, &format!("  until {expires} ({})", bounded(owner)));
            }
        }
        if let Some(entry) = &outcome.test.quarantine {
            let passed_at_once = outcome.status() == Status::Passed && !outcome.is_flaky();
            let met = self
                .entries
                .entry(entry.place.clone())
                .or_insert_with(|| (entry.clone(), true));
            met.1 &= passed_at_once;
        }
    }

    /// Writes everything that is listed, each kind under a heading of its own; the failed tests come last, nearest to the
    /// counts. The verdict is there where the run came to its end.
    pub(crate) fn write(
        &self,
        verdict: Option<&Verdict>,
        causes: &Causes,
        palette: &Palette,
        page: &mut Page,
    ) {
        self.quarantined.write("quarantined", palette, page);
        self.can_go(palette, page);
        let fails = verdict.is_some_and(|verdict| verdict.flaky_fails);
        let flaky = if fails {
            "flaky, which fails the run (`--flaky fail`)"
        } else {
            "flaky"
        };
        self.flaky.write(flaky, palette, page);
        expired(
            verdict
                .map(|verdict| verdict.expired.as_slice())
                .unwrap_or_default(),
            palette,
            page,
        );
        if let Some(verdict) = verdict {
            warnings(verdict, palette, page);
            if verdict.lacks_input() {
                let line = "nothing was evaluated, which fails the run: every agent waited for input that is missing";
                page.line(palette.failed, line);
                page.end();
            }
        }
        self.not_shown.write("not shown", causes, palette, page);
        self.failed.write("failed", causes, palette, page);
    }

    /// The entries whose tests all passed.
    fn can_go(&self, palette: &Palette, page: &mut Page) {
        let idle: Vec<&Quarantine> = self
            .entries
            .values()
            .filter(|(_, passed)| *passed)
            .map(|(entry, _)| entry)
            .collect();
        if idle.is_empty() {
            return;
        }
        page.line(
            palette.strong,
            "passed in quarantine: if they are fixed, their entries can go",
        );
        for entry in idle.iter().take(MOST) {
            row(
                mark(Status::Passed),
                palette.passed,
                &entry.test,
                &format!("  {}", entry.place),
                page,
            );
        }
        further(idle.len().saturating_sub(MOST), palette, page);
        page.end();
    }
}

impl List {
    fn add(&mut self, outcome: &Outcome, beside: &str) {
        if self.listed.len() < MOST {
            self.listed
                .push((outcome.status(), bounded(&outcome.test.id) + beside));
        } else {
            self.further += 1;
        }
    }

    fn write(&self, heading: &str, palette: &Palette, page: &mut Page) {
        if self.listed.is_empty() {
            return;
        }
        page.line(palette.strong, heading);
        for (status, id) in &self.listed {
            row(mark(*status), palette.of(*status), id, "", page);
        }
        further(self.further, palette, page);
        page.end();
    }
}

fn expired(entries: &[Quarantine], palette: &Palette, page: &mut Page) {
    if entries.is_empty() {
        return;
    }
    page.line(
        palette.strong,
        "expired quarantine entries, which fail the run",
    );
    for Quarantine {
        test,
        owner,
        expires,
        place,
        ..
    } in entries.iter().take(MOST)
    {
        let beside = format!("  last day {expires}, owner {}, {place}", bounded(owner));
        row(mark(Status::Error), palette.failed, test, &beside, page);
    }
    further(entries.len().saturating_sub(MOST), palette, page);
    page.line(
        palette.faint,
        "  fix the tests and remove the entries, or agree on a later day with the owners",
    );
    page.end();
}

/// The warnings of the run itself, as `ananke check` prints its own.
fn warnings(verdict: &Verdict, palette: &Palette, page: &mut Page) {
    let NearNames { found, note } = &verdict.near_names;
    let (severity, style) = if verdict.warnings_fail {
        ("error", palette.failed)
    } else {
        ("warning", palette.warning)
    };
    for tool in found.iter().take(MOST) {
        page.put(style, &format!("{severity}[{}]", NearName::CODE));
        page.plain(&format!(": {}", escape::line(&tool.message())));
        page.end();
        let Place { file, line, column } = &tool.place;
        page.line(
            palette.faint,
            &escape::line(&format!(" --> {}:{line}:{column}", bounded(file))),
        );
        page.line(
            Style::new(),
            &escape::line(&format!("  = help: {}", tool.help())),
        );
        page.end();
    }
    further(found.len().saturating_sub(MOST), palette, page);
    if !found.is_empty() {
        page.line(
            Style::new(),
            &format!("For more: `ananke explain {}`", NearName::CODE),
        );
        page.end();
    }
    let failing = match verdict.failing_warnings() {
        0 => None,
        1 => Some("1 warning, which fails the run (`--deny-warnings`)".to_owned()),
        count => Some(format!(
            "{count} warnings, which fail the run (`--deny-warnings`)"
        )),
    };
    if let Some(failing) = failing {
        page.line(palette.failed, &failing);
        page.end();
    }
    if let Some(note) = note {
        page.line(palette.faint, &format!("note: {note}"));
        page.end();
    }
}

fn row(sign: &str, style: Style, what: &str, beside: &str, page: &mut Page) {
    page.sign(2, style, sign);
    page.line(Style::new(), &escape::line(&(bounded(what) + beside)));
}
