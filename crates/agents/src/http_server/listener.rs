//! Listens on a port, and hands each request on.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use super::{Access, ReceivedRequest, SentResponse};

/// Says what is done with each request.
pub trait RequestHandler: Send + Sync + 'static {
    /// The response to a request; `None` closes the connection without one.
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>>;
}

/// Gets a line about what a server does by itself: whom it refuses, and what it lacks. It must not block.
pub type ServerNotice = Arc<dyn Fn(&str) + Send + Sync>;

/// The pause of a server to which the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(200);

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

    /// The address at which it is reached.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts connections until the future is dropped, and has `handler` answer their requests, each connection in a task of its
    /// own. If the address can be reached from this machine alone, `access` decides which requests are answered.
    pub async fn serve(
        self,
        handler: Arc<dyn RequestHandler>,
        access: Access,
        notice: ServerNotice,
    ) {
        let mut connections = tokio::task::JoinSet::new();
        // A server for other machines is meant to be reached under any name.
        let access = if self.address.ip().is_loopback() {
            Some(Arc::new(access))
        } else {
            None
        };
        let mut is_shortage_reported = false;
        loop {
            // Tasks of connections that have ended are removed from the set, which would grow for ever otherwise.
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            let (stream, _) = match accepted {
                Ok(accepted) => accepted,
                // The client was gone before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                // The system has no files left for another connection. That passes once some are closed, so the server waits for
                // it.
                Err(error) => {
                    if !is_shortage_reported {
                        is_shortage_reported = true;
                        notice(&format!(
                            "warning: the system gives no more connections ({error}): waiting until some are closed"
                        ));
                    }
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // The system must not hold small events back to send them together, since clients measure when each of them comes. A
            // connection for which that fails is served nevertheless.
            stream.set_nodelay(true).ok();
            let handler = Arc::clone(&handler);
            let access = access.clone();
            let notice = Arc::clone(&notice);
            connections.spawn(async move {
                let service = service_fn(|request| {
                    let request = ReceivedRequest::of(request);
                    let response = response_to(request, &*handler, access.as_deref(), &notice);
                    async {
                        match response.await {
                            Some(response) => Ok(response.into_hyper()),
                            // A handler without a response closes the connection, which the library does at an error.
                            None => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
                        }
                    }
                });
                // With a timer, the library ends connections whose request head does not come.
                let mut server = http1::Builder::new();
                server.timer(TokioTimer::new());
                // An error of one connection is of interest to its client alone.
                let _ended = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    }
}

/// The response of `handler`, or a refusal if `access` does not allow the request.
fn response_to<'h>(
    request: ReceivedRequest,
    handler: &'h dyn RequestHandler,
    access: Option<&Access>,
    notice: &ServerNotice,
) -> BoxFuture<'h, Option<SentResponse>> {
    let refusal = match access {
        Some(access) => access.refusal(&request),
        // The server is meant for other machines, so every request is answered.
        None => None,
    };
    let Some(refusal) = refusal else {
        return handler.handle(request);
    };
    // The reason is printed, and is also the text of the response: the author of the refused page may not see what is printed
    // here.
    notice(&format!("refused: {}", refusal.why));
    let text = refusal.why + "\n";
    let response = SentResponse::whole(refusal.status, "text/plain; charset=utf-8", text);
    Box::pin(std::future::ready(Some(response)))
}
