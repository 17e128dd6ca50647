//! The sizes of files and crates.

use std::collections::BTreeMap;

use super::expect_none;
use super::house::{LINES_OF_CODE, LONGEST_FILE, MEDIAN_FILE};
use super::repository::{File, code, read, rust_files};

#[test]
fn files_are_short() {
    let lines = |file: &File| file.text.lines().count();
    let long = rust_files()
        .into_iter()
        .filter(|file| lines(file) > LONGEST_FILE);
    let problems: Vec<String> = long
        .map(|file| format!("{}: {} lines", file.path, lines(&file)))
        .collect();
    expect_none(
        &problems,
        &format!("split it by subject: no file is longer than {LONGEST_FILE} lines"),
    );

    let mut source: Vec<usize> = code().iter().map(lines).collect();
    source.sort_unstable();
    let page = read("CONTRIBUTING.md");
    let sentence = format!(
        "No file is longer than {LONGEST_FILE} lines; half of the files are shorter than {MEDIAN_FILE}."
    );
    assert!(
        page.contains(&sentence),
        "CONTRIBUTING.md does not say: {sentence}"
    );
    let median = source[source.len() / 2];
    assert!(
        median <= MEDIAN_FILE,
        "the median file has {median} lines\nhelp: split the longer ones; {MEDIAN_FILE} is the limit"
    );
}

/// Whether the file is a module that is compiled for tests alone.
pub(super) fn is_of_tests(path: &str, files: &[File]) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return false;
    };
    let declared = format!("#[cfg(test)]\nmod {};", name.trim_end_matches(".rs"));
    let mut maps = files.iter().filter(|file| {
        let in_folder = file.path.strip_prefix(folder);
        matches!(in_folder, Some("/lib.rs" | "/mod.rs" | "/main.rs"))
    });
    maps.any(|map| map.text.contains(&declared))
}

#[test]
fn no_crate_grows_without_a_reason() {
    let mut counted: BTreeMap<String, usize> = BTreeMap::new();
    let files = code();
    for file in &files {
        if is_of_tests(&file.path, &files) {
            continue;
        }
        let krate = file.path.split('/').next().unwrap_or_default().to_owned();
        *counted.entry(krate).or_default() += super::lines::of_code(&file.text);
    }
    let allowed: BTreeMap<&str, usize> = LINES_OF_CODE.iter().copied().collect();
    let problems: Vec<String> = counted
        .iter()
        .filter(|(krate, lines)| allowed.get(krate.as_str()).is_none_or(|most| *lines > most))
        .map(|(krate, lines)| format!("{krate}: {lines} lines of code"))
        .collect();
    expect_none(
        &problems,
        "say it in fewer lines, or raise the number in tests/tidy/house.rs and give the reason in the commit",
    );
}
