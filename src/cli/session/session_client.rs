//! The other side: what it is sent, and what it is asked.
//!
//! **Invariant:** what waits to be written is bounded; an answer that comes too late changes nothing.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ananke::text::duration;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

use super::client_line::CallbackAnswer;
use super::session_error::SessionError;

/// The amount that may wait to be written, in units of [`UNIT`] bytes.
const WAITING: u32 = 64 << 10;

/// The unit in which waiting lines are counted, in bytes.
const UNIT: usize = 1 << 10;

/// A line that waits to be written, with the room that it takes.
struct WaitingLine {
    text: String,
    units: u32,
}

/// The number of lines that may wait that take no room: a client that sends this many wrong lines and reads no answer is
/// given up.
const MOST_WAITING: usize = 100_000;

/// The state of the thread that writes.
#[derive(Clone, Default)]
struct ClientOutput {
    /// The number of lines that wait.
    waiting: Arc<AtomicUsize>,
    /// Wakes what waits until all lines are written.
    written: Arc<Notify>,
    /// Is cancelled when the reader is gone.
    closed: CancellationToken,
    /// Is cancelled when the reader takes nothing, and too much waits.
    flooded: CancellationToken,
}

/// The other side. Clones are the same one.
#[derive(Clone)]
pub(super) struct SessionClient(Arc<ClientState>);

struct ClientState {
    lines: UnboundedSender<WaitingLine>,
    room: Arc<Semaphore>,
    output: ClientOutput,
    asked: Mutex<HashMap<u64, oneshot::Sender<CallbackAnswer>>>,
    next_id: AtomicU64,
}

/// A question that is given up when this is dropped before its answer.
struct OpenQuestion<'a> {
    client: &'a SessionClient,
    id: u64,
}

impl SessionClient {
    /// The other side, which reads `out`.
    ///
    /// # Errors
    /// If the system has no further threads.
    pub(super) fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = unbounded_channel();
        let room = Arc::new(Semaphore::new(WAITING as usize));
        let output = ClientOutput::default();
        let (free, state) = (Arc::clone(&room), output.clone());
        thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || write(out, waiting, &free, &state))?;
        Ok(Self(Arc::new(ClientState {
            lines,
            room,
            output,
            asked: Mutex::default(),
            next_id: AtomicU64::new(1),
        })))
    }

    /// Returns when the reader is gone.
    pub(super) async fn gone(&self) {
        self.0.output.closed.cancelled().await;
    }

    /// Returns when the reader takes nothing, and too much waits.
    pub(super) async fn flooded(&self) {
        self.0.output.flooded.cancelled().await;
    }

    /// Returns when everything is written.
    pub(super) async fn written(&self) {
        loop {
            let written = self.0.output.written.notified();
            if self.0.output.waiting.load(Ordering::SeqCst) == 0 {
                return;
            }
            written.await;
        }
    }

    /// Sends the answer to a line that is no request, without waiting for room.
    pub(super) fn refuse(&self, id: &Value, error: &SessionError) {
        let line = json!({ "jsonrpc": "2.0", "id": id, "error": error.to_json() });
        self.push(WaitingLine {
            text: line.to_string(),
            units: 0,
        });
    }

    /// Sends an answer.
    pub(super) async fn answer(&self, id: &Value, result: Result<Value, SessionError>) {
        let line = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error.to_json() }),
        };
        self.send(&line).await;
    }

    /// Sends a notification.
    pub(super) async fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Asks the client, and waits for its answer.
    ///
    /// # Errors
    /// If it answers with an error, or not within `limit`.
    pub(super) async fn ask(
        &self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, String> {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.asked().insert(id, answer);
        let _until_answered = OpenQuestion { client: self, id };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        match tokio::time::timeout(limit, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the client is gone".to_owned()),
            Err(_) => {
                let limit = duration::chosen(limit);
                Err(format!("no answer to `{method}` within {limit}"))
            }
        }
    }

    /// Takes the answer to a question; one that nothing waits for is ignored.
    pub(super) fn take(&self, id: u64, answer: CallbackAnswer) {
        if let Some(waiting) = self.asked().remove(&id) {
            let _is_given_up = waiting.send(answer);
        }
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<CallbackAnswer>>> {
        self.0.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a line, once there is room.
    async fn send(&self, message: &Value) {
        let text = message.to_string();
        let units = u32::try_from(text.len() / UNIT + 1)
            .unwrap_or(WAITING)
            .min(WAITING);
        // It is never closed.
        if let Ok(room) = self.0.room.acquire_many(units).await {
            room.forget();
        }
        self.push(WaitingLine { text, units });
    }

    fn push(&self, line: WaitingLine) {
        let waiting = self.0.output.waiting.fetch_add(1, Ordering::SeqCst);
        if waiting > MOST_WAITING {
            self.0.output.flooded.cancel();
        }
        // The writer goes on as long as there is a client.
        let _is_gone = self.0.lines.send(line);
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        if self.client.asked().remove(&self.id).is_some() {
            let message = json!({
                "jsonrpc": "2.0", "method": "request/cancelled", "params": { "id": self.id },
            });
            // It cannot wait for room, and needs little.
            self.client.push(WaitingLine {
                text: message.to_string(),
                units: 0,
            });
        }
    }
}

/// Writes what waits, until nothing more comes.
fn write(
    mut out: impl Write,
    mut waiting: UnboundedReceiver<WaitingLine>,
    free: &Semaphore,
    state: &ClientOutput,
) {
    while let Some(WaitingLine { mut text, units }) = waiting.blocking_recv() {
        text.push('\n');
        let is_closed = state.closed.is_cancelled();
        // Lines that follow at once are written together.
        let is_last = waiting.is_empty();
        let write = |out: &mut dyn Write| {
            out.write_all(text.as_bytes())?;
            if is_last { out.flush() } else { Ok(()) }
        };
        if !is_closed && write(&mut out).is_err() {
            state.closed.cancel();
        }
        free.add_permits(units as usize);
        if state.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            state.written.notify_waiters();
        }
    }
}
