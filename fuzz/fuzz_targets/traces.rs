//! The readers of `verify`: `cargo +nightly fuzz run traces` in the repository's folder.

#![no_main]

#[path = "../../tests/support/any_trace.rs"]
mod any_trace;

libfuzzer_sys::fuzz_target!(|data: &[u8]| any_trace::read(data));
