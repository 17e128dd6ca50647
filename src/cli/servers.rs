//! The servers of the config: started if something is sent to them; if one cannot start, that is reported.

use ananke::plan::{CaseEntry, Plan};
use ananke::project::ServerCommand;
use ananke::recording::{RecordingMode, Recordings};
use ananke::server::{ServerStartError, Servers};
use tokio_util::sync::CancellationToken;

use super::screen::Screen;

/// Whether a test of `plan` talks to an agent, and so needs the servers and the `setup` of the config.
pub(super) fn is_live(plan: &Plan, recordings: Option<&Recordings>) -> bool {
    let is_live = |case: &CaseEntry| match recordings {
        None => true,
        Some(recordings) => match recordings.mode {
            RecordingMode::Record => true,
            RecordingMode::Replay => false,
            RecordingMode::RecordMissing => !recordings.has(&case.id()),
        },
    };
    plan.cases
        .iter()
        .filter(|case| case.test.skip.is_none())
        .any(is_live)
}

/// Starts the servers, which the live area shows; if one failed, which is printed, why no test can start. A run
/// that is stopped meanwhile has none.
pub(super) async fn start(
    needed: &[ServerCommand],
    cancel: &CancellationToken,
    screen: Screen<'_>,
) -> Result<Servers, String> {
    let started = Servers::start(needed, cancel, |what| screen.wait_for(Some(what))).await;
    screen.wait_for(None);
    let error = match started {
        Ok(servers) => {
            servers.notes().iter().for_each(|note| screen.note(note));
            return Ok(servers);
        }
        Err(ServerStartError::Stopped) => return Ok(Servers::default()),
        Err(ServerStartError::Broken(error)) => error,
    };
    let why = error.problem.message.clone();
    screen.print_problem(error.problem, &error.printed);
    Err(why)
}
