//! The requests to the servers of ananke itself: `cargo +nightly fuzz run requests` in the repository's folder.

#![no_main]

#[path = "../../tests/support/any_request.rs"]
mod any_request;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any_request::read(data));
