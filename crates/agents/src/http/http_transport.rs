//! The transport of the network: one request, its response as stamped chunks.
//!
//! The thread of the network sends, reads and stamps, whatever else goes on. When a response is dropped, its connection
//! ends. Redirects are not followed.
//!
//! Each request has a connection of its own. A server may close a connection that it kept at any moment, and a request
//! that is just being sent over it then fails without a sign of whether it was processed. Nothing is sent twice, except
//! what HTTP/2 says was not processed: a stream that was refused, or that a graceful `GOAWAY` leaves out (RFC 9113, 8.7).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION,
};
use reqwest::{Client, Response, Url};
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::cause::{Cause, not_answered};
use super::chunks::{ChunkSender, Chunks};
use super::client_kind::ClientKind;
use super::content_encoding::decoded;
use super::http_options::TlsOptions;
use super::io_thread::IoThread;
use super::transport::{ClientEvent, HttpRequest, Method, Next, Reply, ResponseHead, Transport};
use crate::error::{Received, TargetError};
use ananke_base::context::{At, Clock};
use ananke_trace::process::OUT_OF_FILES_HELP;

/// Carries requests over HTTP and HTTPS.
pub struct HttpTransport {
    clock: Arc<dyn Clock>,
    /// Started when first needed.
    thread: OnceLock<Result<Arc<IoThread>, Cause>>,
    /// Made when first needed, since the roots of TLS cost milliseconds to load.
    clients: Mutex<HashMap<(ClientKind, TlsOptions), Result<Client, String>>>,
}

/// The pause before a connection is retried; twice as long before the next attempt, and so on.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(100);

/// An exchange on the thread of the network, up to the head of the response.
type RunningExchange = AbortOnDropHandle<Result<Option<Reply>, TargetError>>;

impl HttpTransport {
    /// A transport whose stamps come from `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            thread: OnceLock::new(),
            clients: Mutex::default(),
        }
    }

    fn client(&self, url: &Url, tls: &TlsOptions) -> Result<Client, TargetError> {
        let kind = ClientKind::of(url);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let client = clients
            .entry((kind, tls.clone()))
            .or_insert_with(|| kind.build(tls));
        client.clone().map_err(|cause| not_set_up(&cause))
    }

    fn thread(&self) -> Result<&Arc<IoThread>, TargetError> {
        let start = || {
            IoThread::start()
                .map(Arc::new)
                .map_err(|error| Cause::of_io(&error))
        };
        self.thread.get_or_init(start).as_ref().map_err(|cause| {
            let error = not_set_up(&cause.to_string());
            match cause {
                Cause::OutOfFiles => error.with_help(OUT_OF_FILES_HELP),
                _ => error,
            }
        })
    }

    /// Begins a request on the thread of the network.
    fn begin(&self, request: HttpRequest, until: At) -> Result<RunningExchange, TargetError> {
        let thread = self.thread()?;
        let headers = header_map(&request.headers)?;
        let client = self.client(&request.url, &request.options.tls)?;
        let (clock, keeps_running) = (Arc::clone(&self.clock), Arc::clone(thread));
        Ok(thread.begin(async move {
            let left = until.since(clock.now());
            let (progress, proxy) = (
                request.progress.clone(),
                ClientKind::of(&request.url).proxy(&request.url),
            );
            let exchange = exchange(
                client,
                request,
                headers,
                clock,
                keeps_running,
                proxy.clone(),
            );
            match timeout(left, progress.of(proxy, exchange)).await {
                Ok(answered) => answered.map(Some),
                Err(_elapsed) => Ok(None),
            }
        }))
    }
}

impl Transport for HttpTransport {
    fn moment(&self, event: ClientEvent) -> At {
        match event {
            ClientEvent::Closes(Some(at)) => at,
            ClientEvent::Sends | ClientEvent::Closes(None) => self.clock.now(),
        }
    }

    fn send(
        &self,
        request: HttpRequest,
        until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        let begun = self.begin(request, until);
        Box::pin(async move {
            begun?.await.unwrap_or_else(|failed| {
                Err(TargetError::new(format!("the request failed: {failed}")))
            })
        })
    }
}

fn not_set_up(cause: &str) -> TargetError {
    TargetError::new(format!("could not set up HTTP: {cause}"))
}

/// Sends a request, and returns the head of its response; a task of its own reads the body.
async fn exchange(
    client: Client,
    request: HttpRequest,
    headers: HeaderMap,
    clock: Arc<dyn Clock>,
    thread: Arc<IoThread>,
    proxy: Option<String>,
) -> Result<Reply, TargetError> {
    let place = match proxy {
        Some(proxy) => format!("{} through the proxy {proxy}", shown(&request.url)),
        None => shown(&request.url),
    };
    let method = match request.method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Delete => reqwest::Method::DELETE,
    };
    let mut attempt = 1;
    let response = loop {
        let sent = client
            .request(method.clone(), request.url.clone())
            .headers(headers.clone());
        match sent.body(request.body.clone()).send().await {
            Ok(response) => break response,
            // Nothing was sent: there was no connection.
            Err(failure) if failure.is_connect() && attempt <= request.options.connect_retries => {
                sleep(BETWEEN_ATTEMPTS * attempt.min(10)).await;
                attempt += 1;
            }
            Err(failure) => return Err(not_answered(&failure, &place, attempt)),
        }
    };
    let at = clock.now();
    let all = response.headers().iter();
    request
        .progress
        .received(all.map(|(name, value)| (name.as_str().to_owned(), readable(value))));
    let head = head(&response, request.response_headers);
    let encodings = response.headers().get_all(CONTENT_ENCODING).into_iter();
    let encoding = encodings.map(readable).collect::<Vec<_>>().join(", ");
    let (sender, body) = Chunks::channel(Arc::clone(&clock));
    let body = decoded(&encoding, Box::new(body))?;
    tokio::spawn(read(response, clock, sender, thread));
    Ok(Reply { at, head, body })
}

/// `url` without what may be secret: user, password, query and fragment.
pub fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for URLs that cannot have credentials.
    let _no_user = url.set_username("");
    let _no_password = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// A header's value may be secret: only its name is shown.
fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, TargetError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let name = HeaderName::try_from(name).map_err(|_| {
            TargetError::new(format!(
                "`{}` is not a name for an HTTP header",
                name.escape_debug()
            ))
        })?;
        let mut value = HeaderValue::try_from(value).map_err(|_| {
            TargetError::new(format!(
                "the value of the header `{name}` cannot be sent: it holds control characters"
            ))
        })?;
        value.set_sensitive(true);
        map.append(name, value);
    }
    Ok(map)
}

/// The head of a response, with those of its headers that are `wanted`.
fn head(response: &Response, wanted: &[&str]) -> ResponseHead {
    let header = |name| {
        response
            .headers()
            .get(name)
            .map(|value: &HeaderValue| readable(value))
    };
    let named = |name: &&str| {
        let values = response.headers().get_all(*name).into_iter();
        values
            .map(|value| ((*name).to_owned(), readable(value)))
            .collect::<Vec<_>>()
    };
    ResponseHead {
        status: response.status().as_u16(),
        content_type: header(CONTENT_TYPE).unwrap_or_default(),
        location: header(LOCATION).map(|location| match response.url().join(&location) {
            Ok(place) => shown(&place),
            Err(_) => location,
        }),
        headers: wanted.iter().flat_map(named).collect(),
    }
}

fn readable(value: &HeaderValue) -> String {
    Received::quote(value.as_bytes())
}

/// Reads the body to its end, or until it is dropped. The thread runs as long.
async fn read(
    mut response: Response,
    clock: Arc<dyn Clock>,
    chunks: ChunkSender,
    _thread: Arc<IoThread>,
) {
    loop {
        let read = tokio::select! {
            biased;
            () = chunks.closed() => return,
            read = response.chunk() => read,
        };
        let at = clock.now();
        let next = match read {
            Ok(Some(bytes)) => Next::Bytes(at, bytes),
            Ok(None) => return,
            Err(failure) => Next::Broken(at, Cause::of(&failure).to_string()),
        };
        let last = matches!(next, Next::Broken(..));
        if chunks.send(next).await.is_err() || last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_in_a_url_is_not_shown() {
        let url = "https://user:word@example.org:1/a/b?key=x#y"
            .parse()
            .expect("a URL");
        assert_eq!(shown(&url), "https://example.org:1/a/b");
    }
}
