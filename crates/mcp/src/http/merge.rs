//! Two responses of one server that are read at the same time, in the order in which their parts came.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};

use super::incoming_reply::{IncomingReply, ReplyItem};
use ananke_agents::TargetError;
use ananke_base::context::At;

/// The stream that an item came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplySource {
    /// The response to the request that waits.
    Reply,
    /// The stream of what the server says at any time.
    Stream,
}

/// The next part of both; `None` if none comes until then.
///
/// # Errors
/// If the response that is waited for cannot be read.
pub(super) async fn next(
    reply: &mut Option<IncomingReply>,
    stream: &mut Option<IncomingReply>,
    until: At,
) -> Result<Option<(ReplySource, ReplyItem)>, TargetError> {
    let has_reply = reply.is_some();
    let (mut of_reply, mut of_stream) = (None, None);
    {
        let mut replies = pin!(fill(reply.as_mut(), until));
        let mut streams = pin!(fill(stream.as_mut(), until));
        let mut poll_both = |context: &mut Context<'_>| {
            // The stream is looked at again: what came before the reply must be found before it.
            for _ in 0..2 {
                if of_stream.is_none()
                    && let Poll::Ready(filled) = streams.as_mut().poll(context)
                {
                    of_stream = Some(filled);
                }
                if of_reply.is_none()
                    && let Poll::Ready(filled) = replies.as_mut().poll(context)
                {
                    of_reply = Some(filled);
                }
            }
            let is_done = match (&of_reply, &of_stream) {
                (Some(Ok(true) | Err(_)), _) | (_, Some(Ok(true))) | (Some(_), Some(_)) => true,
                (Some(Ok(false)), None) => has_reply,
                (None, _) => false,
            };
            if is_done {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        };
        poll_fn(&mut poll_both).await;
    }
    if let Some(Err(error)) = of_reply {
        return Err(error);
    }
    if let Some(Err(error)) = of_stream {
        // Without a reply, everything comes by the stream.
        *stream = None;
        if !has_reply {
            return Err(error);
        }
    }
    let Some(source) = first_source(reply.as_ref(), stream.as_ref()) else {
        return Ok(None);
    };
    let of = if source == ReplySource::Reply {
        reply
    } else {
        stream
    };
    Ok(of
        .as_mut()
        .and_then(IncomingReply::take)
        .map(|item| (source, item)))
}

/// The source of the item that came first.
fn first_source(
    reply: Option<&IncomingReply>,
    stream: Option<&IncomingReply>,
) -> Option<ReplySource> {
    let at = |source: Option<&IncomingReply>| source.and_then(IncomingReply::next_at);
    match (at(reply), at(stream)) {
        (Some(reply), Some(stream)) if stream < reply => Some(ReplySource::Stream),
        (Some(_), _) => Some(ReplySource::Reply),
        (None, Some(_)) => Some(ReplySource::Stream),
        (None, None) => None,
    }
}

/// Whether an item is there.
async fn fill(reply: Option<&mut IncomingReply>, until: At) -> Result<bool, TargetError> {
    let Some(reply) = reply else { return Ok(false) };
    reply.fill(until).await?;
    Ok(reply.next_at().is_some())
}
