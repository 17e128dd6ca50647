//! The other side: what it is sent, and what it is asked.
//!
//! **Invariant:** what waits to be written is bounded; an answer that comes too late changes nothing.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, oneshot};

use super::incoming::CallbackAnswer;
use super::rpc_error::RpcError;
use ananke::text::duration;

/// How much may wait to be written, in units of [`UNIT`] bytes.
const WAITING: u32 = 64 << 10;

/// The unit in which waiting lines are counted, in bytes.
const UNIT: usize = 1 << 10;

/// A line that waits to be written, with the room that it takes.
struct WaitingLine {
    text: String,
    units: u32,
}

/// The other side. Clones are the same one.
#[derive(Clone)]
pub(super) struct Client(Arc<ClientState>);

struct ClientState {
    lines: UnboundedSender<WaitingLine>,
    room: Arc<Semaphore>,
    asked: Mutex<HashMap<u64, oneshot::Sender<CallbackAnswer>>>,
    next_id: AtomicU64,
}

/// Why the client has given no answer that counts.
#[derive(Debug)]
pub(super) enum CallbackError {
    /// It says why.
    Failed(String),
    /// Time ran out.
    Late(String),
}

impl CallbackError {
    /// Why, in words.
    pub(super) fn into_message(self) -> String {
        match self {
            Self::Failed(message) | Self::Late(message) => message,
        }
    }
}

/// A question that is given up when this is dropped before its answer.
struct Asked<'a> {
    client: &'a Client,
    id: u64,
}

impl Client {
    /// The other side, which reads `out`.
    ///
    /// # Errors
    /// If the system has no further threads.
    pub(super) fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = unbounded_channel();
        let room = Arc::new(Semaphore::new(WAITING as usize));
        let free = Arc::clone(&room);
        thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || write(out, waiting, &free))?;
        Ok(Self(Arc::new(ClientState {
            lines,
            room,
            asked: Mutex::default(),
            next_id: AtomicU64::new(1),
        })))
    }

    /// Sends an answer.
    pub(super) async fn answer(&self, id: &Value, result: Result<Value, RpcError>) {
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
        limit: Option<Duration>,
    ) -> Result<Value, CallbackError> {
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        self.asked().insert(id, answer);
        let _until_answered = Asked { client: self, id };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        let answer = match limit {
            None => answered.await,
            Some(limit) => tokio::time::timeout(limit, answered)
                .await
                .map_err(|_| {
                    let limit = duration::chosen(limit);
                    CallbackError::Late(format!("no answer to `{method}` within {limit}"))
                })?,
        };
        match answer {
            Ok(answer) => answer.map_err(CallbackError::Failed),
            Err(_) => Err(CallbackError::Failed("the client is gone".to_owned())),
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
        let units = u32::try_from(text.len() / UNIT + 1).unwrap_or(WAITING).min(WAITING);
        // It is never closed.
        if let Ok(room) = self.0.room.acquire_many(units).await {
            room.forget();
        }
        self.push(WaitingLine { text, units });
    }

    fn push(&self, line: WaitingLine) {
        // A writer that is gone has no reader any more.
        let _is_gone = self.0.lines.send(line);
    }
}

impl Drop for Asked<'_> {
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

/// Writes what waits, until nothing more comes or the reader is gone.
fn write(mut out: impl Write, mut waiting: UnboundedReceiver<WaitingLine>, free: &Semaphore) {
    let mut is_read = true;
    while let Some(WaitingLine { mut text, units }) = waiting.blocking_recv() {
        text.push('\n');
        // A reader that is gone has ended its input too, which ends the program.
        is_read = is_read && out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok();
        free.add_permits(units as usize);
    }
}
