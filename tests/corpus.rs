//! Inputs that fuzzing found, tested again: `fuzz/corpus`.

use std::fs;
use std::path::Path;

use crate::support::case_file_walk::read_case_file;
use crate::support::whole_way::walk;

#[test]
fn the_saved_corpus_of_the_wire_holds() {
    all_hold("fuzz/corpus/wire", walk, 30);
}

#[test]
fn the_saved_corpus_of_case_files_holds() {
    all_hold("fuzz/corpus/cases", read_case_file, 5);
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
