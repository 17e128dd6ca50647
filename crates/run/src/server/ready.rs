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

/// Waits until the running server is ready: until its URL or port answers so, or until it has printed a line.
///
/// # Errors
/// If the server ends first, is not ready within its timeout, or `cancel` comes.
pub(super) async fn wait(
    command: &ServerCommand,
    running: &RunningServer,
    cancel: &CancellationToken,
) -> Result<(), ServerStartError> {
    // The error of a timeout shows the last answer. It is empty until the first answer comes.
    let mut last_answer = Err(String::new());
    // Two receivers of the server's state, since each of the two waits below changes its own.
    let mut exit_state = running.watch();
    let mut ready_state = running.watch();
    let ready = async {
        match ServerAddress::of(&command.ready) {
            Some(place) => poll_until_ready(place, &mut last_answer).await,
            // A server without a URL or a port prints a line when it is ready.
            None => ServerState::says_so(&mut ready_state).await,
        }
    };

    // The end of the server has priority: if it has ended, another program may be the one that answers at its place.
    let result = tokio::select! {
        biased;
        exit = ServerState::exit(&mut exit_state) => return Err(exited_early(command, exit).into()),
        () = cancel.cancelled() => return Err(ServerStartError::Stopped),
        result = timeout(command.timeout, ready) => result,
    };
    match result {
        Ok(()) => Ok(()),
        Err(_elapsed) => Err(not_ready(command, &last_answer, running.printed()).into()),
    }
}

/// Asks the place again and again until it answers that it is ready. `last_answer` gets each answer, or the reason that there is
/// none, because the caller may drop this future and then needs the last one.
async fn poll_until_ready(place: ServerAddress<'_>, last_answer: &mut Result<ProbeAnswer, String>) {
    let mut pause = FIRST_PAUSE;
    loop {
        *last_answer = place.ask().await;
        if let Ok(answer) = last_answer
            && answer.is_ready()
        {
            return;
        }
        // Most servers are ready soon, so that the first pauses are short. Slow ones are asked less often.
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}
