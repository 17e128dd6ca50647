//! Commands that clean up when a test is over, however it ended. If one fails, that is a warning.

use tokio_util::sync::CancellationToken;

use crate::hook;
use crate::plan::Preparation;

use super::case::Case;

/// Runs every teardown command, also if the run is stopping, and returns the warnings.
pub(super) async fn run_teardown(case: &Case<'_>, preparation: &Preparation<'_>) -> Vec<String> {
    // A second interrupt drops the run, and with it the process.
    let never = CancellationToken::new();
    let mut warnings = Vec::new();
    for index in 0..preparation.teardown_commands() {
        match preparation.teardown(index) {
            Ok(None) => {}
            Ok(Some(command)) => {
                warnings.extend(hook::run(&command, &never).await.err().map(|error| error.to_string()));
            }
            Err(error) => {
                warnings.push(format!("teardown {}: {}", index + 1, case.unprepared(error).message));
            }
        }
    }
    warnings
}
