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

    /// Serves every connection, each at its own pace, until the future is dropped. On an address of this machine alone, `access`
    /// says who is answered. If the system gives no more connections, it waits until it does.
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
        let mut was_short = false;
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            let (stream, _) = match accepted {
                Ok(accepted) => accepted,
                // The client was gone before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => {
                    if !std::mem::replace(&mut was_short, true) {
                        notice(&format!(
                            "warning: the system gives no more connections ({error}): waiting until some are closed"
                        ));
                    }
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // A frame is sent when it is made, since clients measure when events come.
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
                            None => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
                        }
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

/// The response of `handler`, or a refusal if `access` does not allow the request.
fn response_to<'h>(
    request: ReceivedRequest,
    handler: &'h dyn RequestHandler,
    access: Option<&Access>,
    notice: &ServerNotice,
) -> BoxFuture<'h, Option<SentResponse>> {
    let refused = match access {
        Some(access) => access.refusal(&request),
        None => None,
    };
    let Some(refused) = refused else {
        return handler.handle(request);
    };
    // The page that asked sees the reason too, since its author may not see what this server prints.
    notice(&format!("refused: {}", refused.why));
    let text = refused.why + "\n";
    let response = SentResponse::whole(refused.status, "text/plain; charset=utf-8", text);
    Box::pin(std::future::ready(Some(response)))
}
