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

/// The pause before a connection is retried for the first time. The second pause is twice as long, the third three times.
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

    /// The thread of the network, which the first request starts.
    fn thread(&self) -> Result<&Arc<IoThread>, TargetError> {
        // The result is kept even if it is an error: a start that has failed is not retried, and every test gets the same error.
        let thread = self.thread.get_or_init(|| match IoThread::start() {
            Ok(thread) => Ok(Arc::new(thread)),
            Err(error) => Err(Cause::of_io(&error)),
        });
        match thread {
            Ok(thread) => Ok(thread),
            // A shortage of files is the one cause that a user can do something about.
            Err(cause @ Cause::OutOfFiles) => {
                Err(not_set_up(&cause.to_string()).with_help(OUT_OF_FILES_HELP))
            }
            Err(cause) => Err(not_set_up(&cause.to_string())),
        }
    }

    /// Begins a request on the thread of the network, where it goes on while this thread is busy. Its result is the reply, or
    /// `None` if no head of a response comes before `until`.
    fn begin(&self, request: HttpRequest, until: At) -> Result<RunningExchange, TargetError> {
        let thread = self.thread()?;
        let headers = header_map(&request.headers)?;
        let client = self.client(&request.url, &request.options.tls)?;
        let clock = Arc::clone(&self.clock);
        // The thread ends with its last owner. The task that reads the body is one of them, because a body may still be read when
        // the transport is dropped.
        let owned_thread = Arc::clone(thread);
        Ok(thread.begin(async move {
            let remaining = until.since(clock.now());
            let proxy = ClientKind::of(&request.url).proxy(&request.url);
            let progress = request.progress.clone();
            let exchange = exchange(client, request, headers, clock, owned_thread, proxy.clone());
            // The steps of the connection are noted in `progress`, so that the message of a timeout can name the one that did not
            // end.
            let noted_exchange = progress.of(proxy, exchange);
            match timeout(remaining, noted_exchange).await {
                Ok(result) => result.map(Some),
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

/// Sends a request, and returns the head of its response. A task of its own reads the body, stamps what arrives and owns
/// `thread`.
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
            // Only a connection that could not be made is retried: the server has got nothing yet, so nothing happens twice. The
            // pauses grow, since a server that is starting may need long, but not beyond a second.
            Err(failure) if failure.is_connect() && attempt <= request.options.connect_retries => {
                sleep(BETWEEN_ATTEMPTS * attempt.min(10)).await;
                attempt += 1;
            }
            Err(failure) => return Err(not_answered(&failure, &place, attempt)),
        }
    };
    // The moment of the head is taken before anything is done with it.
    let at = clock.now();
    note_headers(&request.progress, response.headers());
    let head = ResponseHead {
        proxy,
        ..head(&response, &request.response_headers)
    };
    let encoding = values(response.headers(), &CONTENT_ENCODING).join(", ");
    // The body goes through a channel: the reader sends the stamped bytes, and `body` receives and decompresses them.
    let (chunks, body) = Chunks::channel(Arc::clone(&clock));
    let body = decoded(&encoding, Box::new(body))?;
    let mut reader = BodyReader {
        response,
        clock,
        chunks,
        joined: None,
    };
    // The part of the body that came together with the head is read before the head is returned, so that the waiting thread is
    // woken once for both. A task reads the rest, if that was not all.
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

/// The headers of a request as the HTTP library needs them.
///
/// # Errors
/// If a name or value cannot be sent. The message quotes only the name, since the value may be a secret.
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
        // The library does not print a sensitive value, and HTTP/2 does not keep it for later requests.
        value.set_sensitive(true);
        // A name may occur several times.
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

/// The head of a response, with those of its headers that the protocol reads: `wanted` has their names. A recording keeps this
/// head, so other headers are not in it.
fn head(response: &Response, wanted: &[String]) -> ResponseHead {
    let all = response.headers();
    let mut headers = Vec::new();
    for name in wanted {
        // A header may occur several times.
        for value in all.get_all(name) {
            headers.push((name.clone(), readable(value)));
        }
    }
    // The location of a redirect may be relative to the URL of the request. The message about it shows the whole URL without what
    // may be secret, or the header as it is if that is not a URL.
    let location = all.get(LOCATION).map(|header| {
        let location = readable(header);
        match response.url().join(&location) {
            Ok(url) => shown(&url),
            Err(_) => location,
        }
    });
    ResponseHead {
        status: response.status().as_u16(),
        content_type: all.get(CONTENT_TYPE).map(readable).unwrap_or_default(),
        location,
        headers,
        // A response does not name the proxy that it came through. The caller, which knows it, adds it.
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
    /// Reads to the end of the body, or until its consumer drops it. `_thread` is owned until then, so that it runs as long.
    async fn read(mut self, _thread: Arc<IoThread>) {
        loop {
            // A consumer that has dropped the body is noticed first, since a server may never stop sending.
            let piece = tokio::select! {
                biased;
                () = self.chunks.closed() => return,
                piece = self.response.chunk() => piece,
            };
            // Servers may send each event as a small piece. Pieces that are here at the same time are joined, and handed over
            // together after the last of them, because waking the consumer takes longer than reading one. `ready` returns the
            // next piece if it is here by now.
            let mut ready_piece = Some(piece);
            while let Some(piece) = ready_piece {
                if self.take(piece).await.is_break() {
                    return;
                }
                ready_piece = self.ready().await;
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

    /// Stamps the next piece of the body. A large piece is handed over to the consumer at once, and a small one is joined to
    /// others of its moment. `Break` if the body is over, or was dropped.
    async fn take(&mut self, read: reqwest::Result<Option<Bytes>>) -> ControlFlow<()> {
        let at = self.clock.now();
        let piece = match read {
            Ok(Some(piece)) => piece,
            // At a complete end and at a broken connection, the joined pieces are handed over first, since they came before.
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
        // Joining copies a piece, which takes longer than waking the consumer if the piece is large. So a large piece is handed
        // over alone, after those that came before it.
        if piece.len() >= LARGE {
            self.hand_over().await?;
            return self.send(Next::Bytes(at, piece)).await;
        }
        // Joined pieces have one stamp. So they are handed over before this piece if it is of another moment, or if they are
        // many.
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
    /// Starts the thread, with a runtime of its own for the tasks of exchanges. It runs until the returned value is dropped.
    ///
    /// # Errors
    /// If the system has no further threads or files.
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let handle = runtime.handle().clone();
        // Nothing is ever sent over this channel: the thread waits until the sender is dropped, together with the returned value.
        let (running, dropped) = oneshot::channel();
        thread::Builder::new()
            .name("network".to_owned())
            .spawn(move || {
                let _dropped = runtime.block_on(dropped);
                // Tasks that block are not waited for: the system may take minutes to give up resolving a name.
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
