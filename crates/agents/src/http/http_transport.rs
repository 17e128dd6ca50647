//! The transport of the network: one request, its response as stamped chunks.
//!
//! The thread of the network sends, reads and stamps, whatever else goes on. When a response is dropped, its connection
//! ends. Redirects are not followed.
//!
//! Each request has a connection of its own. A server may close a connection that it kept at any moment, and a request
//! that is just being sent over it then fails without a sign of whether it was processed. Nothing is sent twice, except
//! what HTTP/2 says was not processed: a stream that was refused, or that a graceful `GOAWAY` leaves out (RFC 9113, 8.7).

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{io, thread};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, SET_COOKIE,
};
use reqwest::{Client, Response, Url};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::cause::{Cause, not_answered};
use super::chunks::{BodyDropped, ChunkSender};
use super::client_kind::ClientKind;
use super::content_encoding::decoded;
use super::{
    Chunks, ClientEvent, HttpRequest, Method, Next, Reply, RequestProgress, ResponseHead,
    TlsOptions, Transport,
};
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
        // A thread that could not be started is not retried: every test gets the same error.
        let thread = self.thread.get_or_init(|| match IoThread::start() {
            Ok(thread) => Ok(Arc::new(thread)),
            Err(error) => Err(Cause::of_io(&error)),
        });
        match thread {
            Ok(thread) => Ok(thread),
            Err(cause @ Cause::OutOfFiles) => {
                Err(not_set_up(&cause.to_string()).with_help(OUT_OF_FILES_HELP))
            }
            Err(cause) => Err(not_set_up(&cause.to_string())),
        }
    }

    /// Begins a request on the thread of the network.
    fn begin(&self, request: HttpRequest, until: At) -> Result<RunningExchange, TargetError> {
        let thread = self.thread()?;
        let headers = header_map(&request.headers)?;
        let client = self.client(&request.url, &request.options.tls)?;
        let clock = Arc::clone(&self.clock);
        // The exchange keeps the thread: its body is still read when the transport is gone.
        let keeps_running = Arc::clone(thread);
        Ok(thread.begin(async move {
            let remaining = until.since(clock.now());
            let progress = request.progress.clone();
            let proxy = ClientKind::of(&request.url).proxy(&request.url);
            let exchange = exchange(
                client,
                request,
                headers,
                clock,
                keeps_running,
                proxy.clone(),
            );
            match timeout(remaining, progress.of(proxy, exchange)).await {
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
    let place = match &proxy {
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
    note_headers(&request.progress, response.headers());
    let head = ResponseHead {
        proxy,
        ..head(&response, &request.response_headers)
    };
    let encoding = values(response.headers(), &CONTENT_ENCODING).join(", ");
    let (chunks, body) = Chunks::channel(Arc::clone(&clock));
    let body = decoded(&encoding, Box::new(body))?;
    let mut reader = BodyReader {
        response,
        clock,
        chunks,
        joined: None,
    };
    // The thread that waits for the head is woken once for all that came with it.
    if reader.take_ready().await.is_continue() {
        tokio::spawn(reader.read(thread));
    }
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

/// Notes the parts of a head that no protocol reads: all headers for people, and the cookies.
fn note_headers(progress: &RequestProgress, headers: &HeaderMap) {
    let all = headers.iter();
    progress.received(all.map(|(name, value)| (name.as_str().to_owned(), readable(value))));
    let set = headers.get_all(SET_COOKIE).into_iter();
    progress.set_cookies(set.filter_map(|cookie| Some(cookie.to_str().ok()?.to_owned())));
}

/// The head of a response. Headers that are not `wanted` are left to `note_headers`, since a recording keeps what is here.
fn head(response: &Response, wanted: &[String]) -> ResponseHead {
    let all = response.headers();
    let mut headers = Vec::new();
    for name in wanted {
        for value in all.get_all(name) {
            headers.push((name.clone(), readable(value)));
        }
    }
    // A server may name the new place by its path alone.
    let location = all.get(LOCATION).map(|location| {
        let location = readable(location);
        match response.url().join(&location) {
            Ok(place) => shown(&place),
            Err(_) => location,
        }
    });
    ResponseHead {
        status: response.status().as_u16(),
        content_type: all.get(CONTENT_TYPE).map(readable).unwrap_or_default(),
        location,
        headers,
        proxy: None,
    }
}

fn values(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    headers.get_all(name).into_iter().map(readable).collect()
}

fn readable(value: &HeaderValue) -> String {
    Received::quote(value.as_bytes())
}

/// The most bytes of a body that are handed over together.
const TOGETHER: usize = 64 << 10;

/// The bytes from which on a piece is handed over alone, because a copy of it would take longer than to wake its reader.
const LARGE: usize = 4 << 10;

/// The bytes that a smaller piece of a body counts as: there may be very many.
const SMALLEST: usize = 64;

/// The time in which pieces of a body have one moment, so that a stamp is never earlier than the arrival by more than this.
const ONE_MOMENT: Duration = Duration::from_millis(1);

/// Small pieces of a body that came at one moment. A server may send each event as a piece of its own, and to wake the thread
/// that reads them takes longer than to read one.
struct JoinedPieces {
    at: At,
    bytes: Vec<u8>,
    cost: usize,
}

impl JoinedPieces {
    fn of(at: At, first: &[u8]) -> Self {
        let mut pieces = Self {
            at,
            bytes: Vec::new(),
            cost: 0,
        };
        pieces.add(first);
        pieces
    }

    fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.cost += SMALLEST.max(piece.len());
    }
}

/// Reads a body, and stamps what comes of it.
struct BodyReader {
    response: Response,
    clock: Arc<dyn Clock>,
    chunks: ChunkSender,
    joined: Option<JoinedPieces>,
}

impl BodyReader {
    /// Reads to the end of the body, or until it is dropped. The thread runs as long.
    async fn read(mut self, _thread: Arc<IoThread>) {
        loop {
            let read = tokio::select! {
                biased;
                () = self.chunks.closed() => return,
                read = self.response.chunk() => read,
            };
            let mut ready = Some(read);
            while let Some(read) = ready {
                if self.take(read).await.is_break() {
                    return;
                }
                ready = self.ready().await;
            }
            if self.hand_over().await.is_break() {
                return;
            }
        }
    }

    /// Takes what has come by now. `Break` if that is all.
    async fn take_ready(&mut self) -> ControlFlow<()> {
        // Once there is enough to be handed over with it, the head does not wait for more.
        let mut ready = 0;
        while ready < TOGETHER
            && let Some(read) = self.ready().await
        {
            if let Ok(Some(piece)) = &read {
                ready += SMALLEST.max(piece.len());
            }
            self.take(read).await?;
        }
        self.hand_over().await
    }

    /// The next piece, if it has come by now. The task of the connection hands on piece by piece what it has read at once, and
    /// wakes this one after each: so a wait that is over with the tasks that can run now finds them all.
    async fn ready(&mut self) -> Option<reqwest::Result<Option<Bytes>>> {
        tokio::select! {
            biased;
            read = self.response.chunk() => Some(read),
            () = yield_now() => None,
        }
    }

    /// Stamps the next piece, and hands over what came before its moment. `Break` if the body is over, or was dropped.
    async fn take(&mut self, read: reqwest::Result<Option<Bytes>>) -> ControlFlow<()> {
        let at = self.clock.now();
        let piece = match read {
            Ok(Some(piece)) => piece,
            // The pieces before the end are handed over before it, since they came in time.
            Ok(None) => {
                self.hand_over().await?;
                return ControlFlow::Break(());
            }
            Err(failure) => {
                self.hand_over().await?;
                let cause = Cause::of(&failure).to_string();
                self.send(Next::Broken(at, cause)).await?;
                return ControlFlow::Break(());
            }
        };
        if piece.len() >= LARGE {
            self.hand_over().await?;
            return self.send(Next::Bytes(at, piece)).await;
        }
        // Pieces of another moment, and more than may be handed over together, do not wait for this one.
        if let Some(joined) = &self.joined
            && (at.since(joined.at) >= ONE_MOMENT || joined.cost >= TOGETHER)
        {
            self.hand_over().await?;
        }
        match &mut self.joined {
            Some(joined) => joined.add(&piece),
            None => self.joined = Some(JoinedPieces::of(at, &piece)),
        }
        ControlFlow::Continue(())
    }

    /// Wakes the reader with the small pieces of the last moment. `Break` if the body was dropped.
    async fn hand_over(&mut self) -> ControlFlow<()> {
        let Some(JoinedPieces { at, mut bytes, .. }) = self.joined.take() else {
            return ControlFlow::Continue(());
        };
        // What is read ahead is limited by its bytes, not by the room that they grew into.
        bytes.shrink_to_fit();
        self.send(Next::Bytes(at, bytes.into())).await
    }

    async fn send(&self, next: Next) -> ControlFlow<()> {
        match self.chunks.send(next).await {
            Ok(()) => ControlFlow::Continue(()),
            Err(BodyDropped) => ControlFlow::Break(()),
        }
    }
}

/// A thread for exchanges. It ends when this is dropped, and is not waited for: a name that does not resolve
/// delays nothing else. Judging, masking, printing and writing happen on other threads, so that however long they take, what
/// a server sends is read and stamped when it arrives.
#[derive(Debug)]
pub(super) struct IoThread {
    handle: Handle,
    _running: oneshot::Sender<()>,
}

impl IoThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system has no further threads or files.
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let handle = runtime.handle().clone();
        let (running, dropped) = oneshot::channel();
        thread::Builder::new()
            .name("network".to_owned())
            .spawn(move || {
                let _dropped = runtime.block_on(dropped);
                runtime.shutdown_background();
            })?;
        Ok(Self {
            handle,
            _running: running,
        })
    }

    /// Runs `work` on the thread, from now on and until the handle is dropped.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> AbortOnDropHandle<T> {
        AbortOnDropHandle::new(self.handle.spawn(work))
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
