//! `-r`: who writes the report of `-o`: a format, or a target of the config that is asked for it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, json};

use crate::cli::frame::Failed;
use crate::cli::options::{ReportFile, ReportOptions};
use crate::cli::output::{ForceOption, OutputFiles, OutputKind, named_path};
use ananke::agents::Transport;
use ananke::context::{Context, Scratch, write_file};
use ananke::diagnostic::Diagnostic;
use ananke::helper::{HelperRole, read_report};
use ananke::model::ReportFormat;
use ananke::outcome::Halt;
use ananke::plan::{Plan, PreparedHelper};
use ananke::redact::Redactor;
use ananke::report::file::json::{CollectedReport, CollectedValue};
use ananke::report::file::not_written;
use ananke::report::written_reports::WrittenReports;
use ananke::run::{RunHelpers, Stopper};

/// The allowed prefix of the names of formats, as of the names of agents that report.
const PREFIX: &str = "report.";

/// A target that writes a report.
pub(crate) struct CustomReporter {
    /// Its name.
    name: String,
    /// The file that it writes.
    file: ReportFile,
    /// Whether the report is to have everything.
    is_verbose: bool,
    force: ForceOption,
    /// The directory of the config, which remembers what its agents wrote.
    project: PathBuf,
    report: CollectedValue,
}

/// The target that `-r` names, which then writes the first of the report files; `None` if `-r` names a format, which that
/// file then has, or nothing.
///
/// # Errors
/// If it names neither a target nor a format, which `redactor` masks.
pub(crate) fn custom_reporter(
    options: &mut ReportOptions,
    plan: &Plan,
    redactor: &Redactor,
) -> Result<Option<CustomReporter>, Failed> {
    let Some(name) = &options.reporter else {
        return Ok(None);
    };
    let format = ReportFormat::named(name.strip_prefix(PREFIX).unwrap_or(name));
    match (plan.agent(name), format) {
        (Ok(target), _) => {
            let (name, is_verbose) = (target.to_owned(), options.verbose);
            let file = options.output.remove(0);
            Ok(Some(CustomReporter {
                name,
                file,
                is_verbose,
                force: options.force,
                project: plan.config.folder.clone(),
                report: CollectedValue::default(),
            }))
        }
        (Err(_), Some(format)) => {
            options.output[0].format = format;
            Ok(None)
        }
        (Err(mut problems), None) => {
            let formats = format!(
                "`-r` also takes the name of a format: {}",
                ReportFormat::names()
            );
            for problem in &mut problems {
                problem.help.push(formats.clone());
            }
            Err(Failed::Problems(problems, redactor.clone()))
        }
    }
}

impl CustomReporter {
    /// The collector of the report. Its file can be written, as far as that is known.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn collect(&self, context: &Context) -> Result<CollectedReport, Failed> {
        let (path, shown) = self.destination(context);
        let files = OutputFiles::of(context, self.force).in_project(&self.project);
        let kind = OutputKind::Report(self.file.format);
        files.check(&path, Path::new(&shown), kind)?;
        Scratch::beside(&path, "part").map_err(|error| not_written(&shown, &path, &error))?;
        Ok(CollectedReport::new(&self.report)?)
    }

    /// The target, filled.
    ///
    /// # Errors
    /// The problem of the target.
    pub(crate) fn prepare(
        &self,
        plan: &Plan,
        context: &Context,
    ) -> Result<PreparedHelper, Vec<Diagnostic>> {
        plan.helper(&self.name, context)
    }

    /// Asks for the report and writes it. An interrupted run has none.
    ///
    /// # Errors
    /// If there is no answer, or it cannot be written.
    pub(crate) async fn write(
        self,
        helper: &PreparedHelper,
        context: &Context,
        transport: &Arc<dyn Transport>,
        redactor: &Redactor,
        stopper: &Stopper,
    ) -> io::Result<()> {
        let Some(report) = self.report.take() else {
            return Ok(());
        };
        let mut keys = Map::new();
        keys.insert("report".to_owned(), report);
        keys.insert("format".to_owned(), self.file.format.name().into());
        keys.insert("options".to_owned(), json!({ "verbose": self.is_verbose }));
        let helpers = RunHelpers::new(context, transport, redactor, stopper);
        match helpers
            .ask(HelperRole::Reporter, &self.name, helper, keys, read_report)
            .await
        {
            Ok(text) => {
                let (path, shown) = self.destination(context);
                let text = redactor.text(&text);
                write_file(&path, text.as_bytes())
                    .map_err(|error| not_written(&shown, &path, &error))?;
                WrittenReports::remember(&self.project, &path, text.as_bytes());
                Ok(())
            }
            Err(Halt::Stopped | Halt::Skipped(..)) => Ok(()),
            Err(Halt::Broken(problem)) => {
                let shown = self.file.path.display();
                let help = problem
                    .help
                    .map(|help| format!("\nhelp: {help}"))
                    .unwrap_or_default();
                let message = format!("`{shown}` is not written: {}{help}", problem.message);
                Err(io::Error::other(message))
            }
        }
    }

    fn destination(&self, context: &Context) -> (PathBuf, String) {
        named_path(&self.file.path, context)
    }
}
