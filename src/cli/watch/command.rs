//! `ananke watch`: a run, and one after each change.
//!
//! Each run is a process of its own: `ananke run` with the same options. **Invariant:** what a run writes starts no run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use ananke::context::{Context, Files};
use ananke::plan::{Plan, Planned, TouchedTests, plan};
use ananke::project::locate;
use ananke::redact::Redactor;
use ananke::text::{escape, natural_path_order};
use clap::Args;
use tokio::process::Command;
use tokio::runtime::Builder;

use super::super::exit::Exit;
use super::super::interrupt::Signals;
use super::super::print_problems::print_problems;
use super::super::run_options::RunOptions;
use super::changes::Changes;
use crate::cli::print::{print_now, say};

#[derive(Debug, Args)]
pub(crate) struct WatchOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// Runs the selected tests, and after each change those that it touches, until a signal ends it.
pub(crate) fn watch(options: &WatchOptions, context: &Context) -> Exit {
    if let Some(input) = &options.run.input.input {
        let message = "`-i` has nothing to watch: it is for one run";
        let help = format!("name a case file as a path: `ananke watch {input}`");
        say(&format!("error: {message}\nhelp: {help}"));
        return Exit::Usage;
    }
    let selection = &options.run.selection;
    let config = match locate(context, selection.config.as_deref(), &selection.paths) {
        Ok(config) => config,
        Err(problem) => {
            print_problems(&[problem], selection.color, context, &Redactor::default());
            return Exit::Failure;
        }
    };
    let watched = Builder::new_current_thread()
        .enable_all()
        .build()
        .and_then(|runtime| {
            runtime.block_on(async {
                let signals = Signals::listen(context)?;
                follow(options, &config, context, signals).await
            })
        });
    watched.unwrap_or_else(|error| {
        say(&format!(
            "error: cannot watch the files of the project: {error}"
        ));
        Exit::Failure
    })
}

async fn follow(
    options: &WatchOptions,
    config: &Path,
    context: &Context,
    mut signals: Signals,
) -> io::Result<Exit> {
    let folder = config.parent().unwrap_or(&context.working_directory);
    let mut watcher = Changes::of(folder, context).map_err(io::Error::other)?;
    let mut touched = TouchedTests::All;
    loop {
        let before = stamps(options, config, context);
        if run(&touched, &mut signals).await? == Running::Stopped {
            return Ok(Exit::Interrupted);
        }
        // What else changed meanwhile was written by the run.
        let mut changed = watcher.until_now().await;
        watcher
            .watch_directories(context)
            .map_err(io::Error::other)?;
        let after = stamps(options, config, context);
        changed.retain(|path| before.get(path) != after.get(path));
        if changed.is_empty() {
            let _lost = print_now(&format!(
                "\nwatching {} directories for changes; Ctrl-C ends\n",
                watcher.directories()
            ));
        }
        loop {
            touched = touched_by(&changed, options, context);
            if touched != TouchedTests::Of(BTreeSet::new()) {
                break;
            }
            changed = tokio::select! {
                changed = watcher.next() => changed,
                () = signals.next() => return Ok(Exit::Interrupted),
            };
            changed.extend(
                watcher
                    .watch_directories(context)
                    .map_err(io::Error::other)?,
            );
        }
        // Editors write another file first, which is gone by now.
        let is_there = changed.iter().any(|path| path.is_file());
        let present = changed.iter().filter(|path| !is_there || path.is_file());
        let mut names: Vec<String> = present.map(|path| shown(path, folder)).collect();
        names.sort_by(|one, other| natural_path_order(Path::new(one), Path::new(other)));
        let _lost = print_now(&format!("\nchanged: {}\n\n", names.join(", ")));
    }
}

/// Whether the program goes on after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Running {
    GoesOn,
    Stopped,
}

/// Runs tests with the options of this command, and waits until the run ends, also after a signal: a terminal sends it to
/// the run as well, and a second one ends both.
async fn run(touched: &TouchedTests, signals: &mut Signals) -> io::Result<Running> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(command) = arguments.iter_mut().find(|argument| *argument == "watch") {
        *command = "run".into();
    }
    if let TouchedTests::Of(files) = touched {
        // What follows `--` are paths.
        let end = arguments
            .iter()
            .position(|argument| argument == "--")
            .unwrap_or(arguments.len());
        let only = files
            .iter()
            .flat_map(|file| ["--only-file".into(), file.clone().into_os_string()]);
        arguments.splice(end..end, only);
    }
    let mut command = Command::new(std::env::current_exe()?);
    let mut child = command
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    tokio::select! {
        ended = child.wait() => return ended.map(|_| Running::GoesOn),
        () = signals.next() => {}
    }
    tokio::select! {
        ended = child.wait() => ended.map(|_| Running::Stopped),
        () = signals.next() => Ok(Running::Stopped),
    }
}

/// The plan of what is selected, if nothing is broken.
fn planned(options: &WatchOptions, context: &Context) -> Option<Plan> {
    // Files that are opened are noted, each time from scratch.
    let context = Context {
        files: Files::default(),
        ..context.clone()
    };
    let Planned { plan, .. } = plan(
        &context,
        &options.run.selection.selection(),
        &Redactor::default(),
    );
    plan
}

/// The tests that a change touches: all of them where a file is broken, which the run reports.
fn touched_by(
    changed: &BTreeSet<PathBuf>,
    options: &WatchOptions,
    context: &Context,
) -> TouchedTests {
    if changed.is_empty() {
        return TouchedTests::Of(BTreeSet::new());
    }
    let is_yaml = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "yaml" || extension == "yml")
    };
    match planned(options, context) {
        Some(plan) => plan.touched_by(changed, context),
        None if changed.iter().any(is_yaml) => TouchedTests::All,
        None => TouchedTests::Of(BTreeSet::new()),
    }
}

/// When the config and the test files were written, and how large they are.
fn stamps(
    options: &WatchOptions,
    config: &Path,
    context: &Context,
) -> BTreeMap<PathBuf, (Option<SystemTime>, u64)> {
    let plan = planned(options, context);
    let tests = plan
        .iter()
        .flat_map(Plan::test_files)
        .map(Path::to_path_buf);
    let stamp = |path: PathBuf| {
        let found = fs::metadata(&path).ok()?;
        Some((path, (found.modified().ok(), found.len())))
    };
    tests
        .chain([config.to_path_buf()])
        .filter_map(stamp)
        .collect()
}

fn shown(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    escape::line(&path.display().to_string()).into_owned()
}
