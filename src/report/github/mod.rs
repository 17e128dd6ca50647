//! What a run tells GitHub Actions: annotations on the lines of the rules that broke, and a summary of the job.
//!
//! Flows in: what the runner says of the step in its environment, taken from the [`Context`]. **Invariant:** nothing but
//! annotations is printed; that the words of agents are no orders to the runner is held by every other report, which
//! writes the first sign of each out ([`text::terminal`](super::text::terminal)).

mod annotation;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::markdown::Gathered;
use super::{Reporter, paths};
use crate::context::Context;
use crate::outcome::{Failure, Outcome, Problem, Quarantine};
use crate::redact::Sealed;
use crate::run::RunEvent;
use annotation::{Annotations, Kind, line};

/// The most bytes that GitHub takes of the summary of one step.
const MOST_SUMMARY: u64 = 1 << 20;

/// The step of a job that the program runs in.
#[derive(Clone, Debug)]
pub struct Step {
    working_directory: PathBuf,
    /// Where the repository is: annotations name files from there.
    workspace: Option<PathBuf>,
    /// The file whose text is shown with the job.
    summary: Option<PathBuf>,
}

impl Step {
    /// The step that `context` tells of; `None` outside of GitHub Actions.
    pub fn of(context: &Context) -> Option<Self> {
        let path = |name| context.variable(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        (context.variable("GITHUB_ACTIONS") == Some("true")).then(|| Self {
            working_directory: context.working_directory.clone(),
            workspace: path("GITHUB_WORKSPACE"),
            summary: path("GITHUB_STEP_SUMMARY"),
        })
    }

    /// `file`, as messages show it, from the root of the repository.
    fn file(&self, file: &str) -> String {
        let absolute = paths::absolute(&self.working_directory, file);
        let below = self.workspace.as_ref().and_then(|workspace| paths::from(workspace, &absolute));
        below.unwrap_or_else(|| file.to_owned())
    }

    /// Appends the summary, as much of it as there is room for.
    fn append(path: &Path, gathered: &Gathered) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let before = file.metadata()?.len();
        let apart = if before > 0 { "\n" } else { "" };
        let room = MOST_SUMMARY.saturating_sub(before + 1);
        let text = gathered.told(usize::try_from(room).unwrap_or(usize::MAX));
        if text.is_empty() { Ok(()) } else { file.write_all(format!("{apart}{text}").as_bytes()) }
    }
}

/// Tells GitHub Actions.
pub struct GithubReport {
    out: Box<dyn Write + Send>,
    step: Step,
    errors: Annotations,
    warnings: Annotations,
    gathered: Gathered,
}

impl GithubReport {
    /// A report of what runs in `step`; its annotations go to `out`, one of the streams of the program, of which the
    /// runner reads both.
    pub fn new(out: Box<dyn Write + Send>, step: Step) -> Self {
        Self {
            out,
            step,
            errors: Annotations::new(Kind::Error),
            warnings: Annotations::new(Kind::Warning),
            gathered: Gathered::new(usize::try_from(MOST_SUMMARY).unwrap_or(usize::MAX)),
        }
    }

    fn case(&mut self, outcome: &Outcome) {
        let Self { step, errors, warnings, .. } = self;
        let own = (step.file(&outcome.file), outcome.line);
        let at_test = |kind, message: &str| line(kind, Some((&own.0, own.1)), &outcome.id, message);
        let at_rule = |kind, (_, failure): (u32, &Failure)| {
            let file = step.file(&failure.place.file);
            line(kind, Some((&file, failure.place.line)), &outcome.id, &finding(failure))
        };
        match &outcome.quarantine {
            Some(entry) if outcome.status().fails_the_run() => {
                let why = outcome.headline().map_or(outcome.status().as_str(), |(_, message)| message);
                warnings.add(std::iter::once(at_test(Kind::Warning, &format!("{entry}: {why}"))));
            }
            None if outcome.status().fails_the_run() => {
                let problem = outcome.first_problem().map(|(_, Problem { kind: _, message, help })| {
                    let lines: Vec<&str> = [message.as_str()].into_iter().chain(help.as_deref()).collect();
                    at_test(Kind::Error, &lines.join("\n"))
                });
                let rules = outcome.all_failures().map(|failure| at_rule(Kind::Error, failure));
                errors.add(problem.into_iter().chain(rules));
            }
            None if outcome.is_flaky() => {
                let before = outcome.earlier_attempts.last().and_then(Outcome::headline);
                let why = before.map(|(_, message)| format!("; before: {message}")).unwrap_or_default();
                let message = format!("flaky: passed at attempt {}{why}", outcome.attempt());
                warnings.add(std::iter::once(at_test(Kind::Warning, &message)));
            }
            _ => {}
        }
    }

    fn expired(&mut self, entries: &[Quarantine]) {
        for Quarantine { test, owner, expires, place, .. } in entries {
            let message = format!("this entry of the quarantine expired: last day {expires}, owner {owner}");
            let file = self.step.file(&place.file);
            self.errors.add(std::iter::once(line(Kind::Error, Some((&file, place.line)), test, &message)));
        }
    }
}

/// What is wrong, in a few lines.
fn finding(failure: &Failure) -> String {
    let Failure { message, expected, seen, level, rule, help, .. } = failure;
    let mut lines = vec![message.clone()];
    lines.extend((!expected.is_empty()).then(|| format!("expected: {expected}")));
    lines.extend(seen.first().map(|seen| format!("seen: {seen}")));
    lines.push(format!("rule: {} rule {rule}", level.as_str()));
    lines.extend(help.clone());
    lines.join("\n")
}

impl Reporter for GithubReport {
    fn event(&mut self, event: &Sealed<RunEvent>) -> io::Result<()> {
        self.gathered.add(event);
        match &**event {
            RunEvent::CaseFinished(outcome) => self.case(outcome),
            RunEvent::RunFinished { verdict, .. } => self.expired(&verdict.expired),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut text = self.errors.told() + &self.warnings.told();
        if let Some(path) = &self.step.summary
            && let Err(error) = Step::append(path, &self.gathered)
        {
            // A run does not fail because nobody can be told of it in one more place.
            let message = format!("cannot write the summary of the job: {error}");
            text += &line(Kind::Warning, None, "ananke", &message);
        }
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}
