//! `ananke run`: plan, run, report.

use std::sync::Arc;

use ananke::assertion::Writing;
use ananke::compare::Coverage;
use ananke::context::Context;
use ananke::helper::Generator;
use ananke::model::ReportFormat;
use ananke::outcome::{RunFacts, Shard, TokenTotals};
use ananke::plan::Plan;
use ananke::process::{LoweredParallel, tests_within_open_files_limit};
use ananke::recording::{RecordingMode, Recordings};
use ananke::redact::Redactor;
use ananke::run::Options;
use ananke::text::escape;

use super::carry_out::{MeasuredRun, PlannedRun};
use crate::cli::frame::{Colour, CommandOptions, Exit, Failed, print, say};
use crate::cli::options::{AgentAnswers, RunOptions, recordings, snapshots};
use crate::cli::output::{OutputFiles, OutputKind};
use crate::cli::reporting::{
    CustomReporter, FailedWalks, ReservedReport, baseline, custom_reporter, last_failed,
    note_earlier_reports, run_facts,
};
use crate::cli::select::{
    Asking, FILE, GeneratedCases, GivenTests, ShardNote, TestInput, generate, keep_shard, load,
    refuse_unpriced,
};

impl CommandOptions for RunOptions {
    /// Runs what `-i` names, or the selected tests.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        let mut options = self.clone();
        options.reports.refuse_reporter_without_file()?;
        if let Some(file) = options.file_of_json(context) {
            let message = format!("`--json` prints to standard output, and `{file}` is not a test");
            return Err(Failed::usage(message).help(format!("write a report with `-o {file}`")));
        }
        let Some(text) = &options.input.input else {
            refuse_reports_of_nothing(&options)?;
            return run_tests(options, None, TokenTotals::default(), context);
        };
        let input = TestInput::of(text, context).map_err(Failed::usage)?;
        if !matches!(input, TestInput::Generated(_)) {
            refuse_reports_of_nothing(&options)?;
        }
        let mut generated_tokens = TokenTotals::default();
        let given = match input {
            TestInput::File(path) => GivenTests::of_file(path, context),
            TestInput::Stdin => GivenTests::of_stdin(context)?,
            TestInput::Message(message) => {
                options.reports.answers = AgentAnswers::Printed;
                GivenTests::of_message(&message, context)
            }
            TestInput::Generated(generator) => {
                let (given, tokens) = generated(&generator, &options, context)?;
                generated_tokens = tokens;
                given
            }
        };
        let GivenTests {
            context,
            path,
            report,
        } = given;
        options.selection.paths = vec![path];
        let report = report
            .filter(|_| options.reports.output.is_empty() && !options.dry_run)
            .map(ReservedReport::new);
        options
            .reports
            .output
            .extend(report.as_ref().map(|report| report.file.clone()));
        let exit = run_tests(options, None, generated_tokens, &context)
            .unwrap_or_else(|failed| failed.report(self.colour(), &context));
        let written = report.and_then(ReservedReport::written);
        if let Some(path) = written.filter(|_| !self.reports.quiet) {
            say(&format!("note: the results are in `{}`", path.display()));
        }
        Ok(exit)
    }

    fn colour(&self) -> Colour {
        self.selection.color
    }
}

/// Refuses reports of a dry run, which has no results.
///
/// # Errors
/// If one is named.
fn refuse_reports_of_nothing(options: &RunOptions) -> Result<(), Failed> {
    let Some(file) = options.reports.output.first().filter(|_| options.dry_run) else {
        return Ok(());
    };
    let message = format!(
        "`{}` cannot be written: with `--dry-run` nothing is run, and only the cases of a generator (`-i agents:NAME`) are written",
        file.path.display()
    );
    Err(Failed::usage(message).help("leave out `-o` or `--dry-run`"))
}

/// The cases that `generator` makes; a dry run writes them if a file is named.
fn generated(
    generator: &Generator,
    options: &RunOptions,
    context: &Context,
) -> Result<(GivenTests, TokenTotals), Failed> {
    if options.shard.shard.is_some() {
        let message = "each machine would ask the generator for cases of its own, and `--shard` splits one list of tests";
        let help =
            "write its cases with `--dry-run -o FILE.jsonl`, and run that file with `--shard`";
        return Err(Failed::usage(message).help(help));
    }
    if options.recordings.replay.is_some() {
        let message = "a generator is asked, and with `--replay` nothing is";
        let help =
            "write its cases with `--dry-run -o FILE.jsonl`, and record and replay that file";
        return Err(Failed::usage(message).help(help));
    }
    let file = options.reports.output.first().filter(|_| options.dry_run);
    if file.is_some_and(|file| file.format != ReportFormat::JsonLines) {
        return Err(Failed::usage(
            "generated cases are written to a `.jsonl` file",
        ));
    }
    let named = file.map(|file| (file.path.as_path(), OutputKind::Source));
    OutputFiles::of(context, options.reports.force).check_named(named, context)?;
    let selection = &options.selection(None);
    let asking = Asking {
        selection,
        colour: options.selection.color,
        reports: &options.reports,
        allowed: options.input.allowed(),
        context,
    };
    let GeneratedCases { lines, tokens } = asking.cases(generator)?;
    let Some(file) = file else {
        return Ok((GivenTests::of_cases(FILE, &lines, context), tokens));
    };
    generate::write(&lines, &file.path, context)?;
    Ok((GivenTests::of_file(file.path.clone(), context), tokens))
}

/// Runs the selected tests, whose conversations `measured` takes.
pub(super) fn run_measured(
    options: RunOptions,
    measured: &Arc<MeasuredRun>,
    context: &Context,
) -> Result<Exit, Failed> {
    let none = TokenTotals::default();
    run_tests(options, Some(Arc::clone(measured)), none, context)
}

/// Refuses recordings to replay whose directory is not there.
///
/// # Errors
/// If it is not there.
fn refuse_missing(recordings: Option<&Recordings>) -> Result<(), Failed> {
    let Some(Recordings {
        folder,
        shown,
        mode: RecordingMode::Replay,
        ..
    }) = recordings
    else {
        return Ok(());
    };
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!("there is no directory `{shown}` to play recordings from");
    let help = format!("make it with `ananke run --record {shown}`, against the agent itself");
    Err(Failed::new(message).help(help))
}

/// The options of the run of `plan`: its settings, and what the command line alone decides. Fewer tests run at once
/// if the system does not allow so many open files.
fn run_options(options: &RunOptions, plan: &Plan, writing: Writing) -> Options {
    let mut run_options = options.people.put_into(Options {
        writing,
        exchanges: options.reports.debug,
        ..Options::from(plan.settings)
    });
    let at_once = plan.settings.parallel.min(plan.cases.len());
    if let Some(LoweredParallel { most, limit }) = tests_within_open_files_limit(at_once) {
        say(&format!(
            "note: {most} tests run at once, not {at_once}: this process may have only {limit} files open; `ulimit -n 10240` raises that"
        ));
        run_options.settings.parallel = most;
    }
    run_options
}

/// The agent that writes a report, if one is named.
///
/// # Errors
/// If the name is of nothing, or nothing is asked.
fn reporter(
    options: &mut RunOptions,
    plan: &Plan,
    redactor: &Redactor,
) -> Result<Option<CustomReporter>, Failed> {
    let reporter = custom_reporter(&mut options.reports, plan, redactor)?;
    if reporter.is_some() && options.recordings.replay.is_some() {
        let message = "`-r` names an agent, which is asked, and with `--replay` nothing is";
        return Err(Failed::usage(message).help("name a format, or leave out `-r`"));
    }
    Ok(reporter)
}

/// The coverage of a run of so many tests, which are those of `shard` if there is one.
fn coverage(options: &RunOptions, shard: Option<&Shard>, tests: usize) -> Coverage {
    if shard.is_some_and(|shard| shard.leaves_out_tests(tests)) {
        Coverage::SelectedTests
    } else {
        options.coverage()
    }
}

/// Prints the ids of the tests that would run.
fn print_ids(plan: &Plan, redactor: &Redactor) -> Result<Exit, Failed> {
    let mut cases = plan.cases.iter().filter(|case| case.test.skip.is_none());
    print(|out| {
        cases.try_for_each(|case| writeln!(out, "{}", escape::line(&redactor.text(&case.id()))))
    })?;
    Ok(Exit::Success)
}

/// Runs the selected tests and reports them to the console and to files. `generated` are the tokens that their generator took.
fn run_tests(
    mut options: RunOptions,
    measured: Option<Arc<MeasuredRun>>,
    generated: TokenTotals,
    context: &Context,
) -> Result<Exit, Failed> {
    let writing = snapshots::writing(options.update_snapshots, context).map_err(Failed::usage)?;
    let shard = options.shard.number(context)?;
    let recordings = recordings(&options.recordings, context);
    refuse_missing(recordings.as_ref())?;
    let selection = options.selection(recordings.as_ref());
    let loaded = load(&selection, options.colour(), context);
    let (mut plan, redactor) = loaded.map_err(|failed| {
        let exit = failed.report(options.colour(), context);
        note_earlier_reports(&options.reports, context);
        Failed::Ended(exit)
    })?;
    options.input.refuse_misplaced(&plan)?;
    for model in &mut plan.models {
        model.asked_for = options.recordings.models.map(Into::into);
        model.is_loose = options.recordings.models_loose;
    }
    let files = plan.file_hashes(context);
    let shard = shard.map(|number| {
        let by = options.shard.by();
        let note = if options.reports.quiet {
            ShardNote::IfEmpty
        } else {
            ShardNote::Always
        };
        keep_shard(&mut plan, number, by, note, context, &redactor)
    });
    if options.is_of_failed() {
        last_failed::keep_failed(&mut plan, &selection, context, &redactor);
    }
    if options.dry_run {
        return print_ids(&plan, &redactor);
    }
    refuse_unpriced(&plan, None, context)?;
    let reporter = reporter(&mut options, &plan, &redactor)?;
    let baseline = baseline(&options.reports, context, &redactor)?;
    let run_options = run_options(&options, &plan, writing);
    let coverage = coverage(&options, shard.as_ref(), plan.cases.len());
    let (walks, folder) = (FailedWalks::default(), plan.config.folder.clone());
    let run = PlannedRun {
        options: &options,
        run_options,
        recordings,
        baseline,
        reporter,
        context,
        redactor: &redactor,
        measured,
        walks: walks.clone(),
        observed: None,
        coverage,
        facts: RunFacts {
            shard,
            files: files.into(),
            generated: Box::new(generated),
            ..run_facts(std::env::args_os(), &plan, context)
        },
    };
    let exit = run.carry_out(plan)?;
    walks.freeze(&selection, &folder, context);
    Ok(exit)
}
