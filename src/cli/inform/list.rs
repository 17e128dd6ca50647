//! `ananke list`: which tests there are, or which rules they have.

use std::io::{self, Write};

use ananke::context::{Context, OutputStream, TerminalSize};
use ananke::plan::{CaseEntry, Plan, TestEntry};
use ananke::redact::Redactor;
use ananke::text::{columns, escape};
use ananke::variables::TestAbout;
use clap::Args;

use super::list_rules::RuleList;
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, print};
use crate::cli::options::{SelectionOptions, ShardOptions};
use crate::cli::select::{ListedTest, ShardNote, keep_shard, load};

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) selection: SelectionOptions,
    #[command(flatten)]
    pub(crate) shard: ShardOptions,
    /// List the rules instead: each with its place, its level and how many tests it applies to
    #[arg(long)]
    pub(crate) rules: bool,
    /// Print one JSON array instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

impl CommandOptions for ListOptions {
    /// Lists what is selected: for people one line per id with its place, for programs one JSON array.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let shard = self.shard.number(context)?;
        let (mut plan, redactor) = load(&self.selection.selection(), self.colour(), context)?;
        if let Some(number) = shard {
            let by = self.shard.by();
            keep_shard(&mut plan, number, by, ShardNote::Always, context, &redactor);
        }
        if self.rules {
            let rules = RuleList::of(context, &plan)
                .map_err(|broken| Failed::Problems(broken, redactor.clone()))?;
            print(|out| {
                if self.json {
                    rules.as_json(&redactor, out)
                } else {
                    rules.as_text(&redactor, out)
                }
            })?;
            return Ok(Exit::Success);
        }
        let width = TerminalSize::width(context.size_of(OutputStream::Stdout));
        print(|out| {
            if self.json {
                as_json(&plan, context, &redactor, out)
            } else {
                aligned(&plan, &redactor, width, out)
            }
        })?;
        Ok(Exit::Success)
    }

    fn colour(&self) -> Colour {
        self.selection.color
    }
}

/// One line per id with its place; on a terminal, the place is on the next line if there is no room for it.
fn aligned(
    plan: &Plan,
    redactor: &Redactor,
    terminal: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let id = |case: &CaseEntry| escape::line(&redactor.text(&case.id())).into_owned();
    let place = |case: &CaseEntry| format!("{}:{}", escape::line(&case.test.file), case.test.line);
    let places = plan
        .cases
        .iter()
        .map(|case| columns::width(&place(case)))
        .max()
        .unwrap_or_default();
    let room = terminal.map_or(usize::MAX, |terminal| terminal.saturating_sub(places + 2));
    let widths = plan.cases.iter().map(|case| columns::width(&id(case)));
    let width = widths
        .filter(|width| *width <= room)
        .max()
        .unwrap_or_default();
    let mut before: Option<&CaseEntry> = None;
    for case in &plan.cases {
        let TestEntry { about, skip, .. } = &*case.test;
        let TestAbout {
            description, tags, ..
        } = about;
        let id = id(case);
        match width.checked_sub(columns::width(&id)) {
            Some(gap) => write!(out, "{id}{:gap$}  {}", "", place(case))?,
            None => write!(out, "{id}\n    {}", place(case))?,
        }
        if !tags.is_empty() {
            write!(
                out,
                "  [{}]",
                escape::line(&redactor.text(&tags.join(", ")))
            )?;
        }
        if let Some(why) = skip {
            write!(out, "  skipped: {}", escape::line(&redactor.text(why)))?;
        }
        writeln!(out)?;
        // What all rows have in common is printed once.
        let is_first = !before.is_some_and(|before| before.is_of_same_test(case));
        if let Some(description) = description.as_ref().filter(|_| is_first) {
            writeln!(out, "    {}", escape::line(&redactor.text(description)))?;
        }
        before = Some(case);
    }
    Ok(())
}

/// An array with one test per line, so that it is read by `jq` and by `grep` alike. A missing value is omitted.
fn as_json(
    plan: &Plan,
    context: &Context,
    redactor: &Redactor,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut before = "[\n";
    for case in &plan.cases {
        let test = ListedTest::of(case, plan, context, redactor);
        let test = serde_json::to_string(&test)?;
        write!(out, "{before}  {}", escape::json(&test))?;
        before = ",\n";
    }
    if plan.cases.is_empty() {
        writeln!(out, "[]")
    } else {
        writeln!(out, "\n]")
    }
}
