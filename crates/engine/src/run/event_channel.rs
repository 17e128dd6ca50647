//! Events on their way from a run to its reports: however slowly reports take them, no test waits for that.
//!
//! **Invariant:** the order is kept; only a bounded number of outcomes wait here, all others in the spool.

use std::sync::Arc;

use tokio::sync::{Semaphore, TryAcquireError, mpsc};

use super::event::RunEvent;
use ananke_trace::redact::Sealed;

/// A channel for the events of one run, in which at most so many outcomes wait.
pub fn event_channel(outcomes: usize) -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(outcomes.clamp(1, Semaphore::MAX_PERMITS)));
    (
        EventSender {
            events: sender,
            room: Arc::clone(&room),
        },
        EventReceiver {
            events: receiver,
            room,
        },
    )
}

/// The channel to which a run sends its events; `None` is the end.
pub struct EventSender {
    events: mpsc::UnboundedSender<Option<Sealed<RunEvent>>>,
    /// Room for outcomes.
    room: Arc<Semaphore>,
}

impl EventSender {
    /// Sends an event. A receiver that is gone stops nothing: the verdict is needed, reports are not.
    pub(super) fn send(&self, event: Sealed<RunEvent>) {
        let _is_gone = self.events.send(Some(event));
    }

    /// Waits until there is room for an outcome, and reserves it.
    pub(super) async fn room(&self) {
        if let Ok(room) = self.room.acquire().await {
            room.forget();
        }
    }

    /// Reserves room for an outcome, if there is room now.
    pub(super) fn reserve_room(&self) -> bool {
        match self.room.try_acquire() {
            Ok(room) => {
                room.forget();
                true
            }
            Err(TryAcquireError::NoPermits) => false,
            Err(TryAcquireError::Closed) => true,
        }
    }

    /// Nothing more comes, though a thread that was left behind may still hold the sender.
    pub(super) fn end(&self) {
        let _is_gone = self.events.send(None);
    }
}

/// The channel from which the events of a run are received.
pub struct EventReceiver {
    events: mpsc::UnboundedReceiver<Option<Sealed<RunEvent>>>,
    room: Arc<Semaphore>,
}

impl EventReceiver {
    /// The next event; `None` once the run is over.
    pub async fn recv(&mut self) -> Option<Sealed<RunEvent>> {
        let Some(event) = self.events.recv().await.flatten() else {
            self.events.close();
            return None;
        };
        if event.has_outcome() {
            self.room.add_permits(1);
        }
        Some(event)
    }
}

impl Drop for EventReceiver {
    fn drop(&mut self) {
        self.room.close();
    }
}
