//! `ananke run`: plan, run, tell.

use std::io::{self, Write as _};
use std::sync::Arc;

use ananke::assertion::Writing;
use ananke::compare::Baseline;
use ananke::context::Context;
use ananke::plan::Plan;
use ananke::recording::{Mode, Recordings};
use ananke::redact::Redactor;
use ananke::report::tell;
use ananke::run::{Options, Reason, Run, run as run_plan};
use ananke::target::http::HttpTransport;
use tokio::sync::mpsc;

use super::arguments::{Flaky, GoingOptions, RecordingOptions, RetryOptions, RunOptions, SelectionOptions};
use super::compare::named;
use super::exit::Exit;
use super::interrupt::Interrupts;
use super::last_run;
use super::problems::{self, Purpose};
use super::reports::{Reporters, reporters, since};
use super::{servers, snapshots};

/// How many events may wait for the telling side.
const EVENTS_IN_FLIGHT: usize = 64;

/// Runs what is selected and tells it to the console and the reports.
pub(super) fn run(options: &RunOptions, context: &Context) -> Exit {
    let redactor = Redactor::default();
    let writing = match snapshots::writing(options.update_snapshots, context) {
        Ok(writing) => writing,
        Err(message) => {
            let _ = writeln!(io::stderr().lock(), "error: {message}");
            return Exit::Usage;
        }
    };
    let recordings = recordings(&options.recordings, context);
    if let Some(Recordings { folder, shown, mode: Mode::Replay, .. }) = &recordings
        && !folder.is_dir()
    {
        let _ = writeln!(
            io::stderr().lock(),
            "error: there is no folder `{shown}` to play recordings from\n\
             help: make it with `ananke run --record {shown}`, against the agent itself"
        );
        return Exit::Failure;
    }
    let purpose = Purpose {
        sends: !options.dry_run && recordings.as_ref().is_none_or(|kept| kept.mode != Mode::Replay),
        deny_warnings: options.strictness.deny_warnings,
        without_hooks: options.no_hooks,
        new_threads: options.retrying.retries > 0 && !options.retrying.retry_dirty,
        ..Purpose::default()
    };
    let mut plan = match problems::load(&options.selection, purpose, context, &redactor) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    if options.last_failed {
        last_run::keep_failed(&mut plan, &redactor);
    }
    if options.dry_run {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        // A closed pipe ends the printing, nothing else.
        let _ = plan
            .cases
            .iter()
            .filter(|case| case.test.skip.is_none())
            .try_for_each(|case| writeln!(stdout, "{}", redactor.text(&case.id())));
        return Exit::Success;
    }
    let baseline = match baseline(options, context, &redactor) {
        Ok(baseline) => baseline,
        Err(exit) => return exit,
    };
    let going = going(options, writing);
    match carry_out(plan, options, going, recordings, baseline, context, &redactor) {
        Ok(exit) => exit,
        Err(error) => {
            let error = error.to_string();
            let _ = writeln!(io::stderr().lock(), "error: {}", redactor.text(&error));
            Exit::Failure
        }
    }
}

/// Where tests are recorded or played from, where they are.
fn recordings(options: &RecordingOptions, context: &Context) -> Option<Recordings> {
    let (folder, mode) = match (&options.record, &options.replay) {
        (Some(folder), _) | (None, Some(folder)) if options.record_missing => (folder, Mode::RecordMissing),
        (Some(folder), _) => (folder, Mode::Record),
        (None, Some(folder)) => (folder, Mode::Replay),
        (None, None) => return None,
    };
    Some(Recordings {
        folder: context.working_directory.join(folder),
        shown: folder.display().to_string(),
        mode,
        loose: options.replay_loose,
    })
}

/// The report that this run is compared with, where there is one.
fn baseline(options: &RunOptions, context: &Context, redactor: &Redactor) -> Result<Option<Baseline>, Exit> {
    let Some(path) = &options.reports.baseline else { return Ok(None) };
    let (path, name) = named(path, context);
    Baseline::read(&path, &name).map(Some).map_err(|problem| {
        problems::print(&[problem], options.selection.color, context, redactor);
        Exit::Failure
    })
}

/// How the run goes, as the command line says it.
fn going(options: &RunOptions, writing: Writing) -> Options {
    let GoingOptions { parallel, fail_fast, stop_early, strict_protocol, timeout } = options.going;
    let RetryOptions { retries, retry_dirty, flaky } = options.retrying;
    let flaky_fails = flaky == Flaky::Fail;
    Options {
        parallel,
        fail_fast,
        stop_early,
        strict_protocol,
        timeout,
        retries,
        retry_dirty,
        flaky_fails,
        writing,
    }
}

fn carry_out(
    plan: Plan,
    options: &RunOptions,
    going: Options,
    recordings: Option<Recordings>,
    baseline: Option<Baseline>,
    context: &Context,
    redactor: &Redactor,
) -> io::Result<Exit> {
    let SelectionOptions { paths, filter, color, .. } = &options.selection;
    let of_everything = paths.is_empty() && filter.is_none() && !options.last_failed;
    // What is wrong with them was told when the plan was made.
    let of_config = plan.config.reports(context, &plan.variables, &mut Vec::new());
    let Reporters { mut reporters, live } = reporters(&options.reports, &of_config, *color, context)?;
    reporters.push(Box::new(last_run::memory(&plan, of_everything, redactor)));
    reporters.extend(baseline.map(|known| since(known, of_everything, &options.reports, *color, context)));
    let (sender, receiver) = mpsc::channel(EVENTS_IN_FLIGHT);
    let needed = servers::needed(&plan, recordings.as_ref(), context);
    let transport = Arc::new(HttpTransport::new(context.clock.clone()));
    let mut shared = Run::new(context.clone(), transport, redactor.clone(), going, sender);
    shared.recordings = recordings;
    let stopper = shared.stopper.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let told = runtime.block_on(async {
        let mut interrupts = Interrupts::listen(stopper.clone(), context);
        let running = async {
            let started =
                servers::start(&needed, stopper.token(), live.as_ref(), options, context, redactor).await;
            let Some(servers) = started else { return Ok(None) };
            shared.servers = servers.watch();
            let telling = tokio::spawn(tell(receiver, reporters));
            let verdict = run_plan(shared, plan).await;
            let told = telling.await.map_err(io::Error::other).flatten();
            servers.stop().await;
            told.map(|()| Some(verdict))
        };
        tokio::select! {
            told = running => told,
            () = interrupts.second() => Ok(None),
        }
    })?;
    Ok(match stopper.reason() {
        Some(Reason::Interrupted) => Exit::Interrupted,
        _ if told.is_some_and(|verdict| verdict.is_pass()) => Exit::Success,
        _ => Exit::Failure,
    })
}
