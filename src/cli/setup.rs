//! The config's `setup` and `teardown`: their results are reported.

use ananke::diagnostic::Severity;
use ananke::project::Variables;
use ananke::run::{ProjectHooks, SetupError, SetupStep};
use tokio_util::sync::CancellationToken;

use super::screen::Screen;

/// Runs `setup`, which the live area shows; if no test can start, which is printed, why.
pub(super) async fn set_up(
    hooks: &mut ProjectHooks,
    cancel: &CancellationToken,
    screen: Screen<'_>,
) -> Result<Variables, String> {
    let show = |step: SetupStep<'_>| match step {
        SetupStep::Started(name) => screen.wait_for(Some(name)),
        SetupStep::Warning(warning) => screen.note(warning),
    };
    let is_set_up = hooks.set_up(cancel, &show).await;
    screen.wait_for(None);
    match is_set_up {
        Ok(variables) => Ok(variables),
        Err(SetupError::Stopped) => Err("the run was interrupted".to_owned()),
        Err(SetupError::Failed(problems)) => {
            screen.print_problems(&problems);
            let first = problems
                .iter()
                .filter(|problem| problem.severity == Severity::Error)
                .find_map(|problem| problem.message.lines().next());
            Err(first.unwrap_or("`setup` failed").to_owned())
        }
    }
}

/// Runs `teardown`; `false` if a command could not be started.
pub(super) async fn tear_down(hooks: &ProjectHooks, screen: Screen<'_>) -> bool {
    let problems = hooks.tear_down().await;
    screen.print_problems(&problems);
    !problems
        .iter()
        .any(|problem| problem.severity == Severity::Error)
}
