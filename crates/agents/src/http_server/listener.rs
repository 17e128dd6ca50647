//! Listens on a port, and hands each request on.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use super::received::ReceivedRequest;
use super::response::SentResponse;

/// Says what is done with each request.
pub trait RequestHandler: Send + Sync + 'static {
    /// The response to a request; `None` closes the connection without one.
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>>;
}

/// A port that is listened on.
#[derive(Debug)]
pub struct HttpListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl HttpListener {
    /// Listens on `port` of `host`; 0 lets the system choose the port.
    ///
    /// # Errors
    /// If the port is taken or may not be used.
    pub async fn bind(host: IpAddr, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((host, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it is reached.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves every connection, each at its own pace, until the future is dropped.
    ///
    /// # Errors
    /// If the system gives no more connections.
    pub async fn serve(self, handler: Arc<dyn RequestHandler>) -> io::Result<()> {
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            let (stream, _) = match accepted {
                Ok(accepted) => accepted,
                // The client was gone before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            // A frame is sent when it is made.
            stream.set_nodelay(true).ok();
            let handler = Arc::clone(&handler);
            connections.spawn(async move {
                let service = service_fn(|request| {
                    let response = handler.handle(ReceivedRequest::of(request));
                    async {
                        let closed = || io::Error::from(io::ErrorKind::ConnectionAborted);
                        response
                            .await
                            .map(SentResponse::into_hyper)
                            .ok_or_else(closed)
                    }
                });
                let mut server = http1::Builder::new();
                server.timer(TokioTimer::new());
                // How a connection ends is of interest to its client alone.
                let _ended = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }
}
