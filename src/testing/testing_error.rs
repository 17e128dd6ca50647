//! The errors of a session that cannot do what it is asked for.

use std::fmt;

use ananke_base::diagnostic::{Diagnostic, Place, Severity};
use ananke_plan::PrepareError;
use ananke_trace::outcome::{ErrorKind, Problem};

/// The reason that a session cannot do what it is asked for. A test that gets one has not found out anything about its
/// agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestingError {
    /// The target, the config or a rule is wrong: every problem, a line each.
    Config(String),
    /// The agent could not be asked, or the turn did not end as it should.
    Agent(String),
    /// A judge or a script could not be asked, or gave no verdict that can be read.
    Judge(String),
    /// The call itself is wrong.
    Usage(String),
}

impl TestingError {
    /// Problems of a config, a target or a rule.
    #[doc(hidden)]
    pub fn of_problems(problems: &[Diagnostic]) -> Self {
        Self::of_placed(problems, |place| Some(place.clone()))
    }

    /// Problems whose places are shown as `shown` says.
    pub(super) fn of_placed(
        problems: &[Diagnostic],
        shown: impl Fn(&Place) -> Option<Place>,
    ) -> Self {
        let errors = problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        let in_words = |problem: &Diagnostic| {
            let place = problem.place().and_then(|place| shown(&place));
            let place = place.map(|place| format!("{place}:{}: ", place.column));
            let Diagnostic {
                code,
                message,
                help,
                ..
            } = problem;
            let text = format!("{}error[{code}]: {message}", place.unwrap_or_default());
            let help = help.iter().map(|help| format!("\nhelp: {help}"));
            help.fold(text, |text, help| text + &help)
        };
        Self::Config(errors.map(in_words).collect::<Vec<_>>().join("\n"))
    }

    /// The error that a turn or a session did not end as it should.
    pub(super) fn of_agent(problem: Problem) -> Self {
        Self::Agent(in_words(problem))
    }

    /// The error that a judge or a script gave no verdict.
    pub(super) fn of_judging(problem: Problem) -> Self {
        Self::Judge(in_words(problem))
    }

    /// The error in the call.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
}

/// A problem, with what to do.
fn in_words(
    Problem {
        message,
        help,
        kind,
        ..
    }: Problem,
) -> String {
    // Options of the command line are not those of a session, which has recordings of its own.
    let help = match kind {
        ErrorKind::Recording => Some("record the session again".to_owned()),
        _ => help,
    };
    match help {
        Some(help) => format!("{message}\nhelp: {help}"),
        None => message,
    }
}

impl From<PrepareError> for TestingError {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Broken(problems, _) => Self::of_problems(&problems),
            PrepareError::Changed => Self::Config("a file of the project was changed".to_owned()),
        }
    }
}

impl fmt::Display for TestingError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Config(message)
        | Self::Agent(message)
        | Self::Judge(message)
        | Self::Usage(message)) = self;
        formatter.write_str(message)
    }
}

impl std::error::Error for TestingError {}
