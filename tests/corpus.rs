//! Inputs that fuzzing found, tested again: `fuzz/corpus`.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::support::case_file_walk::read_case_file;
use crate::support::seeds::seeded;
use crate::support::whole_way::walk;
use crate::support::{any_json, any_request, any_trace};

#[test]
fn the_saved_corpus_of_the_wire_holds() {
    all_hold("fuzz/corpus/wire", walk, 30);
}

#[test]
fn the_saved_corpus_of_case_files_holds() {
    all_hold("fuzz/corpus/cases", read_case_file, 5);
}

#[test]
fn the_saved_corpus_of_json_holds() {
    all_hold("fuzz/corpus/json", any_json::read, 8);
}

#[test]
fn the_saved_corpus_of_requests_holds() {
    all_hold("fuzz/corpus/requests", any_request::read, 4);
}

#[test]
fn the_saved_corpus_of_traces_holds() {
    all_hold("fuzz/corpus/traces", any_trace::read, 4);
}

/// Bytes of the saved corpus, some of which are replaced or left out.
fn changed_json() -> impl Strategy<Value = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/json");
    let saved: Vec<Vec<u8>> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| fs::read(entry.unwrap().path()).unwrap())
        .collect();
    let change = (
        any::<prop::sample::Index>(),
        "[\\[\\]{}\",:\\\\uNI0-9ad-f \\-.\u{0}\u{feff}]{0,3}",
        0..4_usize,
    );
    (
        prop::sample::select(saved),
        prop::collection::vec(change, 0..6),
    )
        .prop_map(|(mut bytes, changes)| {
            for (place, new, left_out) in changes {
                let start = place.index(bytes.len() + 1);
                let end = (start + left_out).min(bytes.len());
                bytes.splice(start..end, new.into_bytes());
            }
            bytes
        })
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn json_with_any_change_is_read_alike_in_every_way(data in changed_json()) {
        any_json::read(&data);
    }
}

/// Tests each of at least `least` inputs in a folder.
fn all_hold(folder: &str, test: fn(&[u8]), least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for file in &files {
        let data = fs::read(file).unwrap();
        let walked = std::panic::catch_unwind(|| test(&data));
        assert!(walked.is_ok(), "{} does not hold", file.display());
    }
    assert!(files.len() >= least, "only {} files", files.len());
}
