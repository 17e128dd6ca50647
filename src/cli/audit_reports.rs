//! The reports of an audit in files: its own JSON object, or any report of a run, to which its tools are tests.

use std::io;
use std::path::Path;

use ananke::audit::Audit;
use ananke::context::write_file;
use ananke::model::ReportFormat;
use ananke::outcome::{Totals, Verdict};
use ananke::report::Reporter;
use ananke::report::ci::BuildJob;
use ananke::report::file::{FileOptions, NamedReport, not_written};
use ananke::run::RunEvent;
use ananke::text::escape;

use super::agent_project::AgentProject;
use super::named_path::named_path;
use super::output_files::{ForceOption, OutputFiles, OutputKind};
use super::run_facts::run_facts;

/// The object of an audit as one line.
pub(super) fn json_line(audit: &Audit, agent: &AgentProject) -> String {
    escape::json(&audit.json(&agent.redactor).to_string()).into_owned() + "\n"
}

/// Writes the report of an audit to a file.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_report(
    file: &Path,
    force: ForceOption,
    audit: &Audit,
    agent: &AgentProject,
) -> io::Result<()> {
    let (path, shown) = named_path(file, &agent.context);
    let format = ReportFormat::of(file).unwrap_or(ReportFormat::Json);
    OutputFiles::of(&agent.context, force).check(&path, file, OutputKind::Report(format))?;
    if format == ReportFormat::Json {
        let line = json_line(audit, agent);
        return write_file(&path, line.as_bytes())
            .map_err(|error| not_written(&shown, &path, &error));
    }
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
    let facts = Box::new(run_facts(std::env::args_os(), &agent.plan, &agent.context));
    let clock = &agent.context.clock;
    let begin = RunEvent::RunStarted {
        tests: outcomes.len(),
        unix_ms: clock.unix_ms(clock.now()),
        facts,
    };
    let verdict = Verdict {
        totals,
        ..Verdict::default()
    };
    let end = RunEvent::RunFinished {
        verdict,
        elapsed_us: 0,
        interrupted: false,
    };
    for event in [begin]
        .into_iter()
        .chain(outcomes.into_iter().map(RunEvent::from))
        .chain([end])
    {
        report.event(&agent.redactor.seal(event))?;
    }
    report.finish()
}
