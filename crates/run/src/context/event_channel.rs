//! Events on their way from a run to its reports: however slowly reports take them, no test waits for that.
//!
//! The first event after a pause is taken at once, those that follow it within [`COLLECTED`] together: to wake a thread for each
//! event of a short test costs more than to report it. So an event contains its moment if that matters.
//!
//! **Invariant:** the order is kept; only a bounded number of outcomes wait here, all others in the spool.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use tokio::sync::{Semaphore, TryAcquireError, mpsc};

use ananke_trace::outcome::RunEvent;
use ananke_trace::redact::Sealed;

/// The longest time for which an event waits for others that are taken with it.
const COLLECTED: Duration = Duration::from_millis(2);

/// A channel for the events of one run, in which at most `outcomes` outcomes wait.
pub fn event_channel(outcomes: usize) -> (EventSender, EventReceiver) {
    // Events wait without a limit; only outcomes, which are large, need room. An outcome without room waits in the
    // spool, which keeps most of them in a file.
    let (sender, receiver) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(outcomes.clamp(1, Semaphore::MAX_PERMITS)));
    // A signal to hurry wakes the receiver while it waits for more events. One waiting signal does that as well as many.
    let (hurry, hurried) = sync_channel(1);
    let sender = EventSender {
        events: sender,
        room: Arc::clone(&room),
        hurry,
    };
    let receiver = EventReceiver {
        events: receiver,
        room,
        hurried,
        // The first event is reported at once: nothing was taken that others may follow.
        has_taken: false,
    };
    (sender, receiver)
}

/// The channel to which a run sends its events; `None` is the end.
pub struct EventSender {
    events: mpsc::UnboundedSender<Option<Sealed<RunEvent>>>,
    /// Room for outcomes.
    room: Arc<Semaphore>,
    /// Ends the wait for more events.
    hurry: SyncSender<()>,
}

impl EventSender {
    /// Sends an event. A receiver that is gone stops nothing: the verdict is needed, reports are not.
    pub(super) fn send(&self, event: Sealed<RunEvent>) {
        let _is_gone = self.events.send(Some(event));
    }

    /// Waits until there is room for an outcome, and reserves it.
    pub(crate) async fn room(&self) {
        self.hurry();
        if let Ok(room) = self.room.acquire().await {
            room.forget();
        }
    }

    /// Reserves room for an outcome, if there is room now.
    pub(crate) fn reserve_room(&self) -> bool {
        match self.room.try_acquire() {
            Ok(room) => {
                room.forget();
                true
            }
            Err(TryAcquireError::NoPermits) => false,
            // A receiver that is gone needs no room.
            Err(TryAcquireError::Closed) => true,
        }
    }

    /// Sends the end, because a thread that was left behind may still hold the sender.
    pub(crate) fn end(&self) {
        let _is_gone = self.events.send(None);
        self.hurry();
    }

    /// Wakes a receiver that collects events: something waits for it.
    fn hurry(&self) {
        // A receiver that is hurried already needs no more.
        let _is_hurried = self.hurry.try_send(());
    }
}

/// The channel from which the events of a run are received.
pub struct EventReceiver {
    events: mpsc::UnboundedReceiver<Option<Sealed<RunEvent>>>,
    room: Arc<Semaphore>,
    hurried: Receiver<()>,
    /// An event was taken before.
    has_taken: bool,
}

/// The events until the run is over, for a thread that does nothing else: it is blocked until the next one comes, and is not
/// woken for each of many that come in quick succession.
///
/// # Panics
/// If the thread runs asynchronous tasks.
impl Iterator for EventReceiver {
    type Item = Sealed<RunEvent>;

    /// The next event; `None` once the run is over. Blocks the thread until then.
    fn next(&mut self) -> Option<Sealed<RunEvent>> {
        let mut received = self.events.try_recv();
        // More events often follow one within moments. To be woken for each costs more than to report it, so this thread sleeps
        // for a short time and lets them collect; a sender that waits for this thread ends the sleep.
        if received.is_err() && self.has_taken {
            let _is_hurried = self.hurried.recv_timeout(COLLECTED);
            received = self.events.try_recv();
        }
        // Without an event even then, the thread sleeps until the next one.
        let received = match received {
            Ok(received) => Some(received),
            Err(_) => self.events.blocking_recv(),
        };
        self.has_taken = true;
        // The run is over if a sender sent `None`, or if no sender is left, for which `received` is `None`. For an outcome,
        // `accept` makes room for another one.
        self.accept(received.flatten())
    }
}

impl EventReceiver {
    /// The next event; `None` once the run is over.
    pub async fn recv(&mut self) -> Option<Sealed<RunEvent>> {
        let event = self.events.recv().await;
        self.accept(event.flatten())
    }

    /// Makes room for another outcome if the event has one.
    fn accept(&mut self, event: Option<Sealed<RunEvent>>) -> Option<Sealed<RunEvent>> {
        let Some(event) = event else {
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
