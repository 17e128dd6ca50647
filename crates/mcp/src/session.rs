//! A conversation with a server: it begins with the first turn, and each turn makes requests.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::client::Client;
use super::talk::{Break, Talk, TalkEnd};
use super::turn::McpTurn;
use ananke_agents::{Ended, Limits, Request, Session, Sink, TargetError, Wire};
use ananke_base::context::{At, Clock};

/// One conversation with a server.
pub(super) struct McpSession {
    client: Client,
    max_response_bytes: usize,
    clock: Arc<dyn Clock>,
    /// The end of the last turn.
    end: TalkEnd,
}

impl McpSession {
    pub(super) fn new(client: Client, max_response_bytes: usize, clock: Arc<dyn Clock>) -> Self {
        Self {
            client,
            max_response_bytes,
            clock,
            end: TalkEnd::Complete,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let limits = Limits {
            max_response_bytes: self.max_response_bytes,
            ..limits.clone()
        };
        let cancel = limits.cancel.clone();
        self.end = TalkEnd::Failed;
        self.client.connection.start_turn();
        let mut turn = McpTurn {
            client: &mut self.client,
            talk: Talk::new(limits, sink),
        };
        let ended = match cancel.run_until_cancelled(turn.run(request.action)).await {
            Some(Ok(())) => Ok(Ended::Terminal),
            Some(Err(Break::Ended(ended))) => Ok(ended),
            Some(Err(Break::Failed(error))) => Err(error),
            None => Ok(Ended::Cancelled),
        };
        let closed = turn.talk.closed;
        let closed: At = self
            .client
            .connection
            .closes(closed)
            .unwrap_or_else(|| self.clock.now());
        sink.wire(closed, Wire::Closed);
        if ended == Ok(Ended::Terminal) {
            self.end = TalkEnd::Complete;
        }
        ended
    }
}

impl Session for McpSession {
    fn exchange<'a>(
        &'a mut self,
        request: Request,
        limits: &'a Limits,
        sink: &'a mut dyn Sink,
    ) -> BoxFuture<'a, Result<Ended, TargetError>> {
        Box::pin(self.run(request, limits, sink))
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn last_stderr(&mut self) -> BoxFuture<'_, String> {
        Box::pin(self.client.connection.last_stderr())
    }

    fn close(&mut self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(self.client.close(self.end))
    }
}
