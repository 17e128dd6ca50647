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

    /// The proxy that requests to `url` go through, without user and password.
    pub(super) fn proxy(self, url: &Url) -> Option<String> {
        static SYSTEM: OnceLock<Matcher> = OnceLock::new();
        if self.loopback {
            return None;
        }
        let target: Uri = url.as_str().parse().ok()?;
        let proxy = SYSTEM
            .get_or_init(Matcher::from_system)
            .intercept(&target)?;
        let uri = proxy.uri();
        Some(format!(
            "{}://{}",
            uri.scheme_str().unwrap_or("http"),
            uri.authority()?.as_str().rsplit('@').next()?
        ))
    }

    /// A client, or why there is none.
    pub(super) fn build(self, tls: &TlsOptions) -> Result<Client, String> {
        install_crypto();
        // No connection is kept, because a server may close it just while the next request is sent.
        let mut builder = Client::builder()
            .user_agent(concat!("ananke/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .pool_max_idle_per_host(0)
            .dns_resolver(Arc::new(NotingResolver))
            .connector_layer(NotingLayer);
        // The roots of TLS take milliseconds to load, so that plain HTTP goes without them.
        if self.encrypted {
            builder = with_certificates(builder, tls)?;
        } else {
            builder = builder.tls_certs_only([]);
        }
        if self.loopback {
            // Both ends of such a connection are alive, or the system ends it.
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

/// The client with the certificates of a target.
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
    if let Some((certificate, key)) = &tls.identity {
        // The library takes both from one text. The first file may end without a line break.
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

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // No more than a file of certificates has, so that a device such as `/dev/zero` comes to an end.
    let read = match File::open(path) {
        Ok(file) => file.take(LARGEST_FILE).read_to_end(&mut bytes),
        Err(error) => Err(error),
    };
    match read {
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
