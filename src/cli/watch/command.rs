//! `ananke watch`: a run, and one after each change and each key that asks for one.
//!
//! Each run is a process of its own: `ananke run` with the same options. **Invariant:** what a run writes starts no run, and
//! the last line names the tests that still fail.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use ananke::context::{Context, Files, OutputStream};
use ananke::plan::{Filter, Plan, Planned, TouchedTests, plan};
use ananke::process::interrupt;
use ananke::project::locate;
use ananke::redact::Redactor;
use ananke::report::last_run::LastRun;
use ananke::text::{escape, natural_path_order, truncate};
use clap::Args;
use tokio::process::Command;
use tokio::runtime::Builder;

use super::super::colour::is_dumb;
use super::super::exit::Exit;
use super::super::interrupt::Signals;
use super::super::print_problems::print_problems;
use super::super::run_options::RunOptions;
use super::changes::Changes;
use super::keys::{HELP, Key, Keys, SHORT_HELP};
use crate::cli::print::{print_now, say};

/// How many of the tests that still fail are named.
const MOST_NAMED: usize = 10;

/// The most bytes of the name of a test, or of an expression.
const LONGEST: usize = 400;

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
                let folder = config.parent().unwrap_or(&context.working_directory);
                Watch {
                    options,
                    config: &config,
                    folder,
                    context,
                    signals: Signals::listen(context)?,
                    changes: Changes::of(folder, context).map_err(io::Error::other)?,
                    keys: Keys::listen(context),
                    filter: None,
                    failing: Vec::new(),
                }
                .follow()
                .await
            })
        });
    watched.unwrap_or_else(|error| {
        say(&format!(
            "error: cannot watch the files of the project: {error}"
        ));
        Exit::Failure
    })
}

/// What a round runs.
#[derive(Clone, Debug)]
enum Round {
    /// What a change touches, or all tests.
    Touched(TouchedTests),
    /// The tests that did not pass.
    Failed,
}

/// What comes after a run.
#[derive(Clone, Debug)]
enum Next {
    /// It waits for a change or a key.
    Wait,
    Round(Round),
    /// A signal ended it.
    Stopped,
    /// The person wants nothing more.
    Quit,
}

/// The project that is watched.
struct Watch<'a> {
    options: &'a WatchOptions,
    config: &'a Path,
    folder: &'a Path,
    context: &'a Context,
    signals: Signals,
    changes: Changes,
    /// What a person types, if one is there.
    keys: Option<Keys>,
    /// The expression that a person chose tests by, as it was typed.
    filter: Option<String>,
    /// The tests that did not pass when they ran last, in the order of the plan.
    failing: Vec<String>,
}

impl Watch<'_> {
    async fn follow(&mut self) -> io::Result<Exit> {
        let mut round = Round::Touched(TouchedTests::All);
        loop {
            let before = self.stamps(self.planned().as_ref());
            let mut next = self.run(&round).await?;
            if matches!(next, Next::Wait) {
                // What else changed meanwhile was written by the run.
                let mut changed = self.changes.until_now().await;
                self.watch_directories()?;
                let planned = self.planned();
                let after = self.stamps(planned.as_ref());
                changed.retain(|path| before.get(path) != after.get(path));
                self.failing = self.failing_of(planned.as_ref());
                if changed.is_empty() {
                    self.print_state();
                }
                next = self.wait(changed, &round).await?;
            }
            match next {
                Next::Round(next) => round = next,
                Next::Stopped => return Ok(Exit::Interrupted),
                Next::Wait | Next::Quit => return Ok(self.exit()),
            }
        }
    }

    /// Waits until a change touches tests, or a key says what comes next.
    async fn wait(&mut self, mut changed: BTreeSet<PathBuf>, last: &Round) -> io::Result<Next> {
        loop {
            let touched = self.touched_by(&changed);
            if touched != TouchedTests::Of(BTreeSet::new()) {
                self.announce(&format!("changed: {}", self.names(&changed)));
                return Ok(Next::Round(Round::Touched(touched)));
            }
            let key = tokio::select! {
                () = self.signals.next() => return Ok(Next::Stopped),
                key = next_key(&mut self.keys) => Some(key),
                next = self.changes.next() => {
                    changed = next;
                    None
                }
            };
            let Some(key) = key else {
                changed.extend(self.watch_directories()?);
                continue;
            };
            changed.clear();
            match self.take(key, last).await {
                Next::Wait => self.print_state(),
                next => return Ok(next),
            }
        }
    }

    /// What a key asks for; `last` is the round before.
    async fn take(&mut self, key: Key, last: &Round) -> Next {
        let (round, words) = match key {
            Key::All => (Round::Touched(TouchedTests::All), "all tests"),
            Key::Failed => (Round::Failed, "the tests that did not pass"),
            Key::Again => (last.clone(), "the same tests again"),
            Key::Filter => match self.choose().await {
                Next::Round(round) => (round, "all tests"),
                next => return next,
            },
            Key::Help => {
                let lines = HELP.map(|line| format!("  {line}\n"));
                let _lost = print_now(&format!("\n{}", lines.concat()));
                return Next::Wait;
            }
            Key::Quit => return Next::Quit,
        };
        let filter = self.filter.as_ref().map_or(String::new(), |filter| {
            format!(" of `{}`", escape::line(&truncate::bytes(filter, LONGEST)))
        });
        self.announce(&format!("{words}{filter}"));
        Next::Round(round)
    }

    /// Asks the person for the expression that tests are chosen by.
    async fn choose(&mut self) -> Next {
        let Some(keys) = &mut self.keys else {
            return Next::Wait;
        };
        let typed = tokio::select! {
            () = self.signals.next() => return Next::Stopped,
            typed = keys.line("\nfilter (empty: all tests): ") => typed,
        };
        match Filter::parse(&typed) {
            _ if typed.is_empty() => self.filter = None,
            Ok(_) => self.filter = Some(typed),
            Err(error) => {
                say(&format!("error: {error}"));
                return Next::Wait;
            }
        }
        Next::Round(Round::Touched(TouchedTests::All))
    }

    /// How the program ends that a person quits.
    fn exit(&self) -> Exit {
        if self.failing.is_empty() {
            Exit::Success
        } else {
            Exit::Failure
        }
    }

    fn watch_directories(&mut self) -> io::Result<Vec<PathBuf>> {
        self.changes
            .watch_directories(self.context)
            .map_err(io::Error::other)
    }

    /// Says what is run now, on an empty screen where there is one.
    fn announce(&self, words: &str) {
        let has_screen = self.context.is_terminal(OutputStream::Stdout) && !is_dumb(self.context);
        let before = if has_screen { "\x1b[H\x1b[2J" } else { "\n" };
        let _lost = print_now(&format!("{before}{words}\n\n"));
    }

    /// Says what is waited for, and what still fails.
    fn print_state(&self) {
        let ways = match &self.keys {
            Some(_) => format!("\n{SHORT_HELP}"),
            None => "; Ctrl-C ends".to_owned(),
        };
        let directories = match self.changes.directories() {
            1 => "1 directory".to_owned(),
            count => format!("{count} directories"),
        };
        let _lost = print_now(&format!(
            "\nwatching {directories} for changes{ways}\n{}",
            still_failing(&self.failing)
        ));
    }

    /// Runs tests with the options of this command, and waits until the run ends, also after a signal: a terminal sends it to
    /// the run as well, and a second one ends both.
    async fn run(&mut self, round: &Round) -> io::Result<Next> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(self.arguments(round))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let next = loop {
            tokio::select! {
                ended = child.wait() => {
                    if let Some(keys) = &mut self.keys {
                        keys.forget();
                    }
                    return ended.map(|_| Next::Wait);
                }
                () = self.signals.next() => break Next::Stopped,
                key = next_key(&mut self.keys) => if key == Key::Quit {
                    child.id().into_iter().for_each(interrupt);
                    break Next::Quit;
                },
            }
        };
        tokio::select! {
            ended = child.wait() => ended.map(|_| next),
            () = self.signals.next() => Ok(Next::Stopped),
        }
    }

    /// The command line of a run.
    fn arguments(&self, round: &Round) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        if let Some(command) = arguments.iter_mut().find(|argument| *argument == "watch") {
            *command = "run".into();
        }
        let mut more: Vec<OsString> = Vec::new();
        match round {
            Round::Touched(TouchedTests::All) => {}
            Round::Touched(TouchedTests::Of(files)) => {
                for file in files {
                    more.extend(["--only-file".into(), file.clone().into_os_string()]);
                }
            }
            Round::Failed => more.push("--only-failed".into()),
        }
        if let Some(filter) = &self.filter {
            more.push(format!("--only-filter={filter}").into());
        }
        // What follows `--` are paths.
        let end = arguments
            .iter()
            .position(|argument| argument == "--")
            .unwrap_or(arguments.len());
        arguments.splice(end..end, more);
        arguments
    }

    /// The plan of what is selected, if nothing is broken, with what masks its ids.
    fn planned(&self) -> Option<(Plan, Redactor)> {
        // Files that are opened are noted, each time from scratch.
        let context = Context {
            files: Files::default(),
            ..self.context.clone()
        };
        let Planned { plan, redactor, .. } = plan(
            &context,
            &self.options.run.selection.selection(),
            &Redactor::default(),
        );
        plan.map(|plan| (plan, redactor))
    }

    /// The tests that a change touches: all of them where a file is broken, which the run reports.
    fn touched_by(&self, changed: &BTreeSet<PathBuf>) -> TouchedTests {
        if changed.is_empty() {
            return TouchedTests::Of(BTreeSet::new());
        }
        let is_yaml = |path: &PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "yaml" || extension == "yml")
        };
        match self.planned() {
            Some((plan, _)) => plan.touched_by(changed, self.context),
            None if changed.iter().any(is_yaml) => TouchedTests::All,
            None => TouchedTests::Of(BTreeSet::new()),
        }
    }

    /// When the config and the test files were written, and how large they are.
    fn stamps(
        &self,
        planned: Option<&(Plan, Redactor)>,
    ) -> BTreeMap<PathBuf, (Option<SystemTime>, u64)> {
        let tests = planned
            .into_iter()
            .flat_map(|(plan, _)| plan.test_files())
            .map(Path::to_path_buf);
        let stamp = |path: PathBuf| {
            let found = fs::metadata(&path).ok()?;
            Some((path, (found.modified().ok(), found.len())))
        };
        tests
            .chain([self.config.to_path_buf()])
            .filter_map(stamp)
            .collect()
    }

    /// The tests that did not pass when they ran last. A broken file leaves what is known.
    fn failing_of(&self, planned: Option<&(Plan, Redactor)>) -> Vec<String> {
        let Some((plan, redactor)) = planned else {
            return self.failing.clone();
        };
        let known = LastRun::known(&plan.config.folder);
        plan.cases
            .iter()
            .map(|case| redactor.text(&case.id()).into_owned())
            .filter(|id| known.is_failing(id))
            .collect()
    }

    /// The files that changed, as they are shown.
    fn names(&self, changed: &BTreeSet<PathBuf>) -> String {
        // Editors write another file first, which is gone by now.
        let is_there = changed.iter().any(|path| path.is_file());
        let present = changed.iter().filter(|path| !is_there || path.is_file());
        let mut names: Vec<String> = present.map(|path| shown(path, self.folder)).collect();
        names.sort_by(|one, other| natural_path_order(Path::new(one), Path::new(other)));
        names.join(", ")
    }
}

/// The next key; never, if there is no person.
async fn next_key(keys: &mut Option<Keys>) -> Key {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

/// The line that names tests that did not pass when they ran last; empty if there are none.
fn still_failing(failing: &[String]) -> String {
    if failing.is_empty() {
        return String::new();
    }
    let named = failing.iter().take(MOST_NAMED);
    let mut names: Vec<String> = named
        .map(|id| escape::line(&truncate::bytes(id, LONGEST)).into_owned())
        .collect();
    match failing.len().saturating_sub(MOST_NAMED) {
        0 => {}
        more => names.push(format!("and {more} more")),
    }
    format!("still failing: {}\n", names.join(", "))
}

fn shown(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    escape::line(&path.display().to_string()).into_owned()
}
