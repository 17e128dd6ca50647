//! Writes recorded tests, and reports what was written.

use std::io;

use ananke::{context::Context, record::RecordedFile, text::escape};

use crate::cli::frame::{Exit, Failed};
use crate::cli::output::{Outputs, shown_path};

/// Writes `file`; it is a failure if a test does not pass, or the last turn of a conversation is not in it.
///
/// # Errors
/// If it cannot be written.
pub(in crate::cli::make) fn write(
    file: &RecordedFile,
    outputs: &Outputs,
    context: &Context,
) -> Result<Exit, Failed> {
    file.write()
        .map_err(|error| Failed::new(format!("the test cannot be written: {error}")))?;
    // What standard output does not take is lost; the files are written.
    let _lost = summarize(file, &mut outputs.stdout.clone(), context);
    let _lost = outputs.stdout.finish();
    let mut stderr = outputs.stderr.clone();
    let is_good = complain(file, &mut stderr).unwrap_or(false);
    let _lost = stderr.finish();
    Ok(if is_good {
        Exit::Success
    } else {
        Exit::Failure
    })
}

fn summarize(file: &RecordedFile, out: &mut dyn io::Write, context: &Context) -> io::Result<()> {
    let counted =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let turns = file.tests.iter().map(|test| test.turns).sum();
    let tests = match file.tests.len() {
        1 => String::new(),
        count => format!("{}, ", counted(count, "test")),
    };
    writeln!(
        out,
        "wrote {}: {tests}{}",
        shown_path(&file.file, context),
        counted(turns, "turn")
    )?;
    for test in &file.tests {
        writeln!(
            out,
            "wrote {}: its recording",
            shown_path(&test.recording_file, context)
        )?;
    }
    let passed = file
        .tests
        .iter()
        .filter(|test| test.failure.is_none())
        .count();
    if passed == file.tests.len() {
        writeln!(out, "replayed it: passed")?;
    }
    Ok(())
}

/// Reports what is wrong with the tests, and what their readers have to know; `true` if nothing is wrong.
fn complain(file: &RecordedFile, out: &mut dyn io::Write) -> io::Result<bool> {
    let mut is_good = file.missing.is_empty();
    for (name, why) in &file.missing {
        let name = escape::line(name);
        let why = escape::terminal(&why.to_string()).into_owned();
        writeln!(out, "error: the test `{name}` is not written: {why}")?;
    }
    for test in &file.tests {
        for note in &test.notes {
            writeln!(out, "note: {}", escape::terminal(note))?;
        }
        if let Some(problem) = &test.problem {
            is_good = false;
            let number = test.turns + 1;
            writeln!(
                out,
                "error: turn {number} is not in the test: {}",
                escape::terminal(&problem.message)
            )?;
            if let Some(help) = &problem.help {
                writeln!(out, "help: {}", escape::terminal(help))?;
            }
        }
        if let Some(failure) = &test.failure {
            is_good = false;
            let name = escape::line(&test.name);
            writeln!(
                out,
                "error: the test `{name}` does not pass: {}",
                escape::terminal(failure)
            )?;
        }
    }
    Ok(is_good)
}
