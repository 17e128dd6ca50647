//! Compressed responses: read decompressed, with limits on their decompressed size.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::agents::{Ended, Limits, TargetError};
use ananke::context::SystemClock;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::support::agui::{session, settings};
use crate::support::canned::{limits, user};
use crate::support::raw_agent::{RawAgent, Step};
use crate::support::summary::Summary;

const RUN: &str = concat!(
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n",
    "data: {\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t-1\",\"runId\":\"r-1\"}\n\n",
);

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("a vector");
    encoder.finish().expect("a vector")
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("a vector");
    encoder.finish().expect("a vector")
}

fn raw(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("a vector");
    encoder.finish().expect("a vector")
}

/// The result of a response in chunks of `size` bytes.
async fn exchanged(
    status: &str,
    encoding: &str,
    body: &[u8],
    size: usize,
    limits: &Limits,
) -> (Result<Ended, TargetError>, Summary) {
    let mut head =
        format!("HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\nconnection: close\r\n");
    write!(
        head,
        "content-encoding: {encoding}\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    .expect("a string");
    let mut sent = head.into_bytes();
    for chunk in body.chunks(size) {
        sent.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        sent.extend_from_slice(chunk);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b"0\r\n\r\n");
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(sent)]]).await;
    let transport = Arc::new(HttpTransport::new(Arc::new(SystemClock::start())));
    let mut session = session(settings(&agent.url()), transport, 1).await;
    let mut summary = Summary::default();
    let ended = session.exchange(user(1, "hi"), limits, &mut summary).await;
    (ended, summary)
}

#[tokio::test]
async fn a_compressed_response_is_read() {
    let run = RUN.as_bytes();
    let members = [gzip(&run[..60]), gzip(&run[60..])].concat();
    for (encoding, body) in [
        ("gzip", gzip(run)),
        ("X-GZip", members),
        ("deflate", zlib(run)),
        ("deflate", raw(run)),
        ("identity", run.to_vec()),
    ] {
        for size in [1, 7, body.len()] {
            let (ended, summary) = exchanged("200 OK", encoding, &body, size, &limits()).await;
            assert_eq!(ended, Ok(Ended::Terminal), "{encoding} {size}");
            assert_eq!(
                summary.text(),
                "run\ncustom n: 1\nfinished",
                "{encoding} {size}"
            );
        }
    }
}

#[tokio::test]
async fn what_an_error_quotes_is_decompressed() {
    let body = gzip(b"{\"error\": \"no such model\"}");
    let (ended, _) = exchanged("500 Internal Server Error", "gzip", &body, 9, &limits()).await;
    let message = ended.expect_err("a refusal").to_string();
    assert!(message.contains("no such model"), "{message}");
}

#[tokio::test]
async fn a_compressed_bomb_is_as_large_as_what_it_becomes() {
    let body = gzip(&vec![b' '; 64 << 20]);
    assert!(body.len() < 1 << 17);
    let limits = Limits {
        max_response_bytes: 1 << 20,
        ..limits()
    };
    let (ended, _) = exchanged("200 OK", "gzip", &body, body.len(), &limits).await;
    let message = ended.expect_err("too large").to_string();
    assert!(
        message.starts_with("the response is larger than 1 MiB"),
        "{message}"
    );
}

#[tokio::test]
async fn what_is_not_compressed_as_it_says_is_an_error() {
    let whole = gzip(RUN.as_bytes());
    for (encoding, body, expected) in [
        (
            "br",
            RUN.as_bytes(),
            "the response is compressed with `br`, which is not supported",
        ),
        (
            "gzip, gzip",
            RUN.as_bytes(),
            "the response is compressed with `gzip, gzip`, which is not supported",
        ),
        (
            "gzip",
            RUN.as_bytes(),
            "it is not compressed as its `content-encoding` says",
        ),
        ("gzip", &whole[..40], "its compressed body is incomplete"),
    ] {
        let (ended, _) = exchanged("200 OK", encoding, body, 30, &limits()).await;
        let error = ended.expect_err(encoding);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.help.is_some(), "{error}");
    }
}
