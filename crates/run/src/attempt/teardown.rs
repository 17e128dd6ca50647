//! Commands that clean up when a test is over, however it ended. If one fails, that is a warning; one that cannot be
//! started is a problem of a test that passed.

use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use crate::context::{Case, Watchdog};
use crate::hook;
use ananke_base::context::lock;
use ananke_plan::Preparation;
use ananke_trace::outcome::{EndCause, ErrorKind, Outcome, Problem};

/// The result of the commands that clean up.
#[derive(Debug, Default)]
pub(crate) struct Teardown {
    warnings: Vec<String>,
    /// The first command that could not be started.
    not_started: Option<Problem>,
}

impl Teardown {
    /// The result if nothing could be started.
    pub(crate) fn not_started(problem: Problem) -> Self {
        Self {
            warnings: Vec::new(),
            not_started: Some(problem),
        }
    }

    /// Adds this to the outcome of its test, which does not pass if a command could not be started.
    pub(crate) fn report(self, outcome: &mut Outcome) {
        outcome.verdict.warnings.extend(self.warnings);
        if let Some(problem) = self.not_started {
            outcome.end(EndCause::NotCleanedUp(problem));
        }
    }

    fn add_not_started(&mut self, problem: Problem) {
        match self.not_started {
            Some(_) => self.warnings.push(problem.message),
            None => self.not_started = Some(problem),
        }
    }
}

/// Runs every teardown command in order, also if the run is stopping, and collects the warnings and problems of all. `watchdog`
/// gets the time that they may take.
pub(crate) async fn run_teardown(
    case: &Case,
    watchdog: &Watchdog,
    preparation: &Mutex<Preparation>,
) -> Teardown {
    // A stop of the run must not end a command that cleans up, so it gets a token that is never cancelled. A second interrupt
    // ends this program, and kills the process of the command.
    let never_cancelled = CancellationToken::new();
    let mut teardown = Teardown::default();
    let commands = lock(preparation).teardown_commands();
    for index in 0..commands {
        let shown_name = format!("teardown {}", index + 1);
        let command = lock(preparation).teardown(index);
        let mut command = match command {
            Ok(Some(command)) => command,
            // No command has this index: nothing is to be done.
            Ok(None) => continue,
            // One command that cannot be filled, say for a variable that no hook gave, does not stop the others.
            Err(error) => {
                let problem = case.unprepared(error);
                let message = format!("{shown_name}: {}", problem.message);
                teardown.add_not_started(Problem { message, ..problem });
                continue;
            }
        };
        // Environment variables that no system passes to a program are removed, each with a warning.
        let unusable = command.launch.leave_out_unusable(&shown_name);
        teardown.warnings.append(&mut command.warnings);
        teardown.warnings.extend(unusable);

        // Each command may take its own timeout, which the watchdog adds to the time of the whole teardown.
        watchdog.extend(command.launch.timeout);
        match hook::run(&command, &never_cancelled).await {
            Ok(_) => {}
            // A command that never ran is an error of its test; one that ran and failed is a warning (SPEC 3).
            Err(error) if error.is_not_started() => teardown.add_not_started(Problem {
                kind: ErrorKind::Hook,
                message: error.to_string(),
                help: error.help(),
            }),
            Err(error) => teardown.warnings.push(error.to_string()),
        }
    }
    teardown
}
