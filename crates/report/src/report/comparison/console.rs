//! A comparison for people: the most important changes come last, before the verdict.

use anstyle::Style;

use super::words::{self, SECTIONS, TestDifference};
use crate::compare::{ChangeKind, Comparison, TestChange};
use crate::report::layout::{Page, Palette};
use ananke_base::context::Colouring;
use ananke_base::text::{escape, truncate};

/// How many tests of one section are listed: more is for programs.
const MOST: usize = 100;

/// The column of the details of a test.
const INDENT: usize = 6;

impl Comparison {
    /// What changed, as text for a terminal, wrapped if there is a width.
    pub fn text(&self, colour: Colouring, width: Option<usize>) -> String {
        let mut page = Page::of_width(width);
        self.write(&mut page, Palette::new(colour));
        page.into_text()
    }

    /// What changed, for printing after the summary of a run.
    pub(super) fn text_below(&self, colour: Colouring, width: Option<usize>) -> String {
        let palette = Palette::new(colour);
        let mut page = Page::of_width(width);
        page.end();
        page.line(
            palette.strong,
            &format!("compared with {}", words::name(&self.before)),
        );
        page.end();
        self.write(&mut page, palette);
        page.into_text()
    }

    fn write(&self, page: &mut Page, palette: Palette) {
        for (heading, kinds) in SECTIONS.into_iter().rev() {
            Self::section(page, palette, heading, self.section_of(kinds));
        }
        self.runs(page, palette);
        self.verdict(page, palette);
    }

    fn section<'c>(
        page: &mut Page,
        palette: Palette,
        heading: &str,
        mut changes: impl Iterator<Item = &'c TestChange>,
    ) {
        let mut listed = changes.by_ref().take(MOST).peekable();
        if listed.peek().is_none() {
            return;
        }
        page.line(palette.strong, heading);
        for change in listed {
            test(page, palette, change);
        }
        let more = changes.count();
        if more > 0 {
            page.line(
                palette.faint,
                &format!("  … and {more} more; `ananke compare --json` shows all"),
            );
        }
        page.end();
    }

    fn runs(&self, page: &mut Page, palette: Palette) {
        for (word, side) in [("before", &self.before), ("after", &self.after)] {
            page.put(palette.faint, &format!("{word:<6}  "));
            page.hang();
            page.line(palette.faint, &words::run(side));
        }
        for line in self.not_run().into_iter().chain(self.agents_time()) {
            page.line(palette.faint, &line);
        }
    }

    fn verdict(&self, page: &mut Page, palette: Palette) {
        page.plain(&self.changed());
        page.end();
        let style = if self.is_regression() {
            palette.failed
        } else {
            palette.passed
        };
        page.line(style, &self.verdict_in_words());
    }
}

fn test(page: &mut Page, palette: Palette, change: &TestChange) {
    page.sign(2, style(palette, change), words::sign(change));
    page.put(
        Style::new(),
        &escape::line(&truncate::bytes(change.id(), 400)),
    );
    let note = words::note(change);
    if !note.is_empty() {
        page.space(2);
        page.put(palette.faint, &note);
    }
    page.end();
    if let Some(reason) = words::reason(change) {
        page.space(INDENT);
        page.hang();
        page.plain(&escape::line(reason));
        page.end();
    }
    details(page, palette, change);
}

fn style(palette: Palette, change: &TestChange) -> Style {
    match (&change.after, change.kinds[0]) {
        (_, ChangeKind::Tools | ChangeKind::Ending | ChangeKind::Slower | ChangeKind::Flaky)
        | (None, _) => palette.warning,
        (Some(after), _) => palette.of(after.status),
    }
}

fn details(page: &mut Page, palette: Palette, change: &TestChange) {
    for TestDifference { word, was, is } in words::differences(change) {
        for (word, style, text) in [(word, palette.faint, was), ("→", palette.name, is)] {
            page.space(INDENT);
            page.put(palette.faint, &format!("{word:>6}"));
            page.space(2);
            page.hang();
            page.line(style, &escape::line(&text));
        }
    }
}
