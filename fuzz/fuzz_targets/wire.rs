//! The whole way from bytes to trace: `cargo +nightly fuzz run wire` in the repository's folder.

#![no_main]

#[path = "../../tests/support/whole_way.rs"]
mod whole_way;

libfuzzer_sys::fuzz_target!(|data: &[u8]| whole_way::walk(data));
