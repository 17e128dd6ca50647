//! Events on their way to the reports: however slowly reports take them, no test waits for that.
//!
//! **Invariant:** the order is kept; only a bounded number of outcomes wait here, all others in the spool.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::event::RunEvent;
use crate::redact::Sealed;

/// How many outcomes may wait here.
const OUTCOMES: usize = 64;

/// Takes events at once, and hands them on when the reports take them.
pub(super) struct Outbox {
    events: mpsc::UnboundedSender<Option<Sealed<RunEvent>>>,
    /// What the forwarding task needs, until it begins.
    ends: Mutex<Option<Ends>>,
    /// Room for outcomes.
    room: Arc<Semaphore>,
}

struct Ends {
    events: mpsc::UnboundedReceiver<Option<Sealed<RunEvent>>>,
    reports: mpsc::Sender<Sealed<RunEvent>>,
}

impl Outbox {
    /// An outbox for what `reports` take.
    pub(super) fn new(reports: mpsc::Sender<Sealed<RunEvent>>) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let ends = Mutex::new(Some(Ends { events, reports }));
        Self { events: sender, ends, room: Arc::new(Semaphore::new(OUTCOMES)) }
    }

    /// Takes an event.
    pub(super) fn put(&self, event: Sealed<RunEvent>) {
        let _is_over = self.events.send(Some(event));
    }

    /// Waits until there is room for an outcome, and reserves it.
    pub(super) async fn room(&self) {
        if let Ok(room) = self.room.acquire().await {
            room.forget();
        }
    }

    /// Begins to hand events on, until [`Self::end`].
    pub(super) fn forward(&self) -> JoinHandle<()> {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner).take();
        let room = Arc::clone(&self.room);
        tokio::spawn(async move {
            let Some(Ends { mut events, reports }) = ends else { return };
            while let Some(Some(event)) = events.recv().await {
                let is_outcome = matches!(&*event, RunEvent::CaseFinished(_));
                // A closed channel stops nothing: the verdict is needed, reports are not.
                let _is_closed = reports.send(event).await;
                if is_outcome {
                    room.add_permits(1);
                }
            }
        })
    }

    /// Nothing more comes.
    pub(super) fn end(&self) {
        let _is_over = self.events.send(None);
    }
}
