//! What the rules of the house do not hold for yet: lists beside this file that only get shorter.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tidy").join(name)
}

#[expect(clippy::disallowed_methods, reason = "a switch of the test run, not of the program")]
fn updating() -> bool {
    std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1")
}

fn lines(name: &str) -> BTreeSet<String> {
    fs::read_to_string(path(name)).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn written(lines: &BTreeSet<String>) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

/// Compares what is `found` with the list of exceptions `name`. An update writes the list only if it does not grow; a
/// list that is empty has no file.
pub(crate) fn compare(name: &str, found: &BTreeSet<String>, help: &str) {
    let name = format!("exceptions-{name}.txt");
    let allowed = lines(&name);
    if *found == allowed {
        return;
    }
    if updating() && found.len() <= allowed.len() {
        if found.is_empty() {
            fs::remove_file(path(&name)).expect("the list can be removed");
        } else {
            fs::write(path(&name), written(found)).expect("the list can be written");
        }
        return;
    }
    let mut message = String::new();
    for line in found.difference(&allowed) {
        let _ = writeln!(message, "  {line}");
    }
    assert!(message.is_empty(), "new exceptions:\n{message}help: {help}");
    let gone: Vec<&String> = allowed.difference(found).collect();
    panic!("{gone:#?}\nno longer need an exception: `ANANKE_UPDATE=1 cargo test` takes them out of {name}");
}

/// Compares what is `found` with the file `name`.
pub(crate) fn golden(name: &str, found: &BTreeSet<String>, help: &str) {
    let known = lines(name);
    if updating() && *found != known {
        fs::write(path(name), written(found)).expect("the list can be written");
        return;
    }
    let new: Vec<&String> = found.difference(&known).collect();
    let gone: Vec<&String> = known.difference(found).collect();
    assert!(new.is_empty() && gone.is_empty(), "new: {new:#?}\ngone: {gone:#?}\nhelp: {help}");
}
