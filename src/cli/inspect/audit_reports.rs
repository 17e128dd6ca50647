//! The reports of an audit that are those of a run, to which its tools are tests.

use std::io;
use std::path::Path;

use ananke::model::ReportFormat;
use ananke::outcome::audit::Audit;
use ananke::outcome::{RunClose, RunEvent, RunFacts, Totals, Verdict};
use ananke::report::file::NamedReport;
use ananke::report::{DeniedLevels, Reporter};
use ananke::settings::JunitDialect;

use crate::cli::contact::AgentProject;
use crate::cli::output::{DocumentFile, named_path};
use crate::cli::reporting::file_options;

/// Writes the reports of an audit to files, but for its own document.
///
/// # Errors
/// If one cannot be written.
pub(crate) fn write_reports(
    files: &[DocumentFile],
    audit: &Audit,
    facts: &RunFacts,
    denied: DeniedLevels,
    agent: &AgentProject,
) -> io::Result<()> {
    let reports = files
        .iter()
        .filter(|file| file.format != ReportFormat::Json);
    for DocumentFile { path: file, format } in reports {
        write_report(file, *format, audit, facts, denied, agent)?;
    }
    Ok(())
}

fn write_report(
    file: &Path,
    format: ReportFormat,
    audit: &Audit,
    facts: &RunFacts,
    denied: DeniedLevels,
    agent: &AgentProject,
) -> io::Result<()> {
    let (path, shown) = named_path(file, &agent.context);
    let options = file_options(JunitDialect::Default, &agent.context);
    let mut report = Box::new(NamedReport::create(format, path, shown, &options)?);
    let mut outcomes = audit.outcomes(&agent.plan.config.source.name);
    if denied == DeniedLevels::ErrorsAndWarnings {
        for outcome in &mut outcomes {
            let warnings = outcome.verdict.warnings.len();
            outcome.verdict.denied_warnings = u32::try_from(warnings).unwrap_or(u32::MAX);
        }
    }
    let mut totals = Totals::default();
    for outcome in &outcomes {
        totals.add(outcome);
    }
    let facts = Box::new(facts.clone());
    let clock = &agent.context.clock;
    let begin = RunEvent::RunStarted {
        tests: outcomes.len(),
        unix_ms: clock.unix_ms(clock.now()),
        facts,
    };
    let verdict = Verdict {
        totals,
        warnings_fail: denied == DeniedLevels::ErrorsAndWarnings,
        ..Verdict::default()
    };
    let end = RunEvent::RunFinished(RunClose {
        verdict,
        ..RunClose::default()
    });
    for event in [begin]
        .into_iter()
        .chain(outcomes.into_iter().map(RunEvent::from))
        .chain([end])
    {
        report.event(&agent.redactor.seal(event))?;
    }
    report.finish()
}
