//! A server made of bytes on a real socket that says for each request what is sent. Its connections do not wait for each other.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::raw_agent::{Captured, Step, play, request};

/// A running server.
pub(crate) struct AnsweringServer {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Captured>>>,
    _serves: AbortOnDropHandle<()>,
}

impl AnsweringServer {
    /// A server that does what `answer` says after it has received a request.
    pub(crate) async fn start(
        answer: impl Fn(&Captured) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (received, answer) = (Arc::clone(&requests), Arc::new(answer));
        let serves = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (received, answer) = (Arc::clone(&received), Arc::clone(&answer));
                connections.spawn(async move {
                    let captured = request(&mut stream).await;
                    received
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(captured.clone());
                    play(stream, answer(&captured), &mut Vec::new()).await;
                });
            }
        });
        Self {
            address,
            requests,
            _serves: AbortOnDropHandle::new(serves),
        }
    }

    /// The requests so far, in the order in which they came.
    pub(crate) fn requests(&self) -> Vec<Captured> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
