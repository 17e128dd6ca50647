//! A case file from bytes to a plan, and to YAML: `cargo +nightly fuzz run cases` in the repository's folder.

#![no_main]

#[path = "../../tests/support/case_file_walk.rs"]
mod case_file_walk;

libfuzzer_sys::fuzz_target!(|data: &[u8]| case_file_walk::read_case_file(data));
