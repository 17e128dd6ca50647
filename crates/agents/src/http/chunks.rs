//! A body that is read and stamped ahead of its consumer.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio::time::timeout;

use super::{Body, Next};
use ananke_base::context::{At, Clock};

/// The number of bytes of a body that are read ahead before the server has to wait. As long as there is room, a slow reader does
/// not slow the stamps.
const AHEAD: usize = 8 << 20;

/// The room of a chunk apart from its bytes, in bytes.
const CHUNK_COST: usize = 128;

/// A body whose chunks come through a channel. It ends with the channel.
pub struct Chunks {
    received: mpsc::Receiver<Next>,
    room: Arc<Semaphore>,
    clock: Arc<dyn Clock>,
}

/// The sender of the chunks of a body.
pub(super) struct ChunkSender {
    chunks: mpsc::Sender<Next>,
    room: Arc<Semaphore>,
}

/// The consumer has dropped the body.
pub(super) struct BodyDropped;

impl Chunks {
    /// The body that comes through `chunks`, stamped by `clock`.
    pub fn new(chunks: mpsc::Receiver<Next>, clock: Arc<dyn Clock>) -> Self {
        Self {
            received: chunks,
            room: Arc::new(Semaphore::new(AHEAD)),
            clock,
        }
    }

    /// A body, and where its chunks go in.
    pub(super) fn channel(clock: Arc<dyn Clock>) -> (ChunkSender, Self) {
        let (sender, receiver) = mpsc::channel(AHEAD / CHUNK_COST);
        let body = Self::new(receiver, clock);
        (
            ChunkSender {
                chunks: sender,
                room: Arc::clone(&body.room),
            },
            body,
        )
    }

    /// Returns the next part of the body, which another thread sends with the moment of its arrival. Waits for it until the
    /// moment `until`, if none is there yet.
    async fn take(&mut self, until: At) -> Next {
        // A part that is there already is taken without a look at the clock: the moment of its arrival decides whether it is
        // late, and not the moment at which it is taken.
        let next = match self.received.try_recv() {
            Ok(next) => next,
            // The sender is dropped at the end of the body.
            Err(TryRecvError::Disconnected) => return Next::End,
            Err(TryRecvError::Empty) => {
                match timeout(until.since(self.clock.now()), self.received.recv()).await {
                    Ok(Some(next)) => next,
                    Ok(None) => return Next::End,
                    // A busy machine may notice the timeout late. A part that has arrived by then may still have arrived in time.
                    Err(_elapsed) => match self.received.try_recv() {
                        Ok(next) => next,
                        Err(_) => return Next::Late,
                    },
                }
            }
        };

        // The sender waits once too many bytes are in the channel. The room that this part took is free again.
        self.room.add_permits(cost(&next) as usize);

        match next {
            // Bytes that came too late are returned as such, since a warning quotes them. A connection that broke too late makes
            // no difference: the time was up before.
            Next::Bytes(at, bytes) if at > until => Next::After(at, bytes),
            Next::Broken(at, _) if at > until => Next::Late,
            next => next,
        }
    }
}

impl Body for Chunks {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(self.take(until))
    }
}

impl ChunkSender {
    /// Hands over `next`, as soon as there is room.
    ///
    /// # Errors
    /// If the body was dropped.
    pub(super) async fn send(&self, next: Next) -> Result<(), BodyDropped> {
        let room = tokio::select! {
            biased;
            () = self.chunks.closed() => return Err(BodyDropped),
            room = self.room.acquire_many(cost(&next)) => room,
        };
        // What it takes is given back with it.
        room.map_err(|_closed| BodyDropped)?.forget();
        self.chunks.send(next).await.map_err(|_closed| BodyDropped)
    }

    /// Returns when the body is dropped.
    pub(super) async fn closed(&self) {
        self.chunks.closed().await;
    }
}

/// The room that something takes in the channel; a chunk larger than all of it takes all.
fn cost(next: &Next) -> u32 {
    let bytes = if let Next::Bytes(_, bytes) = next {
        bytes.len()
    } else {
        0
    };
    u32::try_from((bytes + CHUNK_COST).min(AHEAD)).unwrap_or(u32::MAX)
}
