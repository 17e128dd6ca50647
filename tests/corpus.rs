//! Inputs that fuzzing found, tested again: `fuzz/corpus/wire`.

use std::fs;
use std::path::Path;

use crate::support::whole_way::walk;

#[test]
fn the_saved_corpus_of_the_wire_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/wire");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in &files {
        let data = fs::read(file).unwrap();
        let walked = std::panic::catch_unwind(|| walk(&data));
        assert!(walked.is_ok(), "{} does not hold", file.display());
    }
    assert!(files.len() >= 30, "only {} files", files.len());
}
