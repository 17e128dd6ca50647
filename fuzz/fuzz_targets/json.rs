//! The reader of what agents and servers send: `cargo +nightly fuzz run json` in the repository's folder.

#![no_main]

#[path = "../../tests/support/any_json.rs"]
mod any_json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any_json::read(data));
