//! Lists that are written by hand once and compared from then on: files next to this one.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tidy")
        .join(name)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not of the program"
)]
fn updating() -> bool {
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

/// Compares what is `found` with the file `name`.
pub(crate) fn compare(name: &str, found: &BTreeSet<String>, help: &str) {
    let known = lines(name);
    if updating() && *found != known {
        fs::write(path(name), written(found)).expect("the list can be written");
        return;
    }
    let new: Vec<&String> = found.difference(&known).collect();
    let gone: Vec<&String> = known.difference(found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}\nhelp: {help}"
    );
}
