//! The place of a server: a URL or a port, and what answers there.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use ananke_agents::http;
use ananke_plan::project::Readiness;

/// The time that one request may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lowest HTTP status that means that a server is not ready.
const FIRST_ERROR: u16 = 500;

/// The address at which a server is expected to answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum ServerAddress<'a> {
    Url(&'a Url),
    Port(u16),
}

/// The answer of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbeAnswer {
    /// A response in HTTP, with this status.
    Status(u16),
    /// A connection that was taken.
    Connected,
}

impl ProbeAnswer {
    pub(super) fn is_ready(self) -> bool {
        match self {
            Self::Status(status) => status < FIRST_ERROR,
            Self::Connected => true,
        }
    }
}

impl<'a> ServerAddress<'a> {
    /// The place that is asked; `None` if the server prints a line when it is ready.
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

    /// The answer; `None` if nothing answers.
    pub(super) async fn answer(self) -> Option<ProbeAnswer> {
        self.ask().await.ok()
    }

    /// Sends one request to the URL, or connects to the port once.
    ///
    /// # Errors
    /// The reason that there is no answer.
    pub(super) async fn ask(self) -> Result<ProbeAnswer, String> {
        match self {
            Self::Url(url) => http::status(url, PATIENCE).await.map(ProbeAnswer::Status),
            Self::Port(port) => {
                // A server that listens on `localhost` has only one of these two addresses, and the config does not say which.
                let addresses = [
                    IpAddr::V4(Ipv4Addr::LOCALHOST),
                    IpAddr::V6(Ipv6Addr::LOCALHOST),
                ];
                let mut first_error = String::new();
                for address in addresses {
                    match timeout(PATIENCE, TcpStream::connect((address, port))).await {
                        Ok(Ok(_)) => return Ok(ProbeAnswer::Connected),
                        Ok(Err(error)) if first_error.is_empty() => {
                            first_error = error.kind().to_string();
                        }
                        // One reason is enough, and a timeout of the connection has no reason to add.
                        _ => {}
                    }
                }
                Err(first_error)
            }
        }
    }
}

impl fmt::Display for ProbeAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "it answers with status {status}"),
            Self::Connected => formatter.write_str("it takes connections"),
        }
    }
}
