//! Waits until a server is ready.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::error::{ServerStartError, exited_early, not_ready};
use super::running::{RunningServer, ServerState};
use super::server_address::{ProbeAnswer, ServerAddress};
use super::server_exit::server_name;
use ananke_plan::project::ServerCommand;

/// The time between the first request and the second; the pause doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause between two requests.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A line that says what a starting server is waited for.
pub(super) fn awaited(command: &ServerCommand) -> String {
    let name = server_name(command);
    match ServerAddress::of(&command.ready) {
        Some(place) => format!("waiting for {} to answer: {name}", place.shown()),
        None => format!("waiting for a line that says that it is ready: {name}"),
    }
}

/// Waits until the running server is ready.
pub(super) async fn wait(
    command: &ServerCommand,
    running: &RunningServer,
    cancel: &CancellationToken,
) -> Result<(), ServerStartError> {
    let mut seen = Err(String::new());
    let mut ends = running.watch();
    let mut says = running.watch();
    let ready = async {
        match ServerAddress::of(&command.ready) {
            Some(place) => answers(place, &mut seen).await,
            None => ServerState::says_so(&mut says).await,
        }
    };
    // The end of the server comes first: another program at its place could answer that it is ready.
    let waited = tokio::select! {
        biased;
        exit = ServerState::exit(&mut ends) => return Err(exited_early(command, exit).into()),
        () = cancel.cancelled() => return Err(ServerStartError::Stopped),
        waited = timeout(command.timeout, ready) => waited,
    };
    match waited {
        Ok(()) => Ok(()),
        Err(_elapsed) => Err(not_ready(command, &seen, running.printed()).into()),
    }
}

/// Sends requests until the place answers that it is ready; `seen` contains the last answer or error.
async fn answers(place: ServerAddress<'_>, seen: &mut Result<ProbeAnswer, String>) {
    let mut pause = FIRST_PAUSE;
    loop {
        *seen = place.ask().await;
        if let Ok(answer) = seen
            && answer.is_ready()
        {
            return;
        }
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}
