//! A comparison for people: what weighs most stands last, above the verdict.

use anstyle::Style;

use super::change::{Change, Kind, ratio};
use super::digest::Digest;
use super::tools::both;
use super::{Comparison, Side};
use crate::outcome::Status;
use crate::report::page::Page;
use crate::report::palette::{Palette, mark};
use crate::report::{duration, text};

/// How many tests of one section are listed: more is for programs.
const MOST: usize = 100;

/// Where what is said below a test begins.
const INDENT: usize = 6;

/// Headings, each with the kinds that stand below it where they are the first of a test.
const SECTIONS: [(&str, &[Kind]); 8] = [
    ("removed", &[Kind::Removed]),
    ("new", &[Kind::New]),
    ("now skipped", &[Kind::Skipped]),
    ("newly passing", &[Kind::NewlyPassing]),
    ("changed", &[Kind::Tools, Kind::Ending, Kind::Slower]),
    ("newly flaky", &[Kind::Flaky]),
    ("still failing", &[Kind::StillFailing]),
    ("newly failing", &[Kind::NewlyFailing]),
];

impl Comparison {
    /// What changed, as text for a terminal.
    pub fn text(&self, colour: bool) -> String {
        let mut page = Page::default();
        self.write(&mut page, if colour { Palette::coloured() } else { Palette::default() });
        page.0
    }

    /// What changed, below what a run told of itself.
    pub(super) fn text_below(&self, colour: bool) -> String {
        let palette = if colour { Palette::coloured() } else { Palette::default() };
        let mut page = Page::default();
        page.end();
        page.put(palette.strong, &format!("compared with {}", name(&self.before)));
        page.end();
        page.end();
        self.write(&mut page, palette);
        page.0
    }

    fn write(&self, page: &mut Page, palette: Palette) {
        for (heading, kinds) in SECTIONS {
            let of_section = |change: &&Change| kinds.contains(&change.kinds[0]);
            Self::section(page, palette, heading, self.changes.iter().filter(of_section));
        }
        self.runs(page, palette);
        self.verdict(page, palette);
    }

    fn section<'c>(
        page: &mut Page,
        palette: Palette,
        heading: &str,
        mut changes: impl Iterator<Item = &'c Change>,
    ) {
        let mut listed = changes.by_ref().take(MOST).peekable();
        if listed.peek().is_none() {
            return;
        }
        page.put(palette.strong, heading);
        page.end();
        for change in listed {
            test(page, palette, change);
        }
        let more = changes.count();
        if more > 0 {
            page.put(palette.faint, &format!("  … and {more} more; `ananke compare --json` tells all"));
            page.end();
        }
        page.end();
    }

    fn runs(&self, page: &mut Page, palette: Palette) {
        for (word, side) in [("before", &self.before), ("after", &self.after)] {
            page.put(palette.faint, &format!("{word:<6}  {}", run(side)));
            page.end();
        }
        if self.not_run > 0 {
            let tests = tests(self.not_run);
            page.put(palette.faint, &format!("{tests} of `{}` did not run this time", name(&self.before)));
            page.end();
        }
        let time = self.agents_time;
        if time.tests > 0 {
            let (before, after) = (duration::for_people(time.before_us), duration::for_people(time.after_us));
            let tests = tests(time.tests);
            let line = format!("agent's time in {tests} that passed both times: {after}, before {before}");
            page.put(palette.faint, &line);
            page.end();
        }
    }

    fn verdict(&self, page: &mut Page, palette: Palette) {
        let counts = Kind::ALL.map(|kind| (kind, self.count(kind)));
        let changed = listed(counts.into_iter());
        page.plain(if changed.is_empty() { "nothing changed" } else { &changed });
        page.end();
        let regressions = self.regressions();
        if regressions.is_empty() {
            page.put(palette.passed, "no regression");
        } else {
            page.put(palette.failed, &format!("regression: {}", listed(regressions.into_iter())));
        }
        page.end();
    }
}

/// `2 newly failing, 1 slower`.
fn listed(counts: impl Iterator<Item = (Kind, usize)>) -> String {
    let told = counts.filter(|(_, count)| *count > 0);
    told.map(|(kind, count)| format!("{count} {}", kind.words())).collect::<Vec<_>>().join(", ")
}

fn tests(count: usize) -> String {
    format!("{count} test{}", if count == 1 { "" } else { "s" })
}

fn name(side: &Side) -> String {
    text::line(&side.name).into_owned()
}

/// `base.json: 9 tests in 3.2 s`.
fn run(side: &Side) -> String {
    let whole = side.whole;
    let time = whole.elapsed_us.map(|us| format!(" in {}", duration::for_people(us)));
    let end = match whole.exit_code {
        None => ", cut short",
        Some(130) => ", interrupted",
        Some(_) => "",
    };
    format!("{}: {}{}{end}", name(side), tests(whole.total), time.unwrap_or_default())
}

fn test(page: &mut Page, palette: Palette, change: &Change) {
    let (mark, style) = sign(palette, change);
    page.space(2);
    page.put(style, mark);
    page.space(1);
    page.put(Style::new(), &text::line(&text::bounded(change.id(), 400)));
    let note = note(change);
    if !note.is_empty() {
        page.space(2);
        page.put(palette.faint, &note);
    }
    page.end();
    if let Some(reason) = reason(change) {
        page.space(INDENT);
        page.plain(&text::line(reason));
        page.end();
    }
    if let (Some(before), Some(after)) = (&change.before, &change.after) {
        details(page, palette, &change.kinds, before, after);
    }
}

/// Why it does not pass, where that is news.
fn reason(change: &Change) -> Option<&str> {
    let reason = change.after.as_ref()?.reason.as_deref();
    let before = change.before.as_ref().and_then(|test| test.reason.as_deref());
    reason.filter(|_| reason != before)
}

fn sign(palette: Palette, change: &Change) -> (&'static str, Style) {
    match (&change.after, change.kinds[0]) {
        (_, Kind::Tools | Kind::Ending | Kind::Slower | Kind::Flaky) => ("~", palette.warning),
        (Some(after), _) => (mark(after.status), palette.of(after.status)),
        (None, _) => ("-", palette.warning),
    }
}

/// What the section does not say of the verdict.
fn note(change: &Change) -> String {
    let kind = change.kinds[0];
    let mut notes = Vec::new();
    if let Some(after) = &change.after {
        if after.fails() || (kind == Kind::New && after.status == Status::Skipped) {
            notes.push(after.status.as_str().to_owned());
        }
        for (is_set, word) in [(after.flaky, "passed on a retry"), (after.quarantined, "quarantined")] {
            notes.extend(is_set.then(|| word.to_owned()));
        }
    }
    match &change.before {
        None if kind == Kind::NewlyFailing => notes.push("new".to_owned()),
        Some(before) if Some(before.status) != change.after.as_ref().map(|after| after.status) => {
            notes.push(format!("{} before", before.status.as_str()));
        }
        _ => {}
    }
    notes.join(", ")
}

fn details(page: &mut Page, palette: Palette, kinds: &[Kind], before: &Digest, after: &Digest) {
    for kind in kinds {
        let (word, was, is) = match kind {
            Kind::Tools => {
                let (was, is) = both(&before.tools, &after.tools);
                ("tools", was, is)
            }
            Kind::Ending => ("ending", ending(before), ending(after)),
            Kind::Slower => {
                let times = ratio(before.duration_us, after.duration_us);
                let is = duration::for_people(after.duration_us);
                let is = if times.is_finite() { format!("{is} ({times:.1} times as long)") } else { is };
                ("time", duration::for_people(before.duration_us), is)
            }
            _ => continue,
        };
        for (word, style, text) in [(word, palette.faint, was), ("→", palette.name, is)] {
            page.space(INDENT);
            page.put(palette.faint, &format!("{word:>6}"));
            page.space(2);
            page.put(style, &text::line(&text));
            page.end();
        }
    }
}

fn ending(test: &Digest) -> String {
    test.ending.clone().unwrap_or_else(|| "none".to_owned())
}
