//! What is said about a program that did not do its work.

use std::fmt;
use std::time::Duration;

use super::Asked;
use super::answer::Expected;
use super::output::Unusable;
use super::streams::MOST_OUTPUT;
use crate::assertion::Program;
use crate::compile::HookCommand;
use crate::process::{Ended, StartError};

/// What an exit code of a shell means when the command was not found, or could not be run.
const NOT_RUN: [i32; 2] = [126, 127];

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It could not be started: why, and what to do, which may be empty.
    Start(String, String),
    /// It ended, and not well.
    Ended(Ended),
    /// It took longer than this.
    Timeout(Duration),
    /// It printed more than it may, which begins so.
    TooMuch(String),
    /// The run was stopped meanwhile.
    Stopped,
    /// What it printed is of no use.
    Output(Unusable),
}

impl From<StartError> for Trouble {
    fn from(StartError { message, help }: StartError) -> Self {
        Self::Start(message, help)
    }
}

/// A program that did not do its work: which one, what went wrong, and the last it had to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// What it is called: `hook 1`, `the script`, and which.
    who: String,
    folder_name: String,
    /// Whether what it printed may be quoted.
    may_be_quoted: bool,
    expected: Expected,
    trouble: Trouble,
    errors: String,
}

impl ProgramError {
    pub(super) fn of_hook(hook: &HookCommand, trouble: Trouble, errors: String) -> Self {
        let HookCommand { number, launch, is_teardown, may_be_quoted } = hook;
        let word = if *is_teardown { "teardown" } else { "hook" };
        Self {
            who: format!("{word} {number} {}", Program::Command(launch.argv.clone())),
            folder_name: launch.folder_name.clone(),
            may_be_quoted: *may_be_quoted,
            expected: Expected::Variables,
            trouble,
            errors,
        }
    }

    pub(super) fn of_script(asked: Asked<'_>, trouble: Trouble, errors: String) -> Self {
        Self {
            who: format!("the script {}", asked.program),
            folder_name: asked.launch.folder_name.clone(),
            // What it prints becomes no variable, and so no secret that nobody knows of.
            may_be_quoted: true,
            expected: asked.expected,
            trouble,
            errors,
        }
    }

    /// Whether nothing was wrong with it, but the run was stopped.
    pub fn is_stopped(&self) -> bool {
        self.trouble == Trouble::Stopped
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let help = match &self.trouble {
            Trouble::Start(_, help) if help.is_empty() => return None,
            Trouble::Start(_, help) => help.clone(),
            Trouble::Ended(Ended::Exit(code)) if NOT_RUN.contains(code) => format!(
                "with {code} a shell says that a command could not be run: paths count from `{}`, where it runs",
                self.folder_name
            ),
            Trouble::Timeout(_) => "give it more time with its `timeout_ms`".to_owned(),
            Trouble::TooMuch(_) if self.expected == Expected::Variables => {
                "write what is large to a file, and print its path".to_owned()
            }
            Trouble::TooMuch(_) => self.expected.help(),
            Trouble::Output(Unusable::NoJson(..) | Unusable::Other(..) | Unusable::Nothing) => {
                self.expected.help()
            }
            Trouble::Output(Unusable::BadName(_)) => {
                "names are made of letters, digits and `_`, and begin with no digit".to_owned()
            }
            Trouble::Output(Unusable::Reserved(_)) => {
                "`ENV` and all names that begin with `TEST_` are ananke's own".to_owned()
            }
            Trouble::Ended(_) | Trouble::Stopped => return None,
        };
        Some(help)
    }

    fn start_of_output(&self, start: &str) -> String {
        if self.may_be_quoted {
            format!("its stdout begins `{start}`")
        } else {
            "its stdout is not shown, since a header of the target takes variables".to_owned()
        }
    }
}

impl std::error::Error for ProgramError {}

impl fmt::Display for ProgramError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.who)?;
        match &self.trouble {
            Trouble::Start(message, _) => formatter.write_str(message),
            Trouble::Ended(ended) => write!(formatter, "{ended}"),
            Trouble::Timeout(after) => {
                write!(formatter, "took longer than its {} ms and was killed", after.as_millis())
            }
            Trouble::TooMuch(start) => {
                let (most, start) = (MOST_OUTPUT >> 20, self.start_of_output(start));
                write!(formatter, "printed more than {most} MiB to stdout: {start}")
            }
            Trouble::Stopped => formatter.write_str("was killed, since the run was stopped"),
            Trouble::Output(Unusable::NoJson(error, start)) => {
                write!(formatter, "printed no JSON to stdout ({error}): {}", self.start_of_output(start))
            }
            Trouble::Output(Unusable::Other(what, start)) => {
                let (expected, start) = (self.expected.words(), self.start_of_output(start));
                write!(formatter, "printed {what} to stdout, expected {expected}: {start}")
            }
            Trouble::Output(Unusable::Nothing) => formatter.write_str("printed nothing to stdout"),
            Trouble::Output(Unusable::BadName(name)) => {
                write!(formatter, "gives `{name}` a value, which is no variable name")
            }
            Trouble::Output(Unusable::Reserved(name)) => {
                write!(formatter, "gives `{name}` a value, which is reserved")
            }
        }?;
        if self.errors.is_empty() {
            return Ok(());
        }
        write!(formatter, "\nits stderr ends:")?;
        self.errors.lines().try_for_each(|line| write!(formatter, "\n  {line}"))
    }
}
