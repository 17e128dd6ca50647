//! The way to a server, whatever carries the messages.

use serde_json::Value;

use super::talk::{Break, Talk, TalkEnd};
use super::{http::HttpConnection, outgoing::Outgoing, stdio::StdioConnection};
use ananke_agents::{Ended, TargetError};
use ananke_base::context::At;

/// The way to a server.
pub(super) enum Connection {
    /// Lines of a program.
    Stdio(StdioConnection),
    /// Requests over HTTP.
    Http(Box<HttpConnection>),
}

impl Connection {
    /// Another turn starts.
    pub(super) fn start_turn(&mut self) {
        if let Self::Stdio(stdio) = self {
            stdio.start_turn();
        }
    }

    /// The last lines that a program printed to stderr in this turn.
    pub(super) async fn last_stderr(&mut self) -> String {
        match self {
            Self::Stdio(stdio) => stdio.last_stderr().await,
            Self::Http(_) => String::new(),
        }
    }

    /// Sends a message, and returns when that was. The response to a request is read later.
    pub(super) async fn send(
        &mut self,
        message: &Outgoing,
        talk: &mut Talk<'_>,
    ) -> Result<At, Break> {
        match self {
            Self::Stdio(stdio) => {
                let bytes = message.bytes();
                if talk.began.is_none() {
                    talk.admit().await;
                }
                let at = stdio.send(&bytes)?;
                talk.sent(at, &bytes);
                Ok(at)
            }
            Self::Http(http) => http.send(message, talk).await,
        }
    }

    /// Reads until there is something to do, or until then.
    pub(super) async fn read(&mut self, until: At, talk: &mut Talk<'_>) -> Result<Ended, Break> {
        match self {
            Self::Stdio(stdio) => Ok(stdio.read(until, talk).await?),
            Self::Http(http) => http.read(until, talk).await,
        }
    }

    /// The moment at which a turn was over, if the connection knows better than the clock; `closed` is what
    /// was seen of it.
    pub(super) fn closes(&self, closed: Option<At>) -> Option<At> {
        match self {
            Self::Stdio(_) => closed,
            Self::Http(http) => Some(http.closes(closed)),
        }
    }

    /// The server was initialized with this version.
    pub(super) fn negotiated(&mut self, version: &str) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(http) => http.negotiated(version),
        }
    }

    /// Begins to listen to what an initialized server says at any time.
    pub(super) async fn listen(&mut self, talk: &mut Talk<'_>) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(http) => http.listen(talk).await,
        }
    }

    /// Whether the tools must be known before one is called.
    pub(super) fn needs_tools(&self) -> bool {
        match self {
            Self::Stdio(_) => false,
            Self::Http(http) => http.needs_tools(),
        }
    }

    /// Takes the tools of the server.
    pub(super) fn learn_tools(&mut self, tools: &[Value]) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(http) => http.learn_tools(tools),
        }
    }

    /// Whether it can begin again after this error of a request that only newer servers know: a program always, and a server over
    /// HTTP if it refused the request itself.
    pub(super) fn can_begin_again(&self, error: &TargetError) -> bool {
        match self {
            Self::Stdio(_) => true,
            Self::Http(_) => {
                matches!(error.received.status, Some(400..=599))
                    && !matches!(error.received.status, Some(401 | 403 | 407 | 429))
            }
        }
    }

    /// Begins again, after a request that the server did not survive.
    pub(super) async fn restart(&mut self) {
        match self {
            Self::Stdio(stdio) => stdio.restart().await,
            Self::Http(_) => {}
        }
    }

    /// Ends the connection, and returns what is odd about how the server ended it. The request `unanswered` is cancelled.
    pub(super) async fn close(
        &mut self,
        end: TalkEnd,
        cancelled: Option<&Outgoing>,
    ) -> Vec<String> {
        match self {
            Self::Stdio(stdio) => {
                if let Some(cancelled) = cancelled {
                    // A program that does not read it is ended anyway.
                    let _not_sent = stdio.send(&cancelled.bytes());
                }
                stdio.close(end).await
            }
            Self::Http(http) => {
                http.close(end, cancelled).await;
                Vec::new()
            }
        }
    }
}
