//! Servers whose certificate nobody vouches for, and servers that are spoken to in the wrong protocol.

use std::net::TcpListener;
use std::sync::Arc;

use ananke::context::SystemClock;
use ananke::target::TargetError;
use ananke::target::http::HttpTransport;
use rustls::{ServerConfig, ServerConnection};

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::http2_agent::{tls, tls_of};
use crate::support::summary::Summary;

/// A certificate that signs itself as an authority, which is what `openssl req -x509` makes.
const AUTHORITY: &[u8] = include_bytes!("tls/authority.der");

/// Why a request by `scheme` to a server of TLS fails, with `AGENT` for its address.
async fn error(scheme: &str, config: Arc<ServerConfig>) -> TargetError {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut connection = ServerConnection::new(config).expect("a server");
        while connection.is_handshaking() {
            if connection.complete_io(&mut stream).is_err() {
                return false;
            }
        }
        true
    });
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&format!("{scheme}://{address}/agent")), transport, 1).await;
    let ended = session.exchange(user(1, "hi"), &limits(), &mut Summary::default()).await;
    assert!(!server.join().expect("the server"), "nothing is sent to a server that is not trusted");
    let mut error = ended.expect_err("nobody vouches for it");
    error.message = error.message.replace(&address.to_string(), "AGENT");
    error
}

#[tokio::test]
async fn a_certificate_that_signs_itself_is_not_trusted() {
    let error = error("https", tls(&[])).await;
    assert_eq!(
        error.message,
        "could not connect to https://AGENT/agent: its certificate is signed by itself or by an unknown issuer"
    );
    let help = "this machine does not trust who signed the server's certificate: add it to the roots of the operating system";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[tokio::test]
async fn a_certificate_of_an_authority_is_not_that_of_a_server() {
    let error = error("https", tls_of(AUTHORITY, &[])).await;
    assert_eq!(
        error.message,
        "could not connect to https://AGENT/agent: its certificate is not that of a server, but perhaps of an authority"
    );
    let help = "did the server sign its certificate itself? Make one with `basicConstraints=CA:FALSE`, and add it to the roots of the operating system";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[tokio::test]
async fn http_to_a_port_of_tls_says_so() {
    let error = error("http", tls(&[])).await;
    assert_eq!(
        error.message,
        "the connection to http://AGENT/agent ended before an answer came: what it sends is not HTTP"
    );
    let help = error.help.expect("what to do");
    assert!(
        help.starts_with("does the server speak TLS? Then it is `https://` instead of `http://`"),
        "{help}"
    );
}
