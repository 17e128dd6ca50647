//! The report of `ananke mutate` for people.

use std::io::{self, Write};

use ananke::mutation::{MutationReport, Score, SurvivingMutant};
use ananke::text::escape;

/// Writes the report: survivors, then scores.
pub(super) fn write(
    out: &mut dyn Write,
    report: &MutationReport,
    survivors: &[&SurvivingMutant],
) -> io::Result<()> {
    for mutant in &report.killed_otherwise {
        write_mutant(out, "killed otherwise", mutant)?;
    }
    for survivor in survivors {
        write_mutant(out, "survived", survivor)?;
    }
    if !(survivors.is_empty() && report.killed_otherwise.is_empty()) {
        writeln!(out)?;
    }
    for of in report.operators() {
        writeln!(
            out,
            "{:>7}  {}",
            of.score.percent_words(),
            counted(&of.score, of.operator.name())
        )?;
    }
    writeln!(out)?;
    for test in &report.tests {
        writeln!(
            out,
            "{:>7}  {}",
            test.score.percent_words(),
            counted(&test.score, &escape::terminal(&test.id))
        )?;
    }
    let Score {
        killed,
        killed_by_protocol,
        killed_otherwise,
        not_shown,
        harmless,
        survived,
    } = report.total;
    let not_shown = match not_shown {
        0 => String::new(),
        count => format!(", {count} not shown"),
    };
    let total = report.total.total();
    writeln!(out)?;
    writeln!(
        out,
        "score {}: {killed} of {} changes killed by rules",
        report.total.percent_words(),
        report.total.counted()
    )?;
    writeln!(
        out,
        "{total} changes: {killed} killed, {killed_by_protocol} killed by the protocol, {killed_otherwise} killed otherwise, \
         {harmless} harmless, {survived} survived{not_shown}"
    )
}

fn counted(score: &Score, name: &str) -> String {
    format!("{name} ({} of {})", score.killed, score.counted())
}

/// A change that was not noticed for the right reason, and the rule that would.
fn write_mutant(out: &mut dyn Write, fate: &str, mutant: &SurvivingMutant) -> io::Result<()> {
    let SurvivingMutant {
        test,
        operator,
        severity,
        turn,
        event,
        change,
        other_finding,
        suggestion,
    } = mutant;
    writeln!(
        out,
        "{fate}: {operator} ({severity}) in {}",
        escape::terminal(test)
    )?;
    writeln!(
        out,
        "  turn {}, event {event}: {}",
        turn + 1,
        on_one_line(change)
    )?;
    if let Some(finding) = other_finding {
        writeln!(
            out,
            "  a rule fails that does not name the change: {}",
            on_one_line(finding)
        )?;
    }
    if let Some(suggestion) = suggestion {
        let (file, line) = (escape::terminal(&suggestion.file), suggestion.line);
        let level = match suggestion.level_words() {
            level if level == "test" => "the test".to_owned(),
            level => level,
        };
        let version = suggestion
            .version
            .as_ref()
            .map(|version| format!(", with `version: \"{version}\"`"));
        let version = version.unwrap_or_default();
        writeln!(
            out,
            "  this rule notices it, in `assert` of {level} ({file}:{line}{version}):"
        )?;
        for line in escape::terminal(&suggestion.yaml).lines() {
            writeln!(out, "    {line}")?;
        }
    }
    Ok(())
}

fn on_one_line(text: &str) -> String {
    escape::terminal(text).replace('\n', " ")
}
