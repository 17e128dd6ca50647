//! The end of a run at a terminal: the lists of what needs attention, and as the last line the counts that a person looks for
//! first.

use anstyle::Style;

use super::{Before, ConsoleReport, Verbosity};
use crate::report::layout::{Page, counts};
use crate::report::terminal::listing::{bounded, further, write_snapshots};
use crate::report::words::picks::PickTable;
use crate::report::words::rerun::rerun;
use crate::report::words::run_facts::change_totals;
use crate::report::words::{ruling, run_facts, stability, tokens};
use crate::run_document::RunTotals;
use ananke_base::context::TerminalSize;
use ananke_base::text::{duration, escape};
use ananke_trace::outcome::coverage::ToolPicks;

/// The most tools that are listed as never picked: the verdict follows them.
const MOST_NEVER: usize = 20;

/// The columns of a table where nothing has a width.
const TABLE_WIDTH: usize = 120;

impl ConsoleReport {
    /// The failures, and as the last line the counts that a person looks for first. The verdict and the time are there if
    /// the run came to its end.
    pub(super) fn summary(&mut self) -> String {
        let mut page = self.page();
        self.close_file(&mut page);
        self.close_directory(&mut page);
        let palette = &self.palette;
        if self.before != Before::Nothing {
            page.end();
        }
        self.write_not_run(&mut page);
        self.write_picks(&mut page);
        let verdict = self.run.end.as_ref().map(|end| &end.verdict);
        let causes = &self.run.causes;
        self.result.write(verdict, causes, palette, &mut page);
        self.write_rerun(&mut page);
        self.write_slowest(&mut page);
        write_snapshots(&self.run.snapshots, palette, &mut page);
        self.write_facts(&mut page);
        if let Some(turns) = run_facts::turns(&self.run) {
            page.line(palette.faint, &turns);
        }
        self.write_totals(&mut page);
        page.put(palette.faint, &run_facts::took(&self.run));
        page.end();
        page.into_text()
    }

    /// Writes which tools models picked, and those that no model did.
    fn write_picks(&self, page: &mut Page) {
        let Some(table) = PickTable::of(&self.run.picks) else {
            return;
        };
        let palette = &self.palette;
        page.line(palette.strong, "picks");
        // The rows of the table are laid out already, because wrapped lines would break its columns. A table that is too wide is a list.
        let width = TerminalSize::width(self.size).unwrap_or(TABLE_WIDTH);
        let width = width.saturating_sub(2);
        if let Some(lines) = table.lines(width) {
            for line in lines {
                page.lines(&format!("  {line}\n"));
            }
        } else {
            for row in &table.rows {
                page.space(2);
                page.hang_at(4);
                page.line(Style::new(), &escape::line(&bounded(row.test)));
                page.space(4);
                page.hang_at(4);
                page.line(Style::new(), &table.in_one_line(row));
            }
        }
        if table.further_rows > 0 {
            let more = format!("  … and {} more tests", table.further_rows);
            page.line(palette.faint, &more);
        }
        if table.further_columns > 0 {
            let more = format!("  … and {} more tools", table.further_columns);
            page.line(palette.faint, &more);
        }
        page.end();
        let never: Vec<&ToolPicks> = self.run.picks.never_picked().collect();
        if never.is_empty() {
            return;
        }
        page.line(palette.strong, "never picked");
        for tool in never.iter().take(MOST_NEVER) {
            page.space(2);
            page.hang_at(4);
            page.plain(&escape::line(&bounded(&tool.name)));
            if !tool.unclear.is_empty() {
                let unclear = format!(": {}", tool.unclear.join("; "));
                page.put(palette.faint, &escape::line(&bounded(&unclear)));
            }
            page.end();
        }
        further(never.len().saturating_sub(MOST_NEVER), palette, page);
        page.end();
    }

    fn write_not_run(&self, page: &mut Page) {
        for (why, count) in &self.not_run {
            let tests = if *count == 1 {
                "test was"
            } else {
                "tests were"
            };
            let words = format!("{count} {tests} not run: {why}");
            page.line(self.palette.warning, &escape::line(&words));
            page.end();
        }
    }

    /// Writes the command that runs the tests again that failed.
    fn write_rerun(&self, page: &mut Page) {
        let facts = &self.run.facts;
        let rerun = rerun(&facts.command, facts.config.as_deref());
        if let Some(rerun) = rerun.filter(|_| self.result.has_failed()) {
            page.put(self.palette.faint, "run them again: ");
            page.plain(&escape::line(&rerun));
            if self.keeping.is_whole() {
                page.put(self.palette.faint, " · in full: ");
                page.plain("ananke show 1");
            }
            page.end();
            page.end();
        }
    }

    /// Writes the tokens, the decisions, the changes and the counts.
    fn write_totals(&self, page: &mut Page) {
        let palette = &self.palette;
        let RunTotals {
            selected,
            totals,
            end,
            ..
        } = &self.run;
        if let Some(calls) = run_facts::model_calls(&self.run) {
            page.line(palette.faint, &format!("models: {calls}"));
        }
        if let Some(tokens) = tokens::of_run(self.run.tokens) {
            page.line(palette.faint, &format!("tokens: {tokens}"));
        }
        if let Some(cost) = tokens::cost_of_run(&self.run) {
            page.line(palette.faint, &escape::line(&format!("cost: {cost}")));
        }
        if let Some(helpers) = tokens::helpers(&self.run.helpers) {
            page.line(palette.faint, &format!("helpers: {helpers}"));
        }
        if let Some(judged) = ruling::totals(totals.judged) {
            page.line(palette.faint, &judged);
        }
        if let Some(changes) = change_totals(totals.changes) {
            page.line(palette.faint, &format!("changes: {changes}"));
        }
        if let Some(flip_rate) = stability::flip_rate(totals) {
            page.line(palette.strong, &flip_rate);
        }
        if end.as_ref().is_some_and(|end| end.interrupted) {
            page.put(palette.warning, "interrupted: ");
        }
        counts::write(page, palette, totals, *selected);
    }

    /// Writes the facts of the run, for those who did not start it: in the log of a CI job, or if everything is
    /// printed.
    fn write_facts(&self, page: &mut Page) {
        let facts = &self.run.facts;
        let is_in_job = facts.commit.is_some() || facts.job_url.is_some();
        if self.verbosity == Verbosity::Quiet || !is_in_job && self.verbosity == Verbosity::Normal {
            return;
        }
        let facts = run_facts::made_with(facts);
        let facts = facts
            .iter()
            .map(|fact| format!("{} {}", fact.name, fact.value));
        let facts = facts.collect::<Vec<_>>().join(", ");
        page.line(self.palette.faint, &escape::line(&facts));
    }

    fn write_slowest(&self, page: &mut Page) {
        if self.slowest.tests().is_empty() {
            return;
        }
        page.line(self.palette.strong, "slowest");
        for (us, id) in self.slowest.tests() {
            page.space(2);
            page.put(
                self.palette.faint,
                &format!("{:>9}", duration::rounded(*us)),
            );
            page.space(2);
            page.hang();
            page.line(Style::new(), &escape::line(id));
        }
        page.end();
    }
}
