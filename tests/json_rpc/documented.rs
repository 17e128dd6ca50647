//! The conversation of docs/session.md: what it says is what happens.

use std::fs;

use super::Rpc;
use tempfile::TempDir;

/// Whether `line` is what the page shows: `, …` is anything.
fn is_shown(line: &str, shown: &str) -> bool {
    match shown.split_once(", …") {
        Some((begin, end)) => line.starts_with(begin) && line.ends_with(end),
        None => line == shown,
    }
}

#[test]
fn the_conversation_of_the_page_is_real() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/session.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = TempDir::new().unwrap();
    let mut rpc = Rpc::raw(folder.path());
    let mut lines = 0;
    for line in page.lines() {
        if let Some(line) = line.strip_prefix("→ ") {
            rpc.write(line.as_bytes());
        } else if let Some(shown) = line.strip_prefix("← ") {
            let line = rpc.next().to_string();
            assert!(is_shown(&line, shown), "{shown}\nis {line}");
            lines += 1;
        }
    }
    assert!(lines > 10, "{lines} lines were compared");
    assert_eq!(rpc.end().code(), Some(0));
}

#[test]
fn a_page_that_is_wrong_is_found() {
    assert!(is_shown("{\"a\":1,\"b\":2}", "{\"a\":1, …}"));
    assert!(!is_shown("{\"a\":2,\"b\":2}", "{\"a\":1, …}"));
    assert!(!is_shown("{\"a\":1}", "{\"a\":2}"));
}
