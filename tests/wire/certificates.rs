//! Servers whose certificate nobody vouches for.

use std::net::TcpListener;
use std::sync::Arc;

use ananke::context::SystemClock;
use ananke::target::http::HttpTransport;
use rustls::ServerConnection;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::http2_agent::tls;
use crate::support::summary::Summary;

#[tokio::test]
async fn a_certificate_that_signs_itself_is_not_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut connection = ServerConnection::new(tls(&[])).expect("a server");
        while connection.is_handshaking() {
            if connection.complete_io(&mut stream).is_err() {
                return false;
            }
        }
        true
    });
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&format!("https://{address}/agent")), transport, 1).await;
    let ended = session.exchange(user(1, "hi"), &limits(), &mut Summary::default()).await;
    let failure = ended.expect_err("nobody vouches for it");
    assert_eq!(
        failure.to_string().replace(&address.to_string(), "AGENT"),
        "could not connect to https://AGENT/agent: its certificate is signed by an unknown issuer"
    );
    let help = "this machine does not trust who signed the server's certificate: add it to the roots of the operating system";
    assert_eq!(failure.help.as_deref(), Some(help));
    assert!(!server.join().expect("the server"), "nothing is sent to a server that is not trusted");
}
