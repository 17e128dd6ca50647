//! Lists that are written by hand once and compared from then on: files next to this one.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tidy")
        .join(name)
}

/// The generated files are to be written, not compared.
#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not of the program"
)]
pub(crate) fn is_updating() -> bool {
    std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1")
}

fn lines(name: &str) -> BTreeSet<String> {
    fs::read_to_string(path(name))
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn written(lines: &BTreeSet<String>) -> String {
    lines
        .iter()
        .fold(String::new(), |text, line| text + line + "\n")
}

/// Writes the file `name`.
pub(crate) fn write(name: &str, text: &str) {
    fs::write(path(name), text).expect("the list can be written");
}

/// Compares what is `found` with the file `name`.
pub(crate) fn compare(name: &str, found: &BTreeSet<String>, help: &str) {
    let known = lines(name);
    if is_updating() && *found != known {
        write(name, &written(found));
        return;
    }
    let new: Vec<&String> = found.difference(&known).collect();
    let gone: Vec<&String> = known.difference(found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}\nhelp: {help}"
    );
}
