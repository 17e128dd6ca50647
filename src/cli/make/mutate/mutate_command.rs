//! The options of `ananke mutate`, and what it does with them.

use std::path::PathBuf;

use ananke::mutation::{MutationRun, Suggestions};
use ananke::report::{CommandDocument, MutationDocument, MutationGates, mutation_conclusion};
use ananke::source::reason;
use ananke::{LabError, context::Context, statistics::Percentage, text::grouped};
use clap::Args;
use indexmap::IndexMap;

use super::super::freeze::open_recording;
use super::earlier_survivors::EarlierSurvivors;
use super::mutated_files::{changed_files, recordings_in};
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, block_on, say};
use crate::cli::options::RecordedSelection;
use crate::cli::output::{
    DocumentFile, DocumentForm, DocumentOutput, ForceOption, named_path, shown_path,
};
use crate::cli::reporting::run_facts;

/// The number of recordings that are not mutated for one reason and are listed.
const MOST_REFUSALS: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct MutateOptions {
    /// Recordings of tests that pass, or directories with recordings
    #[arg(value_name = "RECORDINGS", default_value = "recordings")]
    pub(crate) recordings: Vec<PathBuf>,
    /// Write the suggested rules into the tests
    #[arg(long)]
    pub(crate) fix: bool,
    /// Mutate only what changed since this commit: recordings, and tests with their recordings
    #[arg(long, value_name = "REF")]
    pub(crate) since: Option<String>,
    /// Fail if a change survives that did not survive in this earlier report of `--json`
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Fail below this score (default: `mutation.min_score` of the config)
    #[arg(long, value_name = "PERCENT", value_parser = Percentage::parse)]
    pub(crate) min_score: Option<Percentage>,
    /// Do not look for rules that would notice the survivors
    #[arg(long, conflicts_with = "fix")]
    pub(crate) no_suggestions: bool,
    /// Also write the report to a file; the file extension selects the format: `.html` HTML, `.md` Markdown, `.xml` JUnit,
    /// `.json` as `--json`; repeatable
    #[arg(short, long, value_name = "FILE", value_parser = DocumentFile::parse::<MutationDocument<'static>>)]
    pub(crate) output: Vec<DocumentFile>,
    #[command(flatten)]
    pub(crate) force: ForceOption,
    #[command(flatten)]
    pub(crate) form: DocumentForm,
    #[command(flatten)]
    pub(crate) recorded: RecordedSelection,
}

impl CommandOptions for MutateOptions {
    /// Mutates recordings, and says with the exit code whether enough is noticed.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let earlier = self.baseline.as_ref().map(|path| {
            let (path, shown) = named_path(path, context);
            EarlierSurvivors::read(&path, &shown).map_err(Failed::new)
        });
        let earlier = earlier.transpose()?;
        let mut run = MutationRun::plan(context, self.recorded.selection())?;
        let output = DocumentOutput {
            form: self.form,
            colour: self.recorded.color,
            files: &self.output,
            force: self.force,
            context,
        };
        output.check()?;
        let refusals = block_on(mutate_all(self, &mut run, context))??;
        let written = if run.report.tests.is_empty() && !refusals.is_empty() {
            Ok(Exit::Failure)
        } else {
            write_report(self, &output, &run, earlier, refusals.len())
        };
        // After the report, whose last line counts them.
        report_refusals(refusals, self.colour(), context);
        written
    }

    fn colour(&self) -> Colour {
        self.recorded.color
    }
}

/// Mutates the recordings, and notes what a reader has to know; the errors of those that cannot be mutated.
async fn mutate_all(
    options: &MutateOptions,
    run: &mut MutationRun,
    context: &Context,
) -> Result<Vec<LabError>, Failed> {
    let suggestions = match (options.no_suggestions, options.fix) {
        (true, _) => Suggestions::Off,
        (false, true) => Suggestions::ToWrite,
        (false, false) => Suggestions::ToShow,
    };
    let mut refusals = Vec::new();
    for path in files(options, context, run)? {
        let shown = shown_path(&path, context);
        let added = match open_recording(&path, &shown) {
            Ok(recording) => run.add(context, recording, &shown, suggestions).await,
            Err(error) => Err(error),
        };
        refusals.extend(added.err());
    }
    // A part of the recordings does not say what the others need.
    let mut notes = if options.since.is_some() {
        Vec::new()
    } else {
        run.unused_harmless()
    };
    if options.fix {
        notes.extend(run.fix(context).await?);
    }
    for note in notes {
        say(&format!("note: {note}"));
    }
    Ok(refusals)
}

/// Prints why recordings are not mutated: those with one remedy together, with the remedy said once.
fn report_refusals(refusals: Vec<LabError>, colour: Colour, context: &Context) {
    let mut by_help: IndexMap<String, Vec<LabError>> = IndexMap::new();
    for error in refusals {
        match &error {
            LabError::Refused {
                help: Some(help), ..
            } => by_help.entry(help.clone()).or_default().push(error),
            _ => _ = Failed::from(error).report(colour, context),
        }
    }
    for (help, errors) in by_help {
        let errors = match <[LabError; 1]>::try_from(errors) {
            Ok([only]) => {
                Failed::from(only).report(colour, context);
                continue;
            }
            Err(several) => several,
        };
        let count = grouped(errors.len());
        let mut lines = vec![format!("error: {count} recordings are not mutated")];
        let listed = errors.iter().take(MOST_REFUSALS);
        lines.extend(listed.map(|error| format!("  {error}")));
        if errors.len() > MOST_REFUSALS {
            let more = grouped(errors.len() - MOST_REFUSALS);
            lines.push(format!("  … and {more} more"));
        }
        lines.push(format!("help: {help}"));
        say(&lines.join("\n"));
    }
}

/// The recordings to mutate.
fn files(
    options: &MutateOptions,
    context: &Context,
    run: &MutationRun,
) -> Result<Vec<PathBuf>, Failed> {
    let mut files = Vec::new();
    for path in &options.recordings {
        let (path, shown) = named_path(path, context);
        let found = recordings_in(&path).map_err(|error| {
            let help =
                "record tests with `ananke run --record DIR`, and name the directory: `ananke mutate DIR`";
            Failed::new(format!("the recordings `{shown}` cannot be read: {}", reason(&error))).help(help)
        })?;
        if found.is_empty() {
            return Err(Failed::new(format!("there is no recording in `{shown}`"))
                .help("record tests with `ananke run --record DIR`"));
        }
        files.extend(found);
    }
    if let Some(reference) = &options.since {
        let changed = changed_files(&context.working_directory, reference).map_err(|why| {
            Failed::new(format!("`--since {reference}`: {why}"))
                .help("name a commit of this repository")
        })?;
        if !changed.contains(run.config_file()) {
            let is_changed = |path: &PathBuf| {
                let test = open_recording(path, "")
                    .ok()
                    .and_then(|recording| run.test_file(&recording));
                changed.contains(path) || test.is_none_or(|test| changed.contains(&test))
            };
            files.retain(is_changed);
        }
    }
    Ok(files)
}

/// Writes what came of the changes; `refused` recordings could not be mutated.
fn write_report(
    options: &MutateOptions,
    output: &DocumentOutput<'_>,
    run: &MutationRun,
    earlier: Option<EarlierSurvivors>,
    refused: usize,
) -> Result<Exit, Failed> {
    let report = &run.report;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let per_second = report.total.total as f64 * 1_000_000.0 / run.took_us.max(1) as f64;
    let is_gated = earlier.is_some();
    let listed = match earlier {
        Some(earlier) => earlier.new_among(&report.survivors),
        None => report.survivors.iter().collect(),
    };
    let gates = MutationGates {
        new_survivors: is_gated.then_some(listed.len()),
        refused,
    };
    let found = MutationDocument {
        report,
        listed,
        min_score: options.min_score.or(run.gate.min_score),
        per_second,
    };
    let facts = run_facts(std::env::args_os(), &run.plan, output.context);
    output.write(&CommandDocument {
        facts: &run.plan.redactor.seal(facts),
        conclusion: mutation_conclusion(&found, gates),
        found: &found,
    })
}
