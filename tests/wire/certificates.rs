//! Servers whose certificate is not trusted, and servers that are contacted with the wrong protocol.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use ananke::agents::http::{HttpOptions, HttpTransport, TlsOptions};
use ananke::agents::{Ended, TargetError};
use ananke::context::SystemClock;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use tempfile::TempDir;

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::http2_agent::{key, roots, tls, tls_of};
use crate::support::project::Project;
use crate::support::summary::Summary;

use super::bodies::answer;

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
    let mut session = session(
        settings(&format!("{scheme}://{address}/agent")),
        transport,
        1,
    )
    .await;
    let ended = session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await;
    assert!(
        !server.join().expect("the server"),
        "nothing is sent to a server that is not trusted"
    );
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
    let help = "this machine does not trust who signed the server's certificate: name it in the target's `tls: { ca_file: … }`, or add it to the roots of the operating system";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[tokio::test]
async fn a_certificate_of_an_authority_is_not_that_of_a_server() {
    let error = error("https", tls_of(AUTHORITY, &[])).await;
    assert_eq!(
        error.message,
        "could not connect to https://AGENT/agent: its certificate is not that of a server, but perhaps of an authority"
    );
    let help = "did the server sign its certificate itself? Make one with `basicConstraints=CA:FALSE`, and name it in the target's `tls: { ca_file: … }`";
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

/// The address of a server of TLS that ends its first `refused` connections and answers the next one.
fn server(config: Arc<ServerConfig>, refused: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    // It ends with the process of the tests.
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            if number < refused {
                continue;
            }
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a server");
            let mut stream = StreamOwned::new(connection, stream);
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            // The body of a request ends with its JSON.
            while !request.ends_with(b"}") {
                match stream.read(&mut buffer) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => request.extend_from_slice(&buffer[..count]),
                }
            }
            let ids = json!({"threadId": "t-1", "runId": "r-1"});
            let event = |kind: &str| json!({"type": kind, "threadId": ids["threadId"], "runId": ids["runId"]});
            let written = stream.write_all(&answer(&[event("RUN_STARTED"), event("RUN_FINISHED")]));
            stream.conn.send_close_notify();
            let _client_is_gone = written.and_then(|()| stream.flush());
        }
    });
    format!("https://{address}/agent")
}

/// The result of a request with these options.
async fn request(endpoint: &str, options: HttpOptions) -> Result<Ended, TargetError> {
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut settings = settings(endpoint);
    settings.options = Arc::new(options);
    let mut session = session(settings, transport, 1).await;
    session
        .exchange(user(1, "hi"), &limits(), &mut Summary::default())
        .await
}

fn with_tls(tls: TlsOptions) -> HttpOptions {
    HttpOptions {
        tls,
        ..HttpOptions::default()
    }
}

/// The certificate of the tests and its key, as files.
fn files() -> (TempDir, PathBuf, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let [certificate, key_file] =
        ["certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&certificate, roots()).expect("a file");
    std::fs::write(&key_file, key()).expect("a file");
    (folder, certificate, key_file)
}

#[tokio::test]
async fn a_private_authority_is_trusted_if_it_is_named() {
    let (_folder, certificate, _) = files();
    let trusting = TlsOptions {
        ca_file: Some(certificate),
        ..TlsOptions::default()
    };
    assert_eq!(
        request(&server(tls(&[]), 0), with_tls(trusting)).await,
        Ok(Ended::Terminal)
    );
    let insecure = TlsOptions {
        is_insecure: true,
        ..TlsOptions::default()
    };
    assert_eq!(
        request(&server(tls(&[]), 0), with_tls(insecure)).await,
        Ok(Ended::Terminal)
    );
    let error = request(&server(tls(&[]), 0), HttpOptions::default())
        .await
        .expect_err("it is not trusted");
    assert!(
        error.message.contains("unknown issuer"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_server_that_asks_for_a_certificate_gets_it() {
    let (_folder, certificate, key_file) = files();
    let own = CertificateDer::from_pem_slice(roots().as_bytes()).expect("a certificate");
    let mut known = RootCertStore::empty();
    known.add(own.clone()).expect("an authority");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(known), Arc::clone(&provider));
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(
            vec![own],
            PrivateKeyDer::from_pem_slice(key().as_bytes()).expect("a key"),
        )
        .expect("a certificate and its key");
    let config = Arc::new(config);
    let anonymous = TlsOptions {
        ca_file: Some(certificate.clone()),
        ..TlsOptions::default()
    };
    let known = TlsOptions {
        identity: Some((certificate.clone(), key_file)),
        ..anonymous.clone()
    };
    assert_eq!(
        request(&server(Arc::clone(&config), 0), with_tls(known)).await,
        Ok(Ended::Terminal)
    );
    assert!(
        request(&server(config, 0), with_tls(anonymous))
            .await
            .is_err(),
        "it must not answer"
    );
}

#[test]
fn the_path_of_a_certificate_may_begin_with_the_home_directory() {
    let test = "version: \"1.3\"\nname: x\nturns: [{ user: hi }]\n";
    for (keys, folder) in [
        ("ca_file: \"~/certificates/ca.pem\"", "home"),
        (
            "cert_file: \"~/certificates/ca.pem\", key_file: \"~/key.pem\"",
            "home",
        ),
        ("ca_file: certificates/ca.pem", "project"),
    ] {
        let config = format!(
            "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"https://127.0.0.1:1/\", agentId: a, tls: {{ {keys} }} }}\n"
        );
        let files = [
            ("project/ananke.config.yaml", config.as_str()),
            ("project/x.test.yaml", test),
        ];
        let project = Project::new(&files);
        let folder = project.folder().join(folder);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
        command
            .arg("run")
            .current_dir(project.folder().join("project"));
        let output = command
            .env("HOME", project.folder().join("home"))
            .output()
            .expect("it runs");
        let shown = String::from_utf8_lossy(&output.stdout);
        let expected = format!(
            "`{}` cannot be read",
            folder.join("certificates/ca.pem").display()
        );
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&expected), "{expected}\n{shown}");
    }
}

#[tokio::test]
async fn files_that_are_no_certificates_are_named() {
    let (folder, certificate, _) = files();
    let text = folder.path().join("text.pem");
    std::fs::write(&text, "no certificate").expect("a file");
    let missing = folder.path().join("missing.pem");
    for (tls, expected) in [
        (
            TlsOptions {
                ca_file: Some(missing),
                ..TlsOptions::default()
            },
            "missing.pem` cannot be read: there is no such file",
        ),
        (
            TlsOptions {
                ca_file: Some(text.clone()),
                ..TlsOptions::default()
            },
            "text.pem` has no certificate",
        ),
        (
            TlsOptions {
                identity: Some((certificate, text)),
                ..TlsOptions::default()
            },
            "certificate.pem` has no certificate or key",
        ),
    ] {
        let error = request("https://127.0.0.1:1/", with_tls(tls))
            .await
            .expect_err("there is no client");
        assert!(error.message.contains(expected), "{}", error.message);
    }
}

#[tokio::test]
async fn a_connection_that_cannot_be_made_is_retried() {
    let insecure = TlsOptions {
        is_insecure: true,
        ..TlsOptions::default()
    };
    let options = |connect_retries| HttpOptions {
        connect_retries,
        ..with_tls(insecure.clone())
    };
    assert_eq!(
        request(&server(tls(&[]), 2), options(2)).await,
        Ok(Ended::Terminal)
    );
    let error = request(&server(tls(&[]), 2), options(1))
        .await
        .expect_err("one attempt is missing");
    assert!(
        error.message.ends_with(" (2 attempts)"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_target_has_its_own_limits_of_size() {
    let insecure = TlsOptions {
        is_insecure: true,
        ..TlsOptions::default()
    };
    let small = HttpOptions {
        max_response_bytes: Some(60),
        ..with_tls(insecure.clone())
    };
    let error = request(&server(tls(&[]), 0), small)
        .await
        .expect_err("the answer is larger");
    assert!(
        error.message.contains("larger than 60 bytes"),
        "{}",
        error.message
    );
    let small = HttpOptions {
        max_event_bytes: Some(20),
        ..with_tls(insecure)
    };
    let error = request(&server(tls(&[]), 0), small)
        .await
        .expect_err("an event is larger");
    assert!(
        error.message.contains("larger than 20 bytes"),
        "{}",
        error.message
    );
}
