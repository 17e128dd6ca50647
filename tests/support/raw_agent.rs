//! An agent made of bytes on a real socket: it reads requests and sends what a script contains.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// One thing a scripted agent does on a connection.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Reads a whole request.
    Expect,
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits until the test allows it to continue.
    Await(Arc<Notify>),
    /// Tells the test that this step is reached.
    ChangeListener(Arc<Notify>),
    /// Closes its side for writing, and reads until the client closes.
    HalfClose,
    /// Breaks the connection.
    Reset,
    /// Keeps the connection until the client closes it.
    Hold,
}

/// A request as it was received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    /// The head, in lowercase except for the values.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// A running agent; each of its connections follows one script, in order.
pub(crate) struct RawAgent {
    pub(crate) address: SocketAddr,
    requests: JoinHandle<Vec<Captured>>,
}

impl RawAgent {
    pub(crate) async fn start(connections: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = tokio::spawn(async move {
            let mut requests = Vec::new();
            for script in connections {
                let (stream, _) = listener.accept().await.expect("a connection");
                play(stream, script, &mut requests).await;
            }
            requests
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/agent", self.address)
    }

    /// The requests, once every script has ended.
    pub(crate) async fn requests(self) -> Vec<Captured> {
        tokio::time::timeout(Duration::from_secs(10), self.requests)
            .await
            .expect("every script is played to its end")
            .expect("no script fails")
    }
}

/// Follows a script on one connection.
pub(crate) async fn play(mut stream: TcpStream, script: Vec<Step>, requests: &mut Vec<Captured>) {
    for step in script {
        match step {
            Step::Expect => requests.push(request(&mut stream).await),
            // The client may be gone already, which the test has to check.
            Step::Send(bytes) => {
                let _client_may_be_gone = stream.write_all(&bytes).await;
            }
            Step::Await(signal) => signal.notified().await,
            Step::ChangeListener(signal) => signal.notify_one(),
            Step::HalfClose => {
                let _client_may_be_gone = stream.shutdown().await;
                until_closed(&mut stream).await;
            }
            Step::Reset => stream
                .set_zero_linger()
                .expect("a socket that can be reset"),
            Step::Hold => until_closed(&mut stream).await,
        }
    }
}

async fn until_closed(stream: &mut TcpStream) {
    let mut bytes = [0; 1024];
    while matches!(stream.read(&mut bytes).await, Ok(1..)) {}
}

/// Reads a whole request.
pub(crate) async fn request(stream: &mut TcpStream) -> Captured {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        assert_ne!(
            stream.read_buf(&mut bytes).await.expect("a request"),
            0,
            "the request ends in its head"
        );
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).expect("a head in ASCII");
    let length = head.lines().find_map(|line| {
        line.to_ascii_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    let length: usize = length.unwrap_or_else(|| {
        assert!(!head.starts_with("POST "), "a length");
        0
    });
    while bytes.len() < head_end + length {
        assert_ne!(
            stream.read_buf(&mut bytes).await.expect("a body"),
            0,
            "the request ends in its body"
        );
    }
    Captured {
        head,
        body: bytes[head_end..].to_vec(),
    }
}
