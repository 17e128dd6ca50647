//! A comparison for people: the most important changes come last, before the verdict.

use super::words::{self, SECTIONS, TestDifference};
use crate::compare::{Comparison, TestChange};
use crate::report::{Conclusion, DocumentText, Documented as _};
use ananke_base::context::Colouring;

impl Comparison {
    /// The changes, for printing after the summary of a run, wrapped if there is a width.
    pub(super) fn text_below(&self, colour: Colouring, width: Option<usize>) -> String {
        let mut text = DocumentText::new(colour, width);
        self.write_text(&mut text);
        text.conclude(Self::NAME, &self.conclusion());
        format!("\n{}", text.take())
    }

    /// Writes what changed, but for whether that is a regression.
    pub(super) fn write_text(&self, text: &mut DocumentText) {
        let [before, after] = [&self.before, &self.after].map(words::names);
        text.heading(&format!("{after} compared with {before}"));
        for (heading, kinds) in SECTIONS.into_iter().rev() {
            text.entries(heading, self.section_of(kinds), write_test);
        }
        let reports = self.reports();
        let mut remarks: Vec<String> = reports
            .map(|(word, run)| format!("{word} {}", words::run(run)))
            .collect();
        remarks.extend(self.not_run());
        remarks.extend(self.agents_time());
        remarks.extend(self.spent());
        remarks.push(self.changed());
        text.remarks(remarks);
    }

    /// Whether something became worse, and what.
    pub fn conclusion(&self) -> Conclusion {
        Conclusion {
            exit_code: u8::from(self.is_regression()),
            reason: self.verdict_in_words(),
        }
    }
}

fn write_test(text: &mut DocumentText, change: &TestChange) {
    text.entry(words::mark(change), change.id(), &words::note(change));
    if let Some(reason) = words::reason(change) {
        text.line(reason);
    }
    if let Some(place) = words::place(change) {
        text.line(&place);
    }
    for TestDifference { word, was, is } in words::differences(change) {
        text.difference(word, &was, &is);
    }
}
