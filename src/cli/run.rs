//! `ananke run`: plan, run, report.

use std::sync::Arc;

use ananke::compare::Coverage;
use ananke::context::Context;
use ananke::helper::Generator;
use ananke::model::ReportFormat;
use ananke::outcome::RunFacts;
use ananke::process::{LoweredParallel, tests_within_open_files_limit};
use ananke::recording::{RecordingMode, Recordings};
use ananke::run::{AfterNoAnswer, ExchangeReports, Options};
use ananke::text::escape;

use super::baseline::baseline;
use super::carry_out::PlannedRun;
use super::custom_reporter::custom_reporter;
use super::exit::Exit;
use super::failed_walks::FailedWalks;
use super::generate::{self, Asking, FILE};
use super::last_run;
use super::load::load;
use super::measured_run::MeasuredRun;
use super::print::{print, say};
use super::print_problems::print_problems;
use super::recording_options::recordings;
use super::report_options::AgentAnswers;
use super::reporters::note_earlier_reports;
use super::reserved_report::ReservedReport;
use super::run_facts::run_facts;
use super::run_options::{RunOptions, going};
use super::shard::{ShardNote, keep_shard};
use super::snapshots;
use super::test_input::{GivenTests, TestInput};

/// Runs what `-i` names, or the selected tests.
pub(super) fn run(options: &RunOptions, context: &Context) -> Exit {
    let mut options = options.clone();
    if let Some(message) = options.reports.reporter_without_file() {
        return complain(&message, Exit::Usage);
    }
    if let Some(file) = options.file_of_json(context) {
        let message = format!(
            "`--json` prints to standard output, and `{file}` is not a test\n\
             help: write a report with `-o {file}`"
        );
        return complain(&message, Exit::Usage);
    }
    let Some(text) = &options.input.input else {
        return run_tests(options, None, context);
    };
    let input = match TestInput::of(text, context) {
        Ok(input) => input,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let given = match input {
        TestInput::File(path) => GivenTests::of_file(path, context),
        TestInput::Stdin => match GivenTests::of_stdin(context) {
            Ok(given) => given,
            Err(error) => return complain(&error.to_string(), Exit::Failure),
        },
        TestInput::Message(message) => {
            options.reports.answers = AgentAnswers::Printed;
            GivenTests::of_message(&message, context)
        }
        TestInput::Generated(generator) => match generated(&generator, &options, context) {
            Ok(given) => given,
            Err(exit) => return exit,
        },
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
    let is_quiet = options.reports.quiet;
    let exit = run_tests(options, None, &context);
    if let Some(path) = report
        .and_then(ReservedReport::written)
        .filter(|_| !is_quiet)
    {
        say(&format!("note: the results are in `{}`", path.display()));
    }
    exit
}

/// The cases that `generator` makes; a dry run writes them if a file is named.
fn generated(
    generator: &Generator,
    options: &RunOptions,
    context: &Context,
) -> Result<GivenTests, Exit> {
    if options.shard.shard.is_some() {
        let message = "each machine would ask the generator for cases of its own, and `--shard` splits one list of tests\n\
                       help: write its cases with `--dry-run -o FILE.jsonl`, and run that file with `--shard`";
        return Err(complain(message, Exit::Usage));
    }
    if options.recordings.replay.is_some() {
        let message = "a generator is asked, and with `--replay` nothing is\n\
                       help: write its cases with `--dry-run -o FILE.jsonl`, and record and replay that file";
        return Err(complain(message, Exit::Usage));
    }
    let file = options.reports.output.first().filter(|_| options.dry_run);
    if file.is_some_and(|file| file.format != ReportFormat::JsonLines) {
        return Err(complain(
            "generated cases are written to a `.jsonl` file",
            Exit::Usage,
        ));
    }
    let selection = &options.selection(None);
    let asking = Asking {
        selection,
        colour: options.selection.color,
        reports: &options.reports,
        allowed: options.input.allowed(),
        context,
    };
    let cases = asking.cases(generator)?;
    let Some(file) = file else {
        return Ok(GivenTests::of_cases(FILE, &cases, context));
    };
    generate::write(&cases, &file.path, options.reports.force, context)
        .map_err(|error| complain(&error.to_string(), Exit::Failure))?;
    Ok(GivenTests::of_file(file.path.clone(), context))
}

/// Prints what is wrong, which may quote an agent.
fn complain(message: &str, exit: Exit) -> Exit {
    say(&format!("error: {message}"));
    exit
}

/// Runs the selected tests, whose conversations `measured` takes.
pub(super) fn run_measured(
    options: RunOptions,
    measured: &Arc<MeasuredRun>,
    context: &Context,
) -> Exit {
    run_tests(options, Some(Arc::clone(measured)), context)
}

/// Runs the selected tests and reports them to the console and to files.
fn run_tests(
    mut options: RunOptions,
    measured: Option<Arc<MeasuredRun>>,
    context: &Context,
) -> Exit {
    let writing = match snapshots::writing(options.update_snapshots, context) {
        Ok(writing) => writing,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let shard = match options.shard.number(context) {
        Ok(shard) => shard,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let recordings = recordings(&options.recordings, context);
    if let Some(Recordings {
        folder,
        shown,
        mode: RecordingMode::Replay,
        ..
    }) = &recordings
        && !folder.is_dir()
    {
        let message = format!(
            "there is no directory `{shown}` to play recordings from\n\
             help: make it with `ananke run --record {shown}`, against the agent itself"
        );
        return complain(&message, Exit::Failure);
    }
    let selection = options.selection(recordings.as_ref());
    let (mut plan, redactor) = match load(&selection, options.selection.color, context) {
        Ok(loaded) => loaded,
        Err(exit) => {
            note_earlier_reports(&options.reports, context);
            return exit;
        }
    };
    if let Some(message) = options.input.misplaced(&plan) {
        return complain(&message, Exit::Usage);
    }
    let files = plan.file_hashes(context);
    let note = if options.reports.quiet {
        ShardNote::IfEmpty
    } else {
        ShardNote::Always
    };
    let shard = shard.map(|number| {
        let by = options.shard.by();
        keep_shard(&mut plan, number, by, note, context, &redactor)
    });
    if options.is_of_failed() {
        last_run::keep_failed(&mut plan, &redactor);
    }
    if options.dry_run {
        let mut cases = plan.cases.iter().filter(|case| case.test.skip.is_none());
        return print(Exit::Success, |out| {
            cases.try_for_each(|case| writeln!(out, "{}", escape::line(&redactor.text(&case.id()))))
        });
    }
    let reporter = match custom_reporter(&mut options.reports, &plan) {
        Ok(reporter) => reporter,
        Err(problems) => {
            print_problems(&problems, options.selection.color, context, &redactor);
            return Exit::Failure;
        }
    };
    if reporter.is_some() && options.recordings.replay.is_some() {
        let message = "`-r` names an agent, which is asked, and with `--replay` nothing is\n\
                       help: name a format, or leave out `-r`";
        return complain(message, Exit::Usage);
    }
    let baseline = match baseline(
        &options.reports,
        options.selection.color,
        context,
        &redactor,
    ) {
        Ok(baseline) => baseline,
        Err(exit) => return exit,
    };
    let exchanges = if options.reports.debug {
        ExchangeReports::On
    } else {
        ExchangeReports::Off
    };
    let mut going = options.people.put_into(Options {
        exchanges,
        after_no_answer: if options.going.keep_going {
            AfterNoAnswer::Continue
        } else {
            AfterNoAnswer::Stop
        },
        ..going(plan.settings, writing)
    });
    let at_once = going.parallel.min(plan.cases.len());
    if let Some(LoweredParallel { most, limit }) = tests_within_open_files_limit(at_once) {
        say(&format!(
            "note: {most} tests run at once, not {at_once}: this process may have only {limit} files open; `ulimit -n 10240` raises that"
        ));
        going.parallel = most;
    }
    let has_others = shard
        .as_ref()
        .is_some_and(|shard| shard.leaves_out_tests(plan.cases.len()));
    let (walks, folder) = (FailedWalks::default(), plan.config.folder.clone());
    let run = PlannedRun {
        options: &options,
        going,
        recordings,
        baseline,
        reporter,
        context,
        redactor: &redactor,
        measured,
        walks: walks.clone(),
        observed: None,
        coverage: if has_others {
            Coverage::SelectedTests
        } else {
            options.coverage()
        },
        facts: RunFacts {
            shard,
            files: files.into(),
            ..run_facts(std::env::args_os(), &plan, context)
        },
    };
    match run.carry_out(plan) {
        Ok(exit) => {
            walks.freeze(&selection, &folder, context);
            exit
        }
        Err(error) => complain(&redactor.text(&error.to_string()), Exit::Failure),
    }
}
