//! Commands that clean up when a test is over, however it ended. If one fails, that is a warning.

use tokio_util::sync::CancellationToken;

use crate::hook;
use crate::outcome::Outcome;
use crate::plan::Preparation;
use crate::redact::Redactor;

use super::problems::unprepared_problem;

/// Runs every teardown command, also if the run is stopping.
pub(super) async fn run_teardown(redactor: &Redactor, preparation: &Preparation<'_>, outcome: &mut Outcome) {
    // A second interrupt drops the run, and with it the process.
    let never = CancellationToken::new();
    for index in 0..preparation.teardown_commands() {
        let problem = match preparation.teardown(index) {
            Ok(None) => continue,
            Ok(Some(command)) => match hook::run(&command, &never).await {
                Ok(_) => continue,
                Err(error) => error.to_string(),
            },
            Err(unprepared) => {
                format!("teardown {}: {}", index + 1, unprepared_problem(redactor, unprepared).message)
            }
        };
        outcome.warnings.push(problem);
    }
}
