//! A small agent that speaks AG-UI on this machine: it answers every POST with the same run, a tool call and a text.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// An agent that serves until this program ends. Each connection has a thread: a thread that sleeps wakes up within a
/// fraction of a millisecond, the timers of an executor up to two milliseconds late.
pub(crate) struct Agent {
    address: SocketAddr,
    served: Arc<Mutex<Served>>,
}

/// What an agent has done since it was last asked.
#[derive(Default)]
pub(crate) struct Served {
    /// How many connections were made.
    pub(crate) connections: usize,
    /// How much later each response was sent than its delay.
    pub(crate) late: Vec<Duration>,
}

impl Agent {
    /// Serves on a free port, without a delay.
    pub(crate) fn serve() -> Self {
        Self::thinking_for(Duration::ZERO)
    }

    /// Serves on a free port; every response is sent after this delay.
    pub(crate) fn thinking_for(latency: Duration) -> Self {
        Self::answering(latency, 2)
    }

    /// Serves on a free port, without a delay; every response has so many events, at least ten.
    pub(crate) fn telling(events: usize) -> Self {
        Self::answering(Duration::ZERO, events - 9)
    }

    /// Serves on a free port; every response is sent after this delay, and its text comes in so many events.
    pub(crate) fn answering(latency: Duration, pieces: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let served = Arc::new(Mutex::new(Served::default()));
        let agent = Self {
            address,
            served: Arc::clone(&served),
        };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                lock(&served).connections += 1;
                // A client that disconnects ends only its connection.
                thread::spawn(move || answer(stream, latency, pieces, &served).ok());
            }
        });
        agent
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it did since it started, or since this was called last.
    pub(crate) fn served(&self) -> Served {
        std::mem::take(&mut *lock(&self.served))
    }
}

fn lock(served: &Mutex<Served>) -> MutexGuard<'_, Served> {
    served.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection, one after the other.
fn answer(
    mut stream: TcpStream,
    latency: Duration,
    pieces: usize,
    served: &Mutex<Served>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    let mut piece = [0; 8192];
    loop {
        let body = loop {
            if let Some((head, length)) = request(&received)
                && received.len() >= head + length
            {
                let body = received[head..head + length].to_vec();
                received.drain(..head + length);
                break body;
            }
            match stream.read(&mut piece)? {
                0 => return Ok(()),
                read => received.extend_from_slice(&piece[..read]),
            }
        };
        let arrived = Instant::now();
        let answer = run(&serde_json::from_slice(&body)?, pieces);
        thread::sleep(latency.saturating_sub(arrived.elapsed()));
        lock(served)
            .late
            .push(arrived.elapsed().saturating_sub(latency));
        stream.write_all(&answer)?;
    }
}

/// Where the body of a request begins and how long it is, once its head is complete.
fn request(received: &[u8]) -> Option<(usize, usize)> {
    let end = received
        .windows(4)
        .position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    Some((
        end + 4,
        length
            .and_then(|length| length.trim().parse().ok())
            .unwrap_or(0),
    ))
}

/// The canned run, each event in a chunk of its own, as servers send them.
fn run(input: &Value, pieces: usize) -> Vec<u8> {
    let (thread, run) = (&input["threadId"], &input["runId"]);
    // Ids of agents have no quotes, which would be escaped in each event.
    let number = run.as_str().unwrap_or_default();
    let call = format!("call-{number}");
    let message = format!("message-{number}");
    let words = |piece: usize| {
        if piece == 0 {
            "Your order O-7 is on its way."
        } else {
            " It comes soon."
        }
    };
    let said = (0..pieces)
        .map(|piece| json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": words(piece) }));
    let events = [
        json!({ "type": "RUN_STARTED", "threadId": thread, "runId": run }),
        json!({ "type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "find_order" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "{\"receipt\":" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "\"R-1001\"}" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": call }),
        json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("result-{number}"), "toolCallId": call,
            "content": "{\"order\":\"O-7\",\"amount\":89.5}", "role": "tool" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant" }),
    ];
    let end = [
        json!({ "type": "TEXT_MESSAGE_END", "messageId": message }),
        json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": run }),
    ];
    let mut answer =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_vec();
    for event in events.into_iter().chain(said).chain(end) {
        let frame = format!("data: {event}\n\n");
        answer.extend_from_slice(format!("{:x}\r\n{frame}\r\n", frame.len()).as_bytes());
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    answer
}
