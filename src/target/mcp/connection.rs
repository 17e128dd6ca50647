//! The way to a server, whatever carries the messages.

use super::outgoing::Outgoing;
use super::stdio::StdioConnection;
use super::talk::{Break, Talk, TalkEnd};
use crate::context::At;
use crate::target::ended::Ended;

/// The way to a server.
pub(super) enum Connection {
    /// Lines of a program.
    Stdio(StdioConnection),
}

impl Connection {
    /// Sends a message, and returns when that was. The response to a request is read later.
    pub(super) async fn send(&mut self, message: &Outgoing, talk: &mut Talk<'_>) -> Result<At, Break> {
        let bytes = message.bytes();
        match self {
            Self::Stdio(stdio) => {
                if talk.began.is_none() {
                    talk.admit().await;
                }
                let at = stdio.send(&bytes)?;
                talk.sent(at, &bytes);
                Ok(at)
            }
        }
    }

    /// Reads until there is something to do, or until then.
    pub(super) async fn read(&mut self, until: At, talk: &mut Talk<'_>) -> Result<Ended, Break> {
        match self {
            Self::Stdio(stdio) => Ok(stdio.read(until, talk).await?),
        }
    }

    /// When a turn was over, if the connection knows better than the clock; `closed` is what was seen of it.
    pub(super) fn closes(&self, closed: Option<At>) -> Option<At> {
        match self {
            Self::Stdio(_) => closed,
        }
    }

    /// Whether it can begin again.
    pub(super) fn can_restart(&self) -> bool {
        matches!(self, Self::Stdio(_))
    }

    /// Begins again, after a request that the server did not survive.
    pub(super) async fn restart(&mut self) {
        match self {
            Self::Stdio(stdio) => stdio.restart().await,
        }
    }

    /// Ends the connection, and returns what is odd about how the server ended it. The request `unanswered` is cancelled.
    pub(super) async fn close(&mut self, end: TalkEnd, cancelled: Option<&Outgoing>) -> Vec<String> {
        match self {
            Self::Stdio(stdio) => {
                if let Some(cancelled) = cancelled {
                    // A program that does not read it is ended anyway.
                    let _not_sent = stdio.send(&cancelled.bytes());
                }
                stdio.close(end).await
            }
        }
    }
}
