//! Streams of real servers, decoded; the meaning of each was written down by hand from reading it.

mod node;
mod pydantic;
mod refusals;
mod requests;
mod servers;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::agui::agui;
use crate::support::conformance::conforming;

/// A stream and its meaning. Its first run is the requested one, `r-1`, unless its name says otherwise.
struct Capture {
    name: &'static str,
    means: &'static str,
    /// How the exchange ends: an error by its message.
    ends: &'static str,
}

/// A valid stream.
const fn capture(name: &'static str, means: &'static str) -> Capture {
    Capture {
        name,
        means,
        ends: "Terminal",
    }
}

/// A stream that has no proper end.
const fn broken(name: &'static str, means: &'static str, ends: &'static str) -> Capture {
    Capture { name, means, ends }
}

/// Every stream.
fn captures() -> impl Iterator<Item = &'static Capture> {
    node::CAPTURES
        .iter()
        .chain(&node::BROKEN)
        .chain(&pydantic::CAPTURES)
        .chain(&servers::CAPTURES)
}

/// The name of every stream.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    captures().map(|capture| capture.name)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/agui")
}

fn read(file: &str) -> Vec<u8> {
    let path = folder().join(file);
    std::fs::read(&path).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()))
}

/// The body of a captured response; some captures start with the head.
pub(crate) fn body(name: &str) -> Vec<u8> {
    let bytes = read(&format!("{name}.sse"));
    if !bytes.starts_with(b"HTTP/") {
        return bytes;
    }
    let head = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .expect("the end of the head");
    bytes[head + 4..].to_vec()
}

#[tokio::test]
async fn captured_streams_mean_what_they_say() {
    for capture in captures() {
        let run = if ["run2", "history1"]
            .iter()
            .any(|second| capture.name.contains(second))
        {
            2
        } else {
            1
        };
        let exchanged = conforming(&agui(), capture.name, run, &body(capture.name)).await;
        // Violations of the order of events are tested in `sequence`.
        let means: Vec<_> = exchanged
            .changes
            .lines()
            .filter(|line| !line.starts_with("!! "))
            .collect();
        assert_eq!(means.join("\n"), capture.means, "{}", capture.name);
        let ended = exchanged
            .ended
            .map_or_else(|failure| failure.message, |ended| format!("{ended:?}"));
        assert_eq!(ended, capture.ends, "{}", capture.name);
    }
}

#[test]
fn every_capture_is_in_a_table() {
    let streams = captures().map(|capture| format!("{}.sse", capture.name));
    let refusals = refusals::REFUSALS
        .iter()
        .map(|refusal| refusal.file.to_owned());
    let named: Vec<_> = streams
        .chain(refusals)
        .chain([requests::FILE.to_owned()])
        .collect();
    let distinct: BTreeSet<_> = named.iter().cloned().collect();
    assert_eq!(distinct.len(), named.len(), "a capture is named twice");
    let files = std::fs::read_dir(folder()).unwrap();
    let there: BTreeSet<_> = files
        .map(|file| {
            file.unwrap()
                .file_name()
                .into_string()
                .expect("a name in ASCII")
        })
        .collect();
    assert_eq!(distinct, there);
}
