//! Whether a server can be talked to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::error::{self, Failed};
use super::running::{Running, State};
use crate::project::{Readiness, ServerCommand};
use crate::target::http;

/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long after the first question the second comes; from then on twice as long each time.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest that is waited between two questions.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The first status that says that a server is not well.
const FIRST_ERROR: u16 = 500;

/// A place that can be asked whether somebody is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    Url(&'a Url),
    Port(u16),
}

/// What somebody who is there says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It answers in HTTP, with this status.
    Status(u16),
    /// It takes connections.
    Connected,
}

impl Answer {
    pub(super) fn is_ready(self) -> bool {
        match self {
            Self::Status(status) => status < FIRST_ERROR,
            Self::Connected => true,
        }
    }
}

impl<'a> Place<'a> {
    /// The place that is asked; none where a server is to say by itself that it is ready.
    pub(super) fn of(ready: &'a Readiness) -> Option<Self> {
        match ready {
            Readiness::Url(url) => Some(Self::Url(url)),
            Readiness::Port(port) => Some(Self::Port(*port)),
            Readiness::Stdout(_) => None,
        }
    }

    /// As shown in messages.
    pub(super) fn shown(self) -> String {
        match self {
            Self::Url(url) => http::shown(url),
            Self::Port(port) => format!("port {port}"),
        }
    }

    /// What somebody there says; `None` where nobody is.
    pub(super) async fn answer(self) -> Option<Answer> {
        self.ask().await.ok()
    }

    async fn ask(self) -> Result<Answer, String> {
        match self {
            Self::Url(url) => http::status(url, PATIENCE).await.map(Answer::Status),
            Self::Port(port) => {
                // Servers that listen on `localhost` take one of the two.
                let mut why = String::new();
                for address in [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
                    match timeout(PATIENCE, TcpStream::connect((address, port))).await {
                        Ok(Ok(_)) => return Ok(Answer::Connected),
                        Ok(Err(error)) if why.is_empty() => why = error.kind().to_string(),
                        _ => {}
                    }
                }
                Err(why)
            }
        }
    }
}

/// What is waited for when a server is started, in words.
pub(super) fn awaited(command: &ServerCommand) -> String {
    let name = error::name(command);
    match Place::of(&command.ready) {
        Some(place) => format!("waiting for {} to answer: {name}", place.shown()),
        None => format!("waiting for a line that says that it is ready: {name}"),
    }
}

/// Comes back when the server that runs can be talked to.
pub(super) async fn wait(
    command: &ServerCommand,
    running: &Running,
    cancel: &CancellationToken,
) -> Result<(), Failed> {
    let mut seen = String::new();
    let (mut ends, mut says) = (running.watch(), running.watch());
    let ready = async {
        match Place::of(&command.ready) {
            Some(place) => answers(place, &mut seen).await,
            None => State::says_so(&mut says).await,
        }
    };
    let waited = tokio::select! {
        biased;
        death = State::death(&mut ends) => return Err(error::died(command, death).into()),
        () = cancel.cancelled() => return Err(Failed::Stopped),
        waited = timeout(command.timeout, ready) => waited,
    };
    waited.map_err(|_elapsed| error::not_ready(command, &seen, running.printed()).into())
}

/// Asks until somebody answers who is ready; what was seen last is in `seen`.
async fn answers(place: Place<'_>, seen: &mut String) {
    let mut pause = FIRST_PAUSE;
    loop {
        match place.ask().await {
            Ok(answer) if answer.is_ready() => return,
            Ok(answer) => *seen = answer.to_string(),
            Err(why) => *seen = why,
        }
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "it answers with status {status}"),
            Self::Connected => formatter.write_str("it takes connections"),
        }
    }
}
