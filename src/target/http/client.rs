//! The transport of the network: one request, its response as stamped chunks.
//!
//! A task of its own reads the body and stamps every chunk before anything looks at it; when nobody wants the body any
//! more, it ends and the connection with it. Redirects are not followed.
//!
//! Each request has a connection of its own. A server may close a connection that it kept at any moment, and a request
//! that is just being sent over it then fails without a sign of whether it was processed. Nothing is sent twice, except
//! what HTTP/2 says was not processed: a stream that was refused, or that a graceful `GOAWAY` leaves out (RFC 9113, 8.7).

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Response, Url};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::cause::Cause;
use super::transport::{Chunks, ClientEvent, Head, HttpRequest, Method, Next, Reply, Transport};
use crate::context::{At, Clock};
use crate::target::error::{Received, TargetError};

/// How many chunks may wait for a slow reader before the peer has to.
const CHUNKS_AHEAD: usize = 64;

/// Carries requests over HTTP and HTTPS.
pub struct HttpTransport {
    clock: Arc<dyn Clock>,
    /// By [`ClientKind::index`]; made when first needed, since the roots of TLS cost milliseconds to load.
    clients: [OnceLock<Result<Client, String>>; 4],
}

/// What a client must be able to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClientKind {
    encrypted: bool,
    loopback: bool,
}

impl HttpTransport {
    /// A transport whose stamps come from `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, clients: [const { OnceLock::new() }; 4] }
    }

    fn client(&self, url: &Url) -> Result<&Client, TargetError> {
        let kind = ClientKind::of(url);
        let client = self.clients[kind.index()].get_or_init(|| kind.build());
        client.as_ref().map_err(|cause| TargetError::new(format!("could not set up HTTP: {cause}")))
    }

    async fn request(&self, request: HttpRequest) -> Result<Reply, TargetError> {
        let client = self.client(&request.url)?;
        let headers = header_map(&request.headers)?;
        let place = shown(&request.url);
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Delete => reqwest::Method::DELETE,
        };
        let response = client
            .request(method, request.url)
            .headers(headers)
            .body(request.body)
            .send()
            .await
            .map_err(|failure| not_answered(&failure, &place))?;
        let at = self.clock.now();
        let head = head(&response, request.response_headers);
        let (sender, chunks) = mpsc::channel(CHUNKS_AHEAD);
        tokio::spawn(read(response, Arc::clone(&self.clock), sender));
        let body = Box::new(Chunks::new(chunks, Arc::clone(&self.clock)));
        Ok(Reply { at, head, body })
    }
}

impl Transport for HttpTransport {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(&self, request: HttpRequest, until: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async move {
            match timeout(until.since(self.clock.now()), self.request(request)).await {
                Ok(answered) => answered.map(Some),
                Err(_elapsed) => Ok(None),
            }
        })
    }
}

impl ClientKind {
    fn of(url: &Url) -> Self {
        Self { encrypted: url.scheme() == "https", loopback: is_loopback(url) }
    }

    fn index(self) -> usize {
        usize::from(self.encrypted) * 2 + usize::from(self.loopback)
    }

    fn build(self) -> Result<Client, String> {
        install_crypto();
        let mut builder = Client::builder()
            .user_agent(concat!("ananke/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(0);
        if !self.encrypted {
            builder = builder.tls_certs_only([]);
        }
        if self.loopback {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|failure| Cause::of(&failure).to_string())
    }
}

/// Asks `url` with a GET: the status of what answers, or why nothing does. Redirects are not followed.
///
/// # Errors
/// Where nothing answers in HTTP within the time.
pub async fn status(url: &Url, within: Duration) -> Result<u16, String> {
    let client = ClientKind::of(url).build()?;
    match timeout(within, client.get(url.clone()).send()).await {
        Ok(Ok(response)) => Ok(response.status().as_u16()),
        Ok(Err(failure)) => Err(Cause::of(&failure).to_string()),
        Err(_elapsed) => Err("no answer came".to_owned()),
    }
}

/// A client cannot be made without a provider; one that is installed already stays.
fn install_crypto() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // An error means that the program around this library has chosen one.
        let _chosen_already = rustls::crypto::ring::default_provider().install_default();
    });
}

fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        // `0.0.0.0`, where servers say they listen, is this machine as well.
        Ok(address) => address.is_unspecified() || address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
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
            TargetError::new(format!("`{}` is not a name for an HTTP header", name.escape_debug()))
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
fn head(response: &Response, wanted: &[&str]) -> Head {
    let header = |name| response.headers().get(name).map(|value: &HeaderValue| readable(value));
    let named = |name: &&str| {
        let values = response.headers().get_all(*name).into_iter();
        values.map(|value| ((*name).to_owned(), readable(value))).collect::<Vec<_>>()
    };
    Head {
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

/// Reads the body to its end, or until nobody listens.
async fn read(mut response: Response, clock: Arc<dyn Clock>, chunks: mpsc::Sender<Next>) {
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

fn not_answered(failure: &reqwest::Error, place: &str) -> TargetError {
    let cause = Cause::of(failure);
    let (message, help) = if failure.is_connect() {
        (format!("could not connect to {place}: {cause}"), not_connected(&cause))
    } else {
        let help = match cause {
            Cause::NotHttp => "is `endpoint` the address of a server that speaks HTTP?",
            _ => "did the agent crash or restart? Its own log may say",
        };
        (format!("the connection to {place} ended before an answer came: {cause}"), help)
    };
    TargetError::new(message).with_help(help)
}

/// What to do about a connection that did not come about.
fn not_connected(cause: &Cause) -> &'static str {
    match cause {
        Cause::NotTls => "the server does not seem to speak TLS: is it `http://` instead of `https://`?",
        Cause::UnknownIssuer => {
            "this machine does not trust who signed the server's certificate: add it to the roots of the operating system"
        }
        Cause::BadCertificate(_) => {
            "is the server's certificate made for the host of `endpoint`, and valid today?"
        }
        _ => "is the agent running, and is `endpoint` its address?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().expect("a URL")
    }

    #[test]
    fn loopback_is_known_in_every_spelling() {
        for host in [
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "localhost",
            "LOCALHOST",
            "a.localhost",
            "0.0.0.0",
        ] {
            assert!(is_loopback(&url(&format!("http://{host}:8000/"))), "{host}");
        }
        for host in ["10.0.0.1", "[::2]", "localhost.example.org", "example.org"] {
            assert!(!is_loopback(&url(&format!("http://{host}:8000/"))), "{host}");
        }
    }

    #[test]
    fn what_may_be_secret_in_a_url_is_not_shown() {
        assert_eq!(shown(&url("https://user:word@example.org:1/a/b?key=x#y")), "https://example.org:1/a/b");
    }

    #[test]
    fn every_kind_of_client_has_a_place_of_its_own() {
        let kinds = ["http://a/", "http://localhost/", "https://a/", "https://localhost/"];
        assert_eq!(kinds.map(|kind| ClientKind::of(&url(kind)).index()), [0, 1, 2, 3]);
    }
}
