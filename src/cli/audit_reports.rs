//! The reports of an audit that are those of a run, to which its tools are tests.

use std::io;
use std::path::Path;

use ananke::model::ReportFormat;
use ananke::outcome::RunEvent;
use ananke::outcome::audit::Audit;
use ananke::outcome::{RunClose, RunFacts, Totals, Verdict};
use ananke::report::ci::BuildJob;
use ananke::report::file::{FileOptions, NamedReport};
use ananke::report::{DeniedLevels, Reporter};

use super::agent_project::AgentProject;
use super::output::{DocumentFile, named_path};

/// Writes the reports of an audit to files, but for its own document.
///
/// # Errors
/// If one cannot be written.
pub(super) fn write_reports(
    files: &[DocumentFile],
    audit: &Audit,
    denied: DeniedLevels,
    facts: &RunFacts,
    agent: &AgentProject,
) -> io::Result<()> {
    let reports = files
        .iter()
        .filter(|file| file.format != ReportFormat::Json);
    for DocumentFile { path: file, format } in reports {
        write_report(file, *format, (audit, denied), facts, agent)?;
    }
    Ok(())
}

fn write_report(
    file: &Path,
    format: ReportFormat,
    (audit, denied): (&Audit, DeniedLevels),
    facts: &RunFacts,
    agent: &AgentProject,
) -> io::Result<()> {
    let (path, shown) = named_path(file, &agent.context);
    let options = FileOptions {
        job: BuildJob::of(&agent.context),
        ..FileOptions::default()
    };
    let mut report = Box::new(NamedReport::create(format, path, shown, &options)?);
    let outcomes = audit.outcomes(&agent.plan.config.source.name);
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
    totals.denied_warnings = audit.counts().warnings;
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
