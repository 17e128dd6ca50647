//! `ananke session`: from standard input to its end.

use std::io::{self, BufWriter};
use std::sync::Arc;
use std::time::Duration;

use ananke::{context::Context, process::kill_every_group, run::Stopper};
use clap::Args;
use tokio::time::timeout;

use super::client_turns::ClientTurns;
use super::dispatch::Dispatcher;
use super::line_input::lines;
use super::project_tests::ProjectTests;
use super::request_keys::ClientConfig;
use super::session_client::SessionClient;
use super::sessions::Sessions;
use crate::cli::frame::{CommandOptions, Exit, Failed, interruptible, streams};

/// The time that everything that was started may take to end.
const PATIENCE: Duration = Duration::from_secs(4);

/// The time for which a reader that reads nothing is waited for.
const LAST_LINES: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct SessionCommand {
    /// Read requests from standard input and write answers to standard output, one JSON object per line (the only way there is)
    #[arg(long, required = true)]
    pub(crate) stdio: bool,
}

impl CommandOptions for SessionCommand {
    /// Answers requests until standard input ends, or a signal comes.
    fn run(&self, context: &Context) -> Result<Exit, Failed> {
        interruptible(context, async |stopper| serve(context, stopper).await)?;
        Ok(Exit::Success)
    }
}

async fn serve(context: &Context, stopper: &Stopper) -> Result<(), Failed> {
    let mut input = lines(io::stdin())?;
    let (stdout, _) = streams();
    let client = SessionClient::new(BufWriter::new(stdout))?;
    let config = ClientConfig::default();
    let turns = ClientTurns::default();
    let sessions = Sessions::new(
        client.clone(),
        context.clone(),
        config.clone(),
        turns.clone(),
    );
    let tests = ProjectTests::new(client.clone(), context.clone(), config.clone(), turns);
    let (sessions, tests) = (Arc::new(sessions), Arc::new(tests));
    let mut dispatcher = Dispatcher::new(
        client.clone(),
        config,
        Arc::clone(&sessions),
        Arc::clone(&tests),
    );
    let end = loop {
        tokio::select! {
            line = input.recv() => match line {
                Some(line) => dispatcher.take(line),
                None => break Ok(()),
            },
            () = stopper.interrupted() => break Ok(()),
            () = client.gone() => break Ok(()),
            () = client.flooded() => {
                let message = "the client reads no answers, and too many wait";
                break Err(Failed::new(message));
            }
        }
    };
    sessions.cancel_all();
    tests.cancel_all();
    let ended = async {
        dispatcher.finish().await;
        tokio::join!(sessions.end(), tests.end());
    };
    if timeout(PATIENCE, ended).await.is_err() {
        kill_every_group();
    }
    let _unread = timeout(LAST_LINES, client.written()).await;
    end
}
