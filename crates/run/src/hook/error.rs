//! The error of a program that failed.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::{Expected, ScriptRequest};
use super::output::OutputError;
use super::pipes::MOST_OUTPUT;
use ananke_plan::compile::HookCommand;
use ananke_rules::ScriptSource;
use ananke_trace::outcome::{ErrorKind, Halt, Problem};
use ananke_trace::process::{ExitStatus, StartError, stderr_ends};

/// The exit codes of a shell if the command was not found, or could not be run.
const NOT_RUN: [i32; 2] = [126, 127];

/// The reason that a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FailureCause {
    /// The program could not be started: why, and what to do, which may be empty.
    Start(String, String),
    /// An end with an exit code other than 0, or by a signal.
    Ended(ExitStatus),
    /// The timeout that was exceeded.
    Timeout(Duration),
    /// More output than the limit: the start of it.
    TooMuch(String),
    /// The run was stopped meanwhile.
    Stopped,
    /// Output that is not what is expected.
    Output(OutputError),
}

impl From<StartError> for FailureCause {
    fn from(StartError { message, help }: StartError) -> Self {
        Self::Start(message, help)
    }
}

/// The error of a program that failed: which program, why, and the end of its stderr.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    /// The program as messages name it: `hook 1` or `the script`, and its command.
    who: String,
    folder_name: String,
    /// Output may be quoted, since none of it can be a secret that is not known.
    may_be_quoted: bool,
    expected: Expected,
    cause: FailureCause,
    errors: String,
    /// The variables that the program would have given.
    gave: Map<String, Value>,
}

impl ProgramError {
    /// The error of a hook that failed for `cause`. `errors` are the last lines of its stderr.
    pub(super) fn of_hook(hook: &HookCommand, cause: FailureCause, errors: String) -> Self {
        let HookCommand {
            number,
            launch,
            role,
            // Warnings about the keys of the hook have nothing to do with its failure.
            warnings: _,
            may_be_quoted,
        } = hook;
        Self {
            // The number is in the name, since two hooks can have the same command.
            who: format!(
                "{} {number} {}",
                role.as_str(),
                ScriptSource::Command(launch.argv.clone())
            ),
            folder_name: launch.folder_name.clone(),
            may_be_quoted: *may_be_quoted,
            expected: Expected::Variables,
            cause,
            errors,
            // `with_output` sets the variables of a hook that printed some before it failed.
            gave: Map::new(),
        }
    }

    /// The error of a script that failed for `cause`. `errors` are the last lines of its stderr.
    pub(super) fn of_script(
        request: ScriptRequest<'_>,
        cause: FailureCause,
        errors: String,
    ) -> Self {
        Self {
            who: format!("the script {}", request.program),
            folder_name: request.launch.folder_name.clone(),
            // Only variables can be secrets that are not known yet, and the output of a script never becomes one.
            may_be_quoted: true,
            expected: request.expected,
            cause,
            errors,
            // A script gives no variables.
            gave: Map::new(),
        }
    }

    /// The same of a hook that would have given these variables.
    pub(super) fn with_output(self, gave: Map<String, Value>) -> Self {
        Self { gave, ..self }
    }

    /// The variables that the program would have given: they are as secret as if it had succeeded.
    pub fn gave(&self) -> &Map<String, Value> {
        &self.gave
    }

    /// Nothing ran at all.
    pub fn is_not_started(&self) -> bool {
        matches!(self.cause, FailureCause::Start(..))
    }

    /// The remedy for the cause; `None` if nothing is known that would help.
    pub fn help(&self) -> Option<String> {
        let help = match &self.cause {
            // A program that cannot be started has a remedy of its own, which may be empty.
            FailureCause::Start(_, help) if help.is_empty() => return None,
            FailureCause::Start(_, help) => help.clone(),
            FailureCause::Ended(ExitStatus::Exit(code)) if NOT_RUN.contains(code) => format!(
                "with {code} a shell says that a command could not be run: paths are relative to `{}`, where it runs",
                self.folder_name
            ),
            FailureCause::Timeout(_) => "increase its `timeout_ms`".to_owned(),
            // A variable can be the path of a file with the large value. Any other answer must be on stdout, and smaller.
            FailureCause::TooMuch(_) if self.expected == Expected::Variables => {
                "write what is large to a file, and print its path".to_owned()
            }
            FailureCause::TooMuch(_)
            | FailureCause::Output(
                OutputError::NoJson(..) | OutputError::Other(..) | OutputError::Nothing,
            ) => self.expected.help(),
            FailureCause::Output(OutputError::BadName(_)) => {
                "names consist of letters, digits and `_`, and cannot start with a digit".to_owned()
            }
            FailureCause::Output(OutputError::Reserved(_)) => {
                "`ENV` and all names that begin with `TEST_` are ananke's own".to_owned()
            }
            // The cause of another exit code is in the program itself, and stopping a run is not a mistake.
            FailureCause::Ended(_) | FailureCause::Stopped => return None,
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

/// A program that was killed since the run was stopped is no problem of the test.
impl From<ProgramError> for Halt {
    /// The halt of the test that needed the program.
    fn from(error: ProgramError) -> Self {
        // A program that was killed because the run stopped has not failed, so that the test has no problem.
        if error.cause == FailureCause::Stopped {
            return Self::Stopped;
        }
        // Only hooks give variables; the other answers are those of scripts.
        let kind = match error.expected {
            Expected::Variables => ErrorKind::Hook,
            Expected::Verdict | Expected::ToolAnswer | Expected::Cases | Expected::UserInput => {
                ErrorKind::Script
            }
        };
        Self::Broken(Problem {
            kind,
            message: error.to_string(),
            help: error.help(),
        })
    }
}

impl fmt::Display for ProgramError {
    /// One sentence, which begins with the name of the program and ends with its cause, and the last lines of stderr after it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.who)?;
        match &self.cause {
            FailureCause::Start(message, _) => formatter.write_str(message),
            FailureCause::Ended(ended) => write!(formatter, "{ended}"),
            FailureCause::Timeout(after) => {
                write!(
                    formatter,
                    "timed out after {} ms and was killed",
                    after.as_millis()
                )
            }
            FailureCause::TooMuch(start) => {
                // From bytes to MiB.
                let most = MOST_OUTPUT >> 20;
                // The function decides whether the start is shown: the output of a hook may contain secrets that are not known
                // yet.
                let start = self.start_of_output(start);
                write!(formatter, "printed more than {most} MiB to stdout: {start}")
            }
            FailureCause::Stopped => formatter.write_str("was killed, since the run was stopped"),

            FailureCause::Output(OutputError::NoJson(error, start)) => {
                write!(
                    formatter,
                    "did not print valid JSON to stdout ({error}): {}",
                    self.start_of_output(start)
                )
            }
            FailureCause::Output(OutputError::Other(what, start)) => {
                let expected = self.expected.words();
                let start = self.start_of_output(start);
                write!(
                    formatter,
                    "printed {what} to stdout, expected {expected}: {start}"
                )
            }
            FailureCause::Output(OutputError::Nothing) => {
                formatter.write_str("printed nothing to stdout")
            }
            FailureCause::Output(OutputError::BadName(name)) => {
                write!(
                    formatter,
                    "gives `{name}` a value, which is not a valid variable name"
                )
            }
            FailureCause::Output(OutputError::Reserved(name)) => {
                write!(formatter, "gives `{name}` a value, which is reserved")
            }
        }?;
        formatter.write_str(&stderr_ends(&self.errors))
    }
}
