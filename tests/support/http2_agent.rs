//! An AG-UI agent over TLS and HTTP/2, made of frames on a real socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A certificate that signs itself, for 127.0.0.1 and a hundred years, and its key: made for these tests alone.
const CERTIFICATE: &[u8] = include_bytes!("../wire/tls/certificate.der");
const KEY: &[u8] = include_bytes!("../wire/tls/key.der");

const PREFACE_BYTES: usize = 24;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// How the agent responds to a request; each connection takes one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Response {
    /// `REFUSED_STREAM`: not processed.
    Refused,
    /// A graceful `GOAWAY` that excludes the request, and the end of the connection: not processed.
    GoneBefore,
    /// A graceful `GOAWAY` that includes the request, and the end of the connection: maybe processed.
    GoneAfter,
    /// A complete run.
    Run,
}

/// What a server needs for TLS with the certificate of the tests.
pub(crate) fn tls(protocols: &[&[u8]]) -> Arc<ServerConfig> {
    tls_of(CERTIFICATE, protocols)
}

/// The same with another certificate for the same key.
pub(crate) fn tls_of(certificate: &[u8], protocols: &[&[u8]]) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(KEY));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(certificate.to_vec())], key)
        .expect("a certificate and its key");
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Arc::new(config)
}

/// The certificate of the tests as a file of roots.
pub(crate) fn roots() -> String {
    let base64 = BASE64_STANDARD.encode(CERTIFICATE);
    format!("-----BEGIN CERTIFICATE-----\n{base64}\n-----END CERTIFICATE-----\n")
}

/// The key of that certificate as a file.
pub(crate) fn key() -> String {
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        BASE64_STANDARD.encode(KEY)
    )
}

/// A running agent.
pub(crate) struct Http2Agent {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Http2Agent {
    /// An agent whose connections respond in this order; those after them do not respond at all.
    pub(crate) fn start(responses: Vec<Response>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&requests);
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            let config = tls(&[b"h2"]);
            for response in responses
                .into_iter()
                .map(Some)
                .chain(std::iter::repeat(None))
            {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                stream.set_nodelay(true).expect("a socket");
                let connection = ServerConnection::new(Arc::clone(&config)).expect("a server");
                // The client may end a connection at any time.
                let _ended = serve(StreamOwned::new(connection, stream), response, &counted);
            }
        });
        Self { address, requests }
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn serve(
    mut stream: impl Read + Write,
    response: Option<Response>,
    requests: &AtomicUsize,
) -> std::io::Result<()> {
    stream.read_exact(&mut [0; PREFACE_BYTES])?;
    send(&mut stream, 4, 0, 0, &[])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let (kind, flags) = (head[3], head[4]);
        let number = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        stream.read_exact(&mut vec![0; length as usize])?;
        match kind {
            1 => _ = requests.fetch_add(1, Ordering::SeqCst),
            4 if flags & ACK == 0 => send(&mut stream, 4, ACK, 0, &[])?,
            _ => {}
        }
        if kind > 1 || flags & END_STREAM == 0 {
            continue;
        }
        match response {
            Some(Response::Refused) => send(&mut stream, 3, 0, number, &7_u32.to_be_bytes())?,
            Some(Response::GoneBefore) => return go_away(&mut stream, 0),
            Some(Response::GoneAfter) => return go_away(&mut stream, number),
            Some(Response::Run) => {
                let run = concat!(
                    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
                    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
                );
                // `:status: 200`, of the static table.
                send(&mut stream, 1, END_HEADERS, number, &[0x88])?;
                send(&mut stream, 0, END_STREAM, number, run.as_bytes())?;
            }
            None => {}
        }
    }
}

/// Ends the connection; the last request that was processed is `last`.
fn go_away(stream: &mut (impl Read + Write), last: u32) -> std::io::Result<()> {
    send(stream, 7, 0, 0, &[last.to_be_bytes(), [0; 4]].concat())
}

fn send(
    stream: &mut impl Write,
    kind: u8,
    flags: u8,
    number: u32,
    payload: &[u8],
) -> std::io::Result<()> {
    let length = u32::try_from(payload.len())
        .expect("a short frame")
        .to_be_bytes();
    let head = [&length[1..], &[kind, flags], &number.to_be_bytes()].concat();
    stream.write_all(&[&head, payload].concat())?;
    stream.flush()
}
