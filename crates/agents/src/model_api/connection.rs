//! One request to a model and its response, and further requests while the server rejects it for now.

use std::sync::Arc;

use bytes::Bytes;

use super::settings::ModelSettings;
use crate::error::TargetError;
use crate::http::{
    self, ClientEvent, HttpRequest, RejectedRetries, RequestProgress, Response, StreamReader,
    TOO_MANY_REQUESTS, Transport,
};
use crate::limits::Limits;
use crate::session::SessionOptions;
use crate::sink::{Ended, Sink, Wire};
use ananke_base::context::{At, Clock, Ids};

/// The reader of one response of a model.
pub trait ModelReader: StreamReader {
    /// The part of a complete reply that the session keeps.
    type Reply;

    /// Whether the response may end here.
    fn is_ended(&self) -> bool;

    /// Reports everything that has arrived of a response that is incomplete and no longer read.
    fn abandon(self, sink: &mut dyn Sink);

    /// Reports the end of the response to `sink`, and returns what the session keeps of it.
    ///
    /// # Errors
    /// If the response cannot be used, such as one with a call without a name.
    fn finish(self, sink: &mut dyn Sink) -> Result<ModelReply<Self::Reply>, TargetError>;
}

/// The content of a response that is over.
#[derive(Debug)]
pub enum ModelReply<R> {
    /// The part of it that the next request needs.
    Complete(R),
    /// The server reported an error instead of the rest.
    Failed,
    /// The sink wanted no more.
    Stopped,
}

/// The parts that each exchange of a conversation needs, whatever the API.
pub struct ModelConnection {
    /// The filled keys of the target, which all its conversations share.
    pub settings: Arc<ModelSettings>,
    /// The source of the ids that reports show, since some servers send messages without one.
    pub ids: Arc<dyn Ids>,
    /// Arrival times, and the time of day for servers that say when to ask again.
    pub clock: Arc<dyn Clock>,
    transport: Arc<dyn Transport>,
    /// Adds to the error of a response with another status than success what to do about it.
    with_help: fn(TargetError) -> TargetError,
}

/// The result of one request.
enum ModelAttempt {
    Ended(Ended),
    /// The server rejects it for now.
    Rejected(Response),
}

impl ModelConnection {
    /// The connection of a session with these options. `with_help` adds to the error of a response with another status than
    /// success what to do about it.
    pub fn new(
        settings: Arc<ModelSettings>,
        options: &SessionOptions,
        with_help: fn(TargetError) -> TargetError,
    ) -> Self {
        Self {
            settings,
            ids: Arc::clone(&options.ids),
            clock: Arc::clone(&options.clock),
            transport: Arc::clone(&options.transport),
            with_help,
        }
    }

    /// Sends `body` and reads the response with `reader`. While the server rejects the request with the status 429, it is sent again
    /// after a wait. Returns the reply as well, if it is complete.
    ///
    /// # Errors
    /// If the model fails, its response is not valid, or it still rejects the request after the last retry.
    pub async fn exchange<R: ModelReader>(
        &self,
        body: Bytes,
        mut reader: R,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(Ended, Option<R::Reply>), TargetError> {
        let request = self.settings.post(body);
        // The target may have other sizes of events and responses. This is a copy also because each retry has less time.
        let mut limits = self.settings.options.limits(limits);
        let mut retries = RejectedRetries::new(self.settings.retries);
        let (ended, closed_at) = loop {
            // Each request takes its own steps, because a timeout reports them.
            let mut request = request.clone();
            request.progress = RequestProgress::default();
            let (attempt, closed_at) = self.attempt(request, &mut reader, &limits, sink).await;
            let rejection = match attempt {
                Ok(ModelAttempt::Ended(ended)) => break (Ok(ended), closed_at),
                Ok(ModelAttempt::Rejected(rejection)) => rejection,
                Err(error) => break (Err(error), closed_at),
            };
            sink.wire(closed_at, Wire::Closed);
            let transport = &*self.transport;
            let waited = retries.wait(rejection, closed_at, &mut limits, &*self.clock, transport);
            // The turn ends here if its time is up before the wait is over, or if it was cancelled.
            if let Some(ended) = waited.await? {
                return Ok((ended, None));
            }
        };

        // An incomplete response is reported as far as it came. The close of any response is reported after its content, and
        // before an error is returned, so that it is never missing.
        if !matches!(ended, Ok(Ended::Terminal)) {
            reader.abandon(sink);
            sink.wire(closed_at, Wire::Closed);
            return Ok((ended?, None));
        }
        let reply = reader.finish(sink);
        sink.wire(closed_at, Wire::Closed);
        Ok(match reply? {
            ModelReply::Complete(reply) => (Ended::Terminal, Some(reply)),
            // The reader has reported the model's error as the end of the run, so that the exchange itself is complete.
            ModelReply::Failed => (Ended::Terminal, None),
            // The sink wanted no more.
            ModelReply::Stopped => (Ended::Cancelled, None),
        })
    }

    /// Sends one request and reads its response. Returns the result, and the moment at which the connection was closed.
    async fn attempt<R: ModelReader>(
        &self,
        request: HttpRequest,
        reader: &mut R,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> (Result<ModelAttempt, TargetError>, At) {
        // `send_and_read` sets this if the connection broke or the time was up; otherwise the exchange is over once it returns.
        let mut over_at = None;
        let exchange = self.send_and_read(request, reader, limits, sink, &mut over_at);
        // A cancellation drops the exchange, which closes its connection, and results in `None`.
        let attempt = match limits.cancel.run_until_cancelled(exchange).await {
            // If the model had stopped before the cancellation or the timeout, the reply is complete and only the stream was
            // left open: neither is an error then.
            None | Some(Ok(ModelAttempt::Ended(Ended::Timeout))) if reader.is_ended() => {
                reader.give_up();
                Ok(ModelAttempt::Ended(Ended::Terminal))
            }
            Some(attempt) => attempt,
            None => Ok(ModelAttempt::Ended(Ended::Cancelled)),
        };
        // The moment is `over_at` if it is set, and else the time of now; in a replay it is the recorded one.
        let closed_at = self.transport.moment(ClientEvent::Closes(over_at));
        (attempt, closed_at)
    }

    /// Sends a request and reads its response with `reader`, which reports it to `sink`. `over_at` gets the moment at which the
    /// exchange was over, if the connection broke or the time was up.
    ///
    /// # Errors
    /// If the connection fails, the server refuses the request, or the response is not what its protocol promises.
    async fn send_and_read<R: ModelReader>(
        &self,
        request: HttpRequest,
        reader: &mut R,
        limits: &Limits,
        sink: &mut dyn Sink,
        over_at: &mut Option<At>,
    ) -> Result<ModelAttempt, TargetError> {
        let response = http::send(&*self.transport, request, limits, sink, over_at).await?;
        // No response came before the timeout.
        let Some(response) = response else {
            return Ok(ModelAttempt::Ended(Ended::Timeout));
        };
        // The caller decides whether to retry. It gets the unread response, because the wait is in its headers and the error in its body.
        if response.received.head.status == TOO_MANY_REQUESTS {
            return Ok(ModelAttempt::Rejected(response));
        }
        // Every other status than success is an error.
        let response = response.accepted().await.map_err(self.with_help)?;
        let ended = http::read_events(response, reader, limits, sink, over_at).await?;
        Ok(ModelAttempt::Ended(ended))
    }
}
