//! A conversation with an agent behind an HTTP API of its own: each turn is a request, and those that `then` adds.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::calls::KnownCalls;
use super::conversation::HttpConversation;
use super::mapped_reader::{MappedReader, ReplyEnd};
use super::request::RequestTemplate;
use super::settings::HttpAgentSettings;
use super::turn_requests::TurnRequests;
use ananke_agents::http::{ClientEvent, Transport};
use ananke_agents::{Ended, Limits, Request, Session, SessionOptions, Sink, TargetError, Wire};
use ananke_base::context::{At, Clock, Ids};

/// One conversation.
pub(super) struct HttpSession {
    conversation: HttpConversation,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    known: KnownCalls,
    has_started: bool,
}

impl HttpSession {
    pub(super) fn new(settings: Arc<HttpAgentSettings>, options: SessionOptions) -> Self {
        Self {
            conversation: HttpConversation::new(settings, options.history),
            transport: options.transport,
            clock: options.clock,
            ids: options.ids,
            known: KnownCalls::default(),
            has_started: false,
        }
    }

    async fn run(
        &mut self,
        request: Request,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<Ended, TargetError> {
        let mut main = self.conversation.begin_turn(request.action)?;
        main.put_over(request.context.request)?;
        let settings = Arc::clone(&self.conversation.settings);
        let ids = Arc::clone(&self.ids);
        // The reader has the calls of the conversation for the time of the turn.
        let mut known = std::mem::take(&mut self.known);
        let mut reader = MappedReader::new(&settings.response, &mut known, &*ids);
        let mut closed = None;
        let requests = self.requests(&main, &mut reader, limits, sink, &mut closed);
        // A cancellation drops the requests, and their connection.
        let ended = match limits.cancel.run_until_cancelled(requests).await {
            // The agent has ended its answer; only the stream has not.
            None | Some(Ok(Ended::Timeout)) if reader.is_ended() => Ok(Ended::Terminal),
            Some(ended) => ended,
            None => Ok(Ended::Cancelled),
        };
        let closed = self.transport.moment(ClientEvent::Closes(closed));
        let ended = if matches!(ended, Ok(Ended::Terminal)) {
            match reader.finish(sink) {
                Ok(ReplyEnd::Complete(texts)) => {
                    self.conversation.add_reply(&texts);
                    Ok(Ended::Terminal)
                }
                Ok(ReplyEnd::Ended) => Ok(Ended::Terminal),
                Ok(ReplyEnd::Stopped) => Ok(Ended::Cancelled),
                Err(error) => Err(error),
            }
        } else {
            reader.abandon(sink);
            ended
        };
        sink.wire(closed, Wire::Closed);
        self.known = known;
        ended
    }

    /// Sends the requests of a turn, and those before the first one.
    async fn requests(
        &mut self,
        main: &RequestTemplate,
        reader: &mut MappedReader<'_>,
        limits: &Limits,
        sink: &mut dyn Sink,
        closed: &mut Option<At>,
    ) -> Result<Ended, TargetError> {
        let limits = self.conversation.settings.options.limits(limits);
        let mut requests = TurnRequests {
            conversation: &mut self.conversation,
            transport: &*self.transport,
            clock: &*self.clock,
            reader,
            limits,
            sink,
            closed,
            until: None,
        };
        if !self.has_started {
            if let Some(ended) = requests.start().await? {
                return Ok(ended);
            }
            self.has_started = true;
        }
        requests.turn(main).await
    }
}

impl Session for HttpSession {
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
}
