//! A small agent that speaks AG-UI on this machine: it answers every POST with the same run, a tool call and a text.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// An agent that serves until it is dropped.
pub(crate) struct Agent {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Agent {
    /// Serves on a free port, at once.
    pub(crate) fn serve() -> Self {
        Self::thinking_for(Duration::ZERO)
    }

    /// Serves on a free port; every answer comes after this time.
    pub(crate) fn thinking_for(latency: Duration) -> Self {
        let builder = &mut tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build().expect("a runtime starts");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                // A client that goes away ends its connection, nothing else.
                tokio::spawn(async move { answer(stream, latency).await.ok() });
            }
        });
        Self { address, connections, _runtime: runtime }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections were made since it began, or since this was asked for the last time.
    pub(crate) fn connections(&self) -> usize {
        self.connections.swap(0, Ordering::Relaxed)
    }
}

/// Answers request after request of one connection.
async fn answer(mut stream: TcpStream, latency: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    loop {
        let body = loop {
            if let Some((head, length)) = request(&received)
                && received.len() >= head + length
            {
                let body = received[head..head + length].to_vec();
                received.drain(..head + length);
                break body;
            }
            if stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
        };
        let input: Value = serde_json::from_slice(&body)?;
        // Even no time at all is a millisecond to the timer.
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        stream.write_all(&run(&input)).await?;
    }
}

/// Where the body of a request begins and how long it is, once its head is complete.
fn request(received: &[u8]) -> Option<(usize, usize)> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&received[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    Some((end + 4, length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)))
}

/// The canned run, each event in a chunk of its own, as servers send them.
fn run(input: &Value) -> Vec<u8> {
    let (thread, run) = (&input["threadId"], &input["runId"]);
    let (call, message) = (format!("call-{run}"), format!("message-{run}"));
    let events = [
        json!({ "type": "RUN_STARTED", "threadId": thread, "runId": run }),
        json!({ "type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "find_order" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "{\"receipt\":" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": "\"R-1001\"}" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": call }),
        json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("result-{run}"), "toolCallId": call,
            "content": "{\"order\":\"O-7\",\"amount\":89.5}", "role": "tool" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant" }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": "Your order O-7 " }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": "is on its way." }),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": message }),
        json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": run }),
    ];
    let mut answer =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for event in events {
        let frame = format!("data: {event}\n\n");
        answer.extend_from_slice(format!("{:x}\r\n{frame}\r\n", frame.len()).as_bytes());
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    answer
}
