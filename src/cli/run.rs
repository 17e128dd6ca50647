//! `ananke run`: plan, run, report.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ananke::assertion::Writing;
use ananke::compare::{Baseline, Coverage};
use ananke::context::Context;
use ananke::engine::{AtFailure, AtViolation};
use ananke::model::FlakyVerdict;
use ananke::plan::{Judging, KEPT_TEXT, Plan, RunPurpose, Selection};
use ananke::project::{AgentChoice, RunSettings};
use ananke::recording::{RecordingMode, Recordings};
use ananke::redact::Redactor;
use ananke::report::{Reporter as _, deliver};
use ananke::run::{
    AfterFailure, ExchangeReports, Options, ProjectHooks, Reason, ReusedThreads, Run, SuiteComparison,
    event_channel, run as run_plan,
};
use ananke::target::http::HttpTransport;
use clap::Args;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::baseline::{baseline, baseline_report};
use super::execution_options::ExecutionOptions;
use super::exit::Exit;
use super::input_options::InputOptions;
use super::interrupt;
use super::last_run;
use super::load::load;
use super::outputs::Outputs;
use super::print::print;
use super::recording_options::{RecordingOptions, check_writable, recordings};
use super::repeat_options::RepeatOptions;
use super::report_options::{AgentAnswers, ReportOptions};
use super::reporters::{Reporters, note_earlier_reports, reporters};
use super::retry_options::RetryOptions;
use super::run_facts::run_facts;
use super::screen::Screen;
use super::selection_options::SelectionOptions;
use super::servers;
use super::setup;
use super::snapshots::{self, Update};
use super::strictness::Strictness;
use super::test_input::{GivenTests, TestInput};

/// What follows the options in the help of `ananke run`.
const AFTER_HELP: &str = "\
Examples:
  ananke run                              Run every test of the project
  ananke run specs/pay.test.yaml -v       One file, with transcripts
  ananke run --tag smoke --parallel 8     All tests with a tag, in parallel
  ananke run -o junit.xml -o report.html  Write reports
  ananke run --record recordings          Record the agent's responses …
  ananke run --replay recordings          … and run without the agent

Exit codes:
  0    Every test passed
  1    A test failed, or a file or the run has a problem
  2    Invalid command line
  3    No test failed, but a test is undecided after all runs it may have
  130  Interrupted

Environment variables:
  NO_COLOR        No colours, unless `--color always` is given
  FORCE_COLOR, CLICOLOR_FORCE
                  Colours also if the output is not a terminal
  CI              If set, snapshots are not written
  GITHUB_ACTIONS  If `true`, annotations and a job summary are written
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY
                  Proxies for agents that are not on this machine";

#[derive(Clone, Debug, Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct RunOptions {
    #[command(flatten, next_help_heading = "Selection")]
    pub(crate) selection: SelectionOptions,
    #[command(flatten, next_help_heading = "Messages and cases")]
    pub(crate) input: InputOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) going: ExecutionOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) retrying: RetryOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) runs: RepeatOptions,
    #[command(flatten, next_help_heading = "Reports")]
    pub(crate) reports: ReportOptions,
    #[command(flatten, next_help_heading = "Execution")]
    pub(crate) strictness: Strictness,
    #[command(flatten, next_help_heading = "Record and replay")]
    pub(crate) recordings: RecordingOptions,
    /// Only run selected tests that did not pass last time
    #[arg(long, alias = "lf", help_heading = "Selection")]
    pub(crate) last_failed: bool,
    /// Update snapshots: write missing and changed ones, delete unused ones; `changed` or `missing` write only those.
    /// Without this option missing ones are written, and none if `CI` is set
    #[arg(long, help_heading = "Snapshots", value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub(crate) update_snapshots: Option<Update>,
    /// Skip hooks; pass their values with `--var`
    #[arg(long, help_heading = "Execution")]
    pub(crate) no_hooks: bool,
    /// Only the tests of this file; how `ananke watch` selects what a change touches
    #[arg(long = "only-file", hide = true, value_name = "FILE")]
    pub(crate) only_files: Vec<PathBuf>,
    /// List the ids of the tests that would run, one per line, without running them
    #[arg(long, help_heading = "Selection")]
    pub(crate) dry_run: bool,
}

/// How many outcomes may wait for the reports.
const OUTCOMES_AHEAD: usize = 64;

/// Each test that runs has a thread, and one that timed out may keep its own.
const MOST_THREADS: usize = 1 << 16;

/// How long reports may take to be written once the run is interrupted.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs what `-i` names, or the selected tests.
pub(super) fn run(options: &RunOptions, context: &Context) -> Exit {
    let Some(text) = &options.input.input else { return run_tests(options, context) };
    let input = match TestInput::of(text, context) {
        Ok(input) => input,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let mut options = options.clone();
    if matches!(input, TestInput::Message(_)) {
        options.reports.answers = AgentAnswers::Printed;
    }
    let GivenTests { context, path, report } = match input.give(context) {
        Ok(given) => given,
        Err(error) => return complain(&error.to_string(), Exit::Failure),
    };
    options.selection.paths = vec![path];
    if options.reports.output.is_empty() && !options.dry_run {
        options.reports.output.extend(report);
    }
    run_tests(&options, &context)
}

/// Prints what is wrong.
fn complain(message: &str, exit: Exit) -> Exit {
    let _ = writeln!(io::stderr().lock(), "error: {message}");
    exit
}

/// Runs the selected tests and reports them to the console and to files.
fn run_tests(options: &RunOptions, context: &Context) -> Exit {
    let writing = match snapshots::writing(options.update_snapshots, context) {
        Ok(writing) => writing,
        Err(message) => return complain(&message, Exit::Usage),
    };
    let recordings = recordings(&options.recordings, context);
    if let Some(Recordings { folder, shown, mode: RecordingMode::Replay, .. }) = &recordings
        && !folder.is_dir()
    {
        let message = format!(
            "there is no directory `{shown}` to play recordings from\n\
             help: make it with `ananke run --record {shown}`, against the agent itself"
        );
        return complain(&message, Exit::Failure);
    }
    let mut selection = Selection {
        kept_text: if options.dry_run { 0 } else { KEPT_TEXT },
        sends: !options.dry_run && recordings.as_ref().is_none_or(|kept| kept.mode != RecordingMode::Replay),
        settings: settings(options),
        only_files: options.only_files.clone(),
        purpose: purpose(&options.reports),
        judging: if options.going.no_judge { Judging::LeftOut } else { Judging::Asked },
        ..options.selection.selection()
    };
    if options.input.input.is_some() && selection.target == AgentChoice::OfConfig {
        selection.target = AgentChoice::OfAssistant;
    }
    selection.variables.without_hooks = options.no_hooks;
    let (mut plan, redactor) = match load(&selection, options.selection.color, context) {
        Ok(loaded) => loaded,
        Err(exit) => {
            note_earlier_reports(&options.reports, context);
            return exit;
        }
    };
    if options.last_failed {
        last_run::keep_failed(&mut plan, &redactor);
    }
    if options.dry_run {
        let mut cases = plan.cases.iter().filter(|case| case.test.skip.is_none());
        return print(Exit::Success, |out| {
            cases.try_for_each(|case| writeln!(out, "{}", redactor.text(&case.id())))
        });
    }
    let baseline = match baseline(&options.reports, options.selection.color, context, &redactor) {
        Ok(baseline) => baseline,
        Err(exit) => return exit,
    };
    let exchanges = if options.reports.debug { ExchangeReports::On } else { ExchangeReports::Off };
    let going = Options { exchanges, ..going(plan.settings, writing) };
    match carry_out(plan, options, going, recordings, baseline, context, &redactor) {
        Ok(exit) => exit,
        Err(error) => complain(&redactor.text(&error.to_string()), Exit::Failure),
    }
}

/// What the run is for.
fn purpose(options: &ReportOptions) -> RunPurpose {
    match options.answers {
        AgentAnswers::InReport => RunPurpose::Verdicts,
        AgentAnswers::Printed => RunPurpose::Answers,
    }
}

/// How the run goes, as the command line says it.
fn settings(options: &RunOptions) -> RunSettings {
    let ExecutionOptions { parallel, fail_fast, stop_early, strict_protocol, timeout, no_judge: _ } =
        options.going;
    let RetryOptions { retries, retry_dirty, flaky } = options.retrying;
    let is_set = |flag: bool| flag.then_some(true);
    RunSettings {
        parallel,
        timeout,
        retries,
        runs: options.runs.counts(),
        self_comparison: is_set(options.runs.a_a),
        retry_dirty,
        flaky: flaky.map(Into::into),
        fail_fast,
        stop_early,
        strict_protocol,
        deny_warnings: options.strictness.deny_warnings,
        junit_profile: options.reports.junit_profile.map(Into::into),
    }
}

/// How the run goes.
fn going(settings: RunSettings, writing: Writing) -> Options {
    let is_set = |flag: Option<bool>| flag == Some(true);
    Options {
        parallel: settings.parallel.unwrap_or(1),
        after_failure: if is_set(settings.fail_fast) { AfterFailure::Stop } else { AfterFailure::Continue },
        at_failure: if is_set(settings.stop_early) { AtFailure::Stop } else { AtFailure::Finish },
        at_violation: if is_set(settings.strict_protocol) { AtViolation::Fail } else { AtViolation::Warn },
        timeout: settings.timeout,
        retries: settings.retries.unwrap_or_default(),
        runs: settings.runs,
        comparison: if is_set(settings.self_comparison) {
            SuiteComparison::WithItself
        } else {
            SuiteComparison::Off
        },
        reused_threads: if is_set(settings.retry_dirty) {
            ReusedThreads::Allowed
        } else {
            ReusedThreads::Rejected
        },
        flaky_fails: settings.flaky == Some(FlakyVerdict::Fail),
        warnings_fail: is_set(settings.deny_warnings),
        writing,
        ..Options::default()
    }
}

fn carry_out(
    mut plan: Plan,
    options: &RunOptions,
    going: Options,
    recordings: Option<Recordings>,
    baseline: Option<Baseline>,
    context: &Context,
    redactor: &Redactor,
) -> io::Result<Exit> {
    let SelectionOptions { paths, filter, tags, ids, color, .. } = &options.selection;
    let is_whole = paths.is_empty()
        && filter.is_none()
        && tags.is_empty()
        && ids.is_empty()
        && options.only_files.is_empty()
        && !options.last_failed;
    let coverage = if is_whole { Coverage::AllTests } else { Coverage::SelectedTests };
    let (sender, receiver) = event_channel(OUTCOMES_AHEAD);
    let is_live = servers::is_live(&plan, recordings.as_ref());
    let own_context = Context { environment: Arc::clone(&plan.environment), ..context.clone() };
    let transport = Arc::new(HttpTransport::new(context.clock.clone()));
    let mut shared = Run::new(own_context.clone(), transport, plan.redactor.clone(), going, sender);
    shared.facts = run_facts(std::env::args_os(), &plan, context);
    shared.recordings = recordings;
    let stopper = shared.stopper.clone();
    let outputs = Outputs::of_program(&stopper);
    let Reporters { mut reporters, live } = reporters(&options.reports, &plan, *color, context, &outputs)?;
    if let Some(recordings) = &shared.recordings {
        check_writable(recordings, &plan)?;
    }
    // First, since a report that is written to a pipe waits for its reader.
    reporters.insert(0, Box::new(last_run::memory(&plan, coverage, context, redactor)));
    reporters.extend(
        baseline.map(|known| {
            baseline_report(known, coverage, options.reports.people(), *color, context, &outputs)
        }),
    );
    let (area, streams) = (live.clone(), outputs.clone());
    interrupt::listen(stopper.clone(), context, move || {
        // What cannot be shown any more is lost: the program ends.
        let _lost = area.map(|area| Box::new(area).finish());
        let _lost = streams.finish();
    })?;
    // It is never shut down: a test that timed out may still compute, and that is not waited for.
    let runtime = Box::leak(Box::new(
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MOST_THREADS)
            .build()?,
    ));
    let verdict = runtime.block_on(async {
        let screen = Screen {
            live: live.as_ref(),
            options: &options.reports,
            colour: *color,
            context,
            redactor,
            outputs: &outputs,
        };
        let needed = if is_live { std::mem::take(&mut plan.servers) } else { Vec::new() };
        let Some(servers) = servers::start(&needed, stopper.token(), screen).await else {
            note_earlier_reports(&options.reports, context);
            return Ok(None);
        };
        shared.servers = servers.watch();
        let mut hooks = is_live.then(|| ProjectHooks::new(&plan, &own_context));
        if let Some(hooks) = &mut hooks {
            let Some(variables) = setup::set_up(hooks, stopper.token(), screen).await else {
                setup::tear_down(hooks, screen).await;
                servers.stop().await;
                note_earlier_reports(&options.reports, context);
                return Ok(None);
            };
            plan.variables = variables;
        }
        let handle = Handle::current();
        let delivered = spawn_blocking(move || handle.block_on(deliver(receiver, reporters)));
        let verdict = run_plan(shared, plan).await;
        let interrupted = async {
            stopper.interrupted().await;
            sleep(PATIENCE).await;
        };
        let (delivered, is_torn_down) = tokio::join!(
            async {
                tokio::select! {
                    delivered = delivered => delivered.map_err(io::Error::other).flatten(),
                    () = interrupted => Err(io::Error::other("the reports are not complete: a file takes nothing")),
                }
            },
            async {
                let is_torn_down = match &hooks {
                    Some(hooks) => setup::tear_down(hooks, screen).await,
                    None => true,
                };
                servers.stop().await;
                is_torn_down
            },
        );
        delivered.map(|()| Some(verdict).filter(|_| is_torn_down))
    });
    let verdict = verdict.and_then(|verdict| outputs.finish().map(|()| verdict));
    if let (Err(error), Some(Reason::Interrupted)) = (&verdict, stopper.reason()) {
        let mut stderr = outputs.stderr.clone();
        let _ = writeln!(stderr, "error: {}", redactor.text(&error.to_string()));
        let _ = stderr.finish();
        return Ok(Exit::Interrupted);
    }
    let verdict = verdict?;
    Ok(match stopper.reason() {
        Some(Reason::Interrupted) => Exit::Interrupted,
        _ => verdict.map_or(Exit::Failure, |verdict| Exit::of(&verdict)),
    })
}
