//! The options of `ananke mutate`, and what it does with them.

use std::path::PathBuf;

use ananke::context::Context;
use ananke::freeze::FreezeError;
use ananke::mutation::{MutationRun, Suggestions};
use ananke::report::{CommandDocument, MutationDocument, MutationGates, mutation_conclusion};
use ananke::statistics::Percentage;
use ananke::text::grouped;
use clap::Args;
use indexmap::IndexMap;

use super::changed_files::changed_files;
use super::earlier_survivors::EarlierSurvivors;
use super::recording_files::recordings_in;
use crate::cli::document_file::DocumentFile;
use crate::cli::document_output::{DocumentForm, DocumentOutput};
use crate::cli::exit::Exit;
use crate::cli::freeze::{open_recording, report};
use crate::cli::named_path::named_path;
use crate::cli::output_files::ForceOption;
use crate::cli::print::say;
use crate::cli::recorded_selection::RecordedSelection;
use crate::cli::run_facts::run_facts;
use crate::cli::runtime::runtime;
use crate::cli::shown_path::shown_path;

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

/// Mutates recordings, and says with the exit code whether enough is noticed.
pub(crate) fn mutate(options: &MutateOptions, context: &Context) -> Exit {
    match mutated(options, context) {
        Ok(exit) => exit,
        Err(error) => report(&error, options.recorded.color, context),
    }
}

fn refused(message: String) -> FreezeError {
    FreezeError::Refused {
        message,
        help: None,
    }
}

fn mutated(options: &MutateOptions, context: &Context) -> Result<Exit, FreezeError> {
    let earlier = options.baseline.as_ref().map(|path| {
        let (path, shown) = named_path(path, context);
        EarlierSurvivors::read(&path, &shown).map_err(refused)
    });
    let earlier = earlier.transpose()?;
    let mut run = MutationRun::plan(context, options.recorded.selection())?;
    let runtime = runtime().map_err(|error| refused(error.to_string()))?;
    let mut refusals = Vec::new();
    let suggestions = match (options.no_suggestions, options.fix) {
        (true, _) => Suggestions::Off,
        (false, true) => Suggestions::ToWrite,
        (false, false) => Suggestions::ToShow,
    };
    for path in files(options, context, &run)? {
        let shown = shown_path(&path, context);
        let added = open_recording(&path, &shown).and_then(|recording| {
            runtime.block_on(run.add(context, recording, &shown, suggestions))
        });
        if let Err(error) = added {
            refusals.push(error);
        }
    }
    // A part of the recordings does not say what the others need.
    let mut notes = if options.since.is_some() {
        Vec::new()
    } else {
        run.unused_harmless()
    };
    if options.fix {
        notes.extend(runtime.block_on(run.fix(context))?);
    }
    for note in notes {
        say(&format!("note: {note}"));
    }
    let exit = if run.report.tests.is_empty() && !refusals.is_empty() {
        Exit::Failure
    } else {
        write_report(options, context, &run, earlier, refusals.len())
    };
    // After the report, whose last line counts them.
    report_refusals(&refusals, options, context);
    Ok(exit)
}

/// Prints why recordings are not mutated: those with one remedy together, with the remedy said once.
fn report_refusals(refusals: &[FreezeError], options: &MutateOptions, context: &Context) {
    let mut by_help: IndexMap<&str, Vec<&FreezeError>> = IndexMap::new();
    for error in refusals {
        match error {
            FreezeError::Refused {
                help: Some(help), ..
            } => by_help.entry(help).or_default().push(error),
            other => _ = report(other, options.recorded.color, context),
        }
    }
    for (help, errors) in by_help {
        if let [only] = errors.as_slice() {
            report(only, options.recorded.color, context);
            continue;
        }
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
) -> Result<Vec<PathBuf>, FreezeError> {
    let mut files = Vec::new();
    for path in &options.recordings {
        let (path, shown) = named_path(path, context);
        let found = recordings_in(&path).map_err(|error| {
            let help =
                "record tests with `ananke run --record DIR`, and name the directory: `ananke mutate DIR`";
            FreezeError::refused(format!("the recordings `{shown}` cannot be read: {error}"), help)
        })?;
        if found.is_empty() {
            let help = "record tests with `ananke run --record DIR`";
            return Err(FreezeError::refused(
                format!("there is no recording in `{shown}`"),
                help,
            ));
        }
        files.extend(found);
    }
    if let Some(reference) = &options.since {
        let changed = changed_files(&context.working_directory, reference).map_err(|why| {
            FreezeError::refused(
                format!("`--since {reference}`: {why}"),
                "name a commit of this repository",
            )
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
    context: &Context,
    run: &MutationRun,
    earlier: Option<EarlierSurvivors>,
    refused: usize,
) -> Exit {
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
    let facts = run_facts(std::env::args_os(), &run.plan, context);
    let output = DocumentOutput {
        form: options.form,
        colour: options.recorded.color,
        files: &options.output,
        force: options.force,
        context,
    };
    output.write(&CommandDocument {
        facts: &run.plan.redactor.seal(facts),
        conclusion: mutation_conclusion(&found, gates),
        found: &found,
    })
}
