//! The reason that a command ends early, and the one place that prints it; and the frame of every command: its options run
//! it, and what failed is printed.
//!
//! **Invariant:** a message with text of an agent or of a project is masked before it is here, or by [`Failed::masked`].

use std::{fmt, io};

use ananke::LabError;
use ananke::agents::TargetError;
use ananke::context::Context;
use ananke::diagnostic::Diagnostic;
use ananke::redact::Redactor;
use ananke::verify::TraceError;

use super::colour::Colour;
use super::exit::Exit;
use super::print::say;
use super::print_problems;

/// The reason that a command ends early.
#[derive(Debug)]
pub(crate) enum Failed {
    /// It was printed, or a signal came.
    Ended(Exit),
    /// Something cannot be done.
    Refused {
        message: String,
        /// The remedy.
        help: Option<String>,
        exit: Exit,
    },
    /// Something is wrong with files; with what masks their secrets.
    Problems(Vec<Diagnostic>, Redactor),
}

impl Failed {
    /// A failure that was printed.
    pub(crate) const REPORTED: Self = Self::Ended(Exit::Failure);

    /// Something cannot be done.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            help: None,
            exit: Exit::Failure,
        }
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            help: None,
            exit: Exit::Usage,
        }
    }

    /// The same with a remedy.
    pub(crate) fn help(self, remedy: impl Into<String>) -> Self {
        match self {
            Self::Refused { message, exit, .. } => Self::Refused {
                message,
                help: Some(remedy.into()),
                exit,
            },
            other => other,
        }
    }

    /// The same without the secrets that `redactor` knows.
    pub(crate) fn masked(self, redactor: &Redactor) -> Self {
        let mask = |text: String| redactor.text(&text).into_owned();
        match self {
            Self::Refused {
                message,
                help,
                exit,
            } => Self::Refused {
                message: mask(message),
                help: help.map(mask),
                exit,
            },
            other => other,
        }
    }

    /// Prints it to standard error; the exit code that it has.
    pub(crate) fn report(self, colour: Colour, context: &Context) -> Exit {
        match &self {
            Self::Ended(exit) => *exit,
            Self::Refused { exit, .. } => {
                say(&format!("error: {self}"));
                *exit
            }
            Self::Problems(problems, redactor) => {
                print_problems(problems, colour, context, redactor);
                Exit::Failure
            }
        }
    }

    fn remedied(message: String, help: Option<String>) -> Self {
        Self::Refused {
            message,
            help,
            exit: Exit::Failure,
        }
    }
}

impl fmt::Display for Failed {
    /// The message, and the remedy in a line of its own.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(_) => Ok(()),
            Self::Refused { message, help, .. } => {
                formatter.write_str(message)?;
                help.iter()
                    .try_for_each(|help| write!(formatter, "\nhelp: {help}"))
            }
            Self::Problems(problems, redactor) => problems
                .iter()
                .try_for_each(|problem| writeln!(formatter, "{}", redactor.text(&problem.message))),
        }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<LabError> for Failed {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Broken(problems, redactor) => Self::Problems(problems, redactor),
            LabError::Refused { message, help } => Self::remedied(message, help),
        }
    }
}

impl From<TargetError> for Failed {
    fn from(error: TargetError) -> Self {
        Self::remedied(error.to_string(), error.help)
    }
}

impl From<TraceError> for Failed {
    fn from(TraceError { message, help }: TraceError) -> Self {
        Self::remedied(message, help)
    }
}

/// The options of one command.
pub(crate) trait CommandOptions {
    /// Does what the command is for.
    ///
    /// # Errors
    /// The reason that it ended early. What is to be printed after it, the command prints itself, with [`Failed::report`].
    fn run(&self, context: &Context) -> Result<Exit, Failed>;

    /// The colours of its problems.
    fn colour(&self) -> Colour {
        Colour::Auto
    }

    /// Runs the command, and prints what failed.
    fn execute(&self, context: &Context) -> Exit {
        self.run(context)
            .unwrap_or_else(|failed| failed.report(self.colour(), context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_failure_has_no_secret_and_the_same_exit_code() {
        let redactor = Redactor::default();
        redactor.add(["hunter2-hunter2"]);
        let failed = Failed::usage("the key hunter2-hunter2 is wrong").help("not hunter2-hunter2");
        let masked = failed.masked(&redactor);
        assert!(matches!(
            &masked,
            Failed::Refused {
                exit: Exit::Usage,
                ..
            }
        ));
        assert_eq!(
            masked.to_string(),
            "the key *** is wrong\nhelp: not ***",
            "{masked:?}"
        );
    }
}
