//! `ananke watch`: a run, and one after each change and each key that asks for one.
//!
//! Each run is a process of its own: `ananke run` with the same options. **Invariant:** what a run writes starts no run, and
//! the last line names the tests that still fail.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
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
use ananke::report::history::LastVerdicts;
use ananke::report::store::kept_runs;
use ananke::text::{escape, natural_path_order, truncate};
use clap::Args;
use tokio::process::Command;

use super::changes::Changes;
use super::kept_answers::{REPORT, take_results};
use super::keys::{HELP, SHORT_HELP, WatchKey, WatchKeys};
use crate::cli::frame::{
    Colour, CommandOptions, Exit, Failed, Signals, block_on, is_dumb, print_now, say,
};
use crate::cli::options::RunOptions;

/// The number of the tests that still fail that are named.
const MOST_NAMED: usize = 10;

/// The most bytes of the name of a test, or of an expression.
const LONGEST: usize = 400;

#[derive(Debug, Args)]
pub(crate) struct WatchOptions {
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

impl CommandOptions for WatchOptions {
    /// Runs the selected tests, and after each change those that it touches, until a signal ends it.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        if let Some(input) = &self.run.input.input {
            let help = format!("name a case file as a path: `ananke watch {input}`");
            return Err(Failed::usage("`-i` has nothing to watch: it is for one run").help(help));
        }
        let selection = &self.run.selection;
        let config = locate(context, selection.config.as_deref(), &selection.paths)
            .map_err(|problem| Failed::Problems(vec![problem], Redactor::default()))?;
        let watched = block_on(async {
            let folder = config.parent().unwrap_or(&context.working_directory);
            Watch {
                options: self,
                config: &config,
                folder,
                context,
                signals: Signals::listen(context)?,
                changes: Changes::of(folder, context).map_err(io::Error::other)?,
                keys: WatchKeys::listen(context),
                filter: None,
                failing: Vec::new(),
                evaluated: BTreeMap::new(),
            }
            .follow()
            .await
        });
        watched
            .flatten()
            .map_err(|error| Failed::new(format!("cannot watch the files of the project: {error}")))
    }

    fn colour(&self) -> Colour {
        self.run.selection.color
    }
}

/// The tests that a round runs.
#[derive(Clone, Debug)]
enum WatchRound {
    /// The tests that a change touches, or all tests.
    Touched(TouchedTests),
    /// The tests that did not pass.
    Failed,
}

/// The source of the answers of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerSource {
    /// The agent is asked.
    Agent,
    /// It was asked before: today's rules are evaluated on what is kept.
    Kept,
}

/// The part of a run's output that is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Shown,
    /// Nothing; its results are read from a report.
    Report,
}

/// The step after a run.
#[derive(Clone, Debug)]
enum NextStep {
    /// It waits for a change or a key.
    Wait,
    Run(WatchRound, AnswerSource),
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
    /// The keys that a person types, if one is there.
    keys: Option<WatchKeys>,
    /// The expression that a person chose tests by, as it was typed.
    filter: Option<String>,
    /// The tests that did not pass when they ran last, in the order of the plan.
    failing: Vec<String>,
    /// The tests whose kept answers were evaluated since the agent was asked, and whether each fails.
    evaluated: BTreeMap<String, bool>,
}

impl Watch<'_> {
    async fn follow(&mut self) -> io::Result<Exit> {
        let (mut round, mut answers) =
            (WatchRound::Touched(TouchedTests::All), AnswerSource::Agent);
        loop {
            let before = self.stamps(self.planned(None).as_ref());
            if answers == AnswerSource::Agent {
                self.forget_evaluated(&round);
            }
            let arguments = self.arguments(&round, answers);
            let mut next = self.run(arguments, Output::Shown).await?;
            if matches!(next, NextStep::Wait) {
                // What else changed meanwhile was written by the run.
                let mut changed = self.changes.until_now().await;
                self.watch_directories()?;
                let planned = self.planned(None);
                let after = self.stamps(planned.as_ref());
                changed.retain(|path| before.get(path) != after.get(path));
                self.failing = self.failing_of(planned.as_ref());
                if changed.is_empty() {
                    self.print_state();
                }
                next = self.wait(changed, &round).await?;
            }
            match next {
                NextStep::Run(next, from) => (round, answers) = (next, from),
                NextStep::Stopped => return Ok(Exit::Interrupted),
                NextStep::Wait | NextStep::Quit => return Ok(self.exit()),
            }
        }
    }

    /// Waits until a change touches tests, or a key says what comes next.
    async fn wait(
        &mut self,
        mut changed: BTreeSet<PathBuf>,
        last: &WatchRound,
    ) -> io::Result<NextStep> {
        loop {
            let touched = self.touched_by(&changed);
            if touched != TouchedTests::Of(BTreeSet::new()) {
                let round = WatchRound::Touched(touched);
                let changed = format!("changed: {}", self.names(&changed));
                return Ok(match self.evaluate(&round).await? {
                    NextStep::Run(round, AnswerSource::Kept) => {
                        let why =
                            "only rules changed: the kept answers are evaluated, nothing is sent";
                        self.announce(&format!("{changed}\n{why}"));
                        NextStep::Run(round, AnswerSource::Kept)
                    }
                    NextStep::Run(round, AnswerSource::Agent) => {
                        self.announce(&changed);
                        NextStep::Run(round, AnswerSource::Agent)
                    }
                    next => next,
                });
            }
            let key = tokio::select! {
                () = self.signals.next() => return Ok(NextStep::Stopped),
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
                NextStep::Wait => self.print_state(),
                next => return Ok(next),
            }
        }
    }

    /// The step that a key asks for; `last` is the round before.
    async fn take(&mut self, key: WatchKey, last: &WatchRound) -> NextStep {
        let (round, words) = match key {
            WatchKey::All => (WatchRound::Touched(TouchedTests::All), "all tests"),
            WatchKey::Failed => (WatchRound::Failed, "the tests that did not pass"),
            WatchKey::Again => (last.clone(), "the same tests again"),
            WatchKey::Filter => match self.choose().await {
                NextStep::Run(round, _) => (round, "all tests"),
                next => return next,
            },
            WatchKey::Help => {
                let lines = HELP.map(|line| format!("  {line}\n"));
                let _lost = print_now(&format!("\n{}", lines.concat()));
                return NextStep::Wait;
            }
            WatchKey::Show => {
                let _lost = print_now("\n");
                return match self.show().await {
                    Ok(next) => next,
                    Err(error) => {
                        say(&format!("error: cannot start `ananke show`: {error}"));
                        NextStep::Wait
                    }
                };
            }
            WatchKey::Quit => return NextStep::Quit,
        };
        let filter = self.filter.as_ref().map_or(String::new(), |filter| {
            format!(" of `{}`", escape::line(&truncate::bytes(filter, LONGEST)))
        });
        self.announce(&format!("{words}{filter}"));
        NextStep::Run(round, AnswerSource::Agent)
    }

    /// Evaluates today's rules on the kept answers, unseen. If there is an answer to all that the tests of `round` ask, the
    /// round needs no agent.
    async fn evaluate(&mut self, round: &WatchRound) -> io::Result<NextStep> {
        let recordings = &self.options.run.recordings;
        let is_live = recordings.record.is_none() && recordings.replay.is_none();
        if !is_live || kept_runs(self.folder).is_empty() {
            return Ok(NextStep::Run(round.clone(), AnswerSource::Agent));
        }
        let mut arguments = self.arguments(round, AnswerSource::Kept);
        let report = self.folder.join(REPORT).into_os_string();
        let end = end_of_options(&arguments);
        arguments.splice(end..end, ["--output".into(), report]);
        match self.run(arguments, Output::Report).await? {
            NextStep::Wait => {}
            next => return Ok(next),
        }
        let answers = match take_results(self.folder) {
            Some(results) => {
                self.evaluated.extend(results);
                AnswerSource::Kept
            }
            None => AnswerSource::Agent,
        };
        Ok(NextStep::Run(round.clone(), answers))
    }

    /// Forgets what the kept answers of the tests of `round` came to: the agent is asked.
    fn forget_evaluated(&mut self, round: &WatchRound) {
        let filter = self.filter.as_deref().map(Filter::parse);
        match (round, self.planned(filter.and_then(Result::ok))) {
            (WatchRound::Touched(TouchedTests::Of(files)), Some((plan, redactor))) => {
                for case in plan
                    .cases
                    .iter()
                    .filter(|case| files.contains(&case.test.path))
                {
                    self.evaluated.remove(&*redactor.text(&case.id()));
                }
            }
            (WatchRound::Touched(TouchedTests::All), Some((plan, redactor))) => {
                for case in &plan.cases {
                    self.evaluated.remove(&*redactor.text(&case.id()));
                }
            }
            (WatchRound::Failed, _) => {
                let known = LastVerdicts::known(self.folder);
                self.evaluated.retain(|id, _| !known.is_failing(id));
            }
            (WatchRound::Touched(_), None) => {}
        }
    }

    /// Asks the person for the expression that tests are chosen by.
    async fn choose(&mut self) -> NextStep {
        let Some(keys) = &mut self.keys else {
            return NextStep::Wait;
        };
        let typed = tokio::select! {
            () = self.signals.next() => return NextStep::Stopped,
            typed = keys.line("\nfilter (empty: all tests): ") => typed,
        };
        match Filter::parse(&typed) {
            _ if typed.is_empty() => self.filter = None,
            Ok(_) => self.filter = Some(typed),
            Err(error) => {
                say(&format!("error: {error}"));
                return NextStep::Wait;
            }
        }
        NextStep::Run(WatchRound::Touched(TouchedTests::All), AnswerSource::Agent)
    }

    /// The exit of a program that a person quits.
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

    /// Runs tests with these arguments, and waits until the run ends, also after a signal: a terminal sends it to
    /// the run as well, and a second one ends both.
    async fn run(&mut self, arguments: Vec<OsString>, output: Output) -> io::Result<NextStep> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        if output == Output::Report {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let mut child = command.spawn()?;
        let next = loop {
            tokio::select! {
                ended = child.wait() => {
                    if let Some(keys) = &mut self.keys {
                        keys.forget();
                    }
                    return ended.map(|_| NextStep::Wait);
                }
                () = self.signals.next() => break NextStep::Stopped,
                key = next_key(&mut self.keys) => if key == WatchKey::Quit {
                    child.id().into_iter().for_each(interrupt);
                    break NextStep::Quit;
                },
            }
        };
        tokio::select! {
            ended = child.wait() => ended.map(|_| next),
            () = self.signals.next() => Ok(NextStep::Stopped),
        }
    }

    /// Shows the failures of the last run that is kept.
    async fn show(&mut self) -> io::Result<NextStep> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([OsStr::new("show"), OsStr::new("--config")])
            .arg(self.config)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        tokio::select! {
            ended = child.wait() => ended.map(|_| NextStep::Wait),
            () = self.signals.next() => Ok(NextStep::Stopped),
        }
    }

    /// The command line of a run: the options of this command, and what selects the tests of `round`.
    fn arguments(&self, round: &WatchRound, answers: AnswerSource) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        if let Some(command) = arguments.iter_mut().find(|argument| *argument == "watch") {
            *command = "run".into();
        }
        let mut more: Vec<OsString> = Vec::new();
        match round {
            WatchRound::Touched(TouchedTests::All) => {}
            WatchRound::Touched(TouchedTests::Of(files)) => {
                for file in files {
                    more.extend(["--only-file".into(), file.clone().into_os_string()]);
                }
            }
            WatchRound::Failed => more.push("--failed-tests".into()),
        }
        if let Some(filter) = &self.filter {
            more.push(format!("--only-filter={filter}").into());
        }
        if answers == AnswerSource::Kept && !self.options.run.again {
            more.push("--again".into());
        }
        let end = end_of_options(&arguments);
        arguments.splice(end..end, more);
        arguments
    }

    /// The plan of what is selected, if nothing is broken, with what masks its ids. A `filter` replaces that of the command
    /// line.
    fn planned(&self, filter: Option<Filter>) -> Option<(Plan, Redactor)> {
        // Files that are opened are noted, each time from scratch.
        let context = Context {
            files: Files::default(),
            ..self.context.clone()
        };
        let mut selection = self.options.run.selection.selection();
        selection.filter = filter.or(selection.filter);
        let Planned { plan, redactor, .. } = plan(&context, &selection, &Redactor::default());
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
        let filter = self.filter.as_deref().map(Filter::parse);
        match self.planned(filter.and_then(Result::ok)) {
            Some((plan, _)) => plan.touched_by(changed, self.context),
            None if changed.iter().any(is_yaml) => TouchedTests::All,
            None => TouchedTests::Of(BTreeSet::new()),
        }
    }

    /// The modification times and the sizes of the config and the test files.
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
        let known = LastVerdicts::known(&plan.config.folder);
        plan.cases
            .iter()
            .map(|case| redactor.text(&case.id()).into_owned())
            .filter(|id| {
                let evaluated = self.evaluated.get(id).copied();
                evaluated.unwrap_or_else(|| known.is_failing(id))
            })
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
async fn next_key(keys: &mut Option<WatchKeys>) -> WatchKey {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

/// The place for further options: the arguments after `--` are paths.
fn end_of_options(arguments: &[OsString]) -> usize {
    let end = arguments.iter().position(|argument| argument == "--");
    end.unwrap_or(arguments.len())
}

/// The line that names tests that did not pass when they ran last; empty if there are none.
fn still_failing(failing: &[String]) -> String {
    if failing.is_empty() {
        return String::new();
    }
    let first = failing.iter().take(MOST_NAMED);
    let mut names: Vec<String> = first
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
