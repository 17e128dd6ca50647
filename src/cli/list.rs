//! `ananke list`: which tests there are.

use std::io::{self, BufWriter, Write};

use ananke::context::Context;
use ananke::plan::{CaseEntry, Plan};
use ananke::redact::Redactor;
use ananke::report::text;
use serde_json::json;

use super::arguments::ListOptions;
use super::exit::Exit;
use super::problems::{self, Purpose};

/// Lists what is selected: for people an id and its place a line, for programs one JSON array.
pub(super) fn list(options: &ListOptions, context: &Context) -> Exit {
    let redactor = Redactor::default();
    let plan = match problems::load(&options.selection, Purpose::default(), context, &redactor) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let mut stdout = BufWriter::new(io::stdout().lock());
    let written = if options.json {
        as_json(&plan, &redactor, &mut stdout)
    } else {
        aligned(&plan, &redactor, &mut stdout)
    };
    // A closed pipe ends the printing, nothing else.
    let _ = written.and_then(|()| stdout.flush());
    Exit::Success
}

fn aligned(plan: &Plan, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
    let ids: Vec<String> =
        plan.cases.iter().map(|case| text::line(&redactor.text(&case.id)).into_owned()).collect();
    let width = ids.iter().map(|id| id.chars().count()).max().unwrap_or_default();
    for (id, CaseEntry { file, line, .. }) in ids.iter().zip(&plan.cases) {
        writeln!(out, "{id:width$}  {}:{line}", text::line(file))?;
    }
    Ok(())
}

/// An array with one test a line, so that it is read by `jq` and by `grep` alike.
fn as_json(plan: &Plan, redactor: &Redactor, out: &mut dyn Write) -> io::Result<()> {
    let mut before = "[\n";
    for CaseEntry { id, name, target, file, line, turns, .. } in &plan.cases {
        let test = json!({
            "id": redactor.text(id), "name": redactor.text(name), "file": file, "line": line,
            "target": target, "turns": turns,
        });
        write!(out, "{before}  {test}")?;
        before = ",\n";
    }
    if plan.cases.is_empty() { writeln!(out, "[]") } else { writeln!(out, "\n]") }
}
