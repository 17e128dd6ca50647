//! The clients of reqwest: one for each combination of what an endpoint needs.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Certificate, Client, ClientBuilder, Identity, Url};
use rustls::crypto::CryptoProvider;
use tokio::time::timeout;

use super::request_progress::{NotingLayer, NotingRandom, NotingResolver};
use super::{TlsOptions, cause::Cause, same_place::is_loopback};
use ananke_base::source::reason;

/// The largest file of certificates that is read, in bytes.
const LARGEST_FILE: u64 = 8 << 20;

/// The features that a client must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientKind {
    encrypted: bool,
    loopback: bool,
}

impl ClientKind {
    /// The features that `url` needs.
    pub(super) fn of(url: &Url) -> Self {
        Self {
            encrypted: url.scheme() == "https",
            loopback: is_loopback(url),
        }
    }

    /// The proxy that requests to `url` go through, as messages show it: without user and password. `None` if there is no proxy.
    pub(super) fn proxy(self, url: &Url) -> Option<String> {
        // The proxy settings of the system are read once, since they do not change while the program runs.
        static SYSTEM: OnceLock<Matcher> = OnceLock::new();
        // Clients for this machine are built without a proxy.
        if self.loopback {
            return None;
        }
        // The library sends no request to a URL that is not a valid `Uri`, so such a URL has no proxy either.
        let target: Uri = url.as_str().parse().ok()?;
        let proxy = SYSTEM
            .get_or_init(Matcher::from_system)
            .intercept(&target)?;
        let proxy_uri = proxy.uri();
        let scheme = proxy_uri.scheme_str().unwrap_or("http");
        // User and password come before the last `@` of the authority.
        let host_and_port = proxy_uri.authority()?.as_str().rsplit('@').next()?;
        Some(format!("{scheme}://{host_and_port}"))
    }

    /// Builds a client with these features and the certificates of `tls`.
    ///
    /// # Errors
    /// A message if a file of certificates cannot be read, or the library cannot make a client.
    pub(super) fn build(self, tls: &TlsOptions) -> Result<Client, String> {
        // The library makes no client before an implementation of cryptography is installed.
        install_crypto();
        // Redirects are not followed, because a POST may become a GET on the way: they are reported as errors. No connection is
        // kept for later requests, because a server may close it while the next request is sent, which then fails by chance. The
        // resolver and the layer note how far a request got, for the message of a timeout.
        let mut builder = Client::builder()
            .user_agent(concat!("ananke/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(NotingResolver))
            .connector_layer(NotingLayer);
        // The root certificates of the system take milliseconds to load, so a client for plain HTTP has an empty list instead.
        if self.encrypted {
            builder = with_certificates(builder, tls)?;
        } else {
            builder = builder.tls_certs_only([]);
        }
        if self.loopback {
            // A proxy does not reach this machine. Keep-alive packets find out that another machine is gone; here, the system
            // itself ends the connections of a process that is gone.
            builder = builder
                .no_proxy()
                .tcp_keepalive(None::<Duration>)
                .tcp_keepalive_interval(None::<Duration>)
                .tcp_keepalive_retries(None::<u32>);
            #[cfg(target_os = "linux")]
            {
                builder = builder.tcp_user_timeout(None::<Duration>);
            }
        }
        builder
            .build()
            .map_err(|failure| Cause::of(&failure).to_string())
    }
}

/// Asks `url` with a GET: the status of what answers, or why nothing does. Redirects are not followed.
///
/// # Errors
/// If nothing answers in HTTP within the time.
pub async fn status(url: &Url, within: Duration) -> Result<u16, String> {
    let client = ClientKind::of(url).build(&TlsOptions::default())?;
    match timeout(within, client.get(url.clone()).send()).await {
        Ok(Ok(response)) => Ok(response.status().as_u16()),
        Ok(Err(failure)) => Err(Cause::of(&failure).to_string()),
        Err(_elapsed) => Err("no answer came".to_owned()),
    }
}

/// Adds the certificates that a target names to the builder of a client.
///
/// # Errors
/// A message if a file cannot be read, or has no certificate or key in PEM format.
fn with_certificates(
    mut builder: ClientBuilder,
    tls: &TlsOptions,
) -> Result<ClientBuilder, String> {
    if let Some(path) = &tls.ca_file {
        let certificates = Certificate::from_pem_bundle(&read(path)?)
            .map_err(|failure| not_pem(path, &failure))?;
        // A file without a single block in PEM format is read without an error.
        if certificates.is_empty() {
            return Err(format!(
                "`{}` has no certificate in PEM format",
                path.display()
            ));
        }
        builder = builder.tls_certs_merge(certificates);
    }
    // The identity is the client's own certificate with its key, for a server that asks for one.
    if let Some((certificate, key)) = &tls.identity {
        // The library reads both from one text. The line break separates them if the first file ends without one.
        let both = [read(certificate)?, b"\n".to_vec(), read(key)?].concat();
        let identity =
            Identity::from_pem(&both).map_err(|failure| not_pem(certificate, &failure))?;
        builder = builder.identity(identity);
    }
    if tls.is_insecure {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    Ok(builder)
}

/// The error of a file that contains something else.
fn not_pem(path: &Path, failure: &reqwest::Error) -> String {
    format!(
        "`{}` has no certificate or key in PEM format: {}",
        path.display(),
        Cause::of(failure)
    )
}

/// Reads a file of certificates.
///
/// # Errors
/// A message with the path if the file cannot be read.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // Reading stops at a size that no file of certificates has, since a device such as `/dev/zero` has no end.
    let result = match File::open(path) {
        Ok(file) => file.take(LARGEST_FILE).read_to_end(&mut bytes),
        Err(error) => Err(error),
    };
    match result {
        Ok(_) => Ok(bytes),
        Err(error) => Err(format!(
            "`{}` cannot be read: {}",
            path.display(),
            reason(&error)
        )),
    }
}

/// A client cannot be made without a provider; one that is installed already stays.
fn install_crypto() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // An error means that the program around this library has chosen one.
        let provider = rustls::crypto::ring::default_provider();
        let _chosen_already = CryptoProvider {
            secure_random: &NotingRandom,
            ..provider
        }
        .install_default();
    });
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
            assert!(
                !is_loopback(&url(&format!("http://{host}:8000/"))),
                "{host}"
            );
        }
    }
}
