//! The sizes of files and crates.

use std::collections::BTreeMap;

use super::added_lines::{ADDED, AddedLines};
use super::expect_none;
use super::house::{
    LARGER_CRATES, LARGEST_CRATE, LONGEST_FILE, MEDIAN_FILE, MOST_FILES, SUM_AT_34,
};
use super::repository::{File, code, read, rust_files};
use super::scan::{tokens, type_names, without_tests};

/// A file with fewer lines in all has a type of its own.
const SHORT_FILE: usize = 40;

/// The shorter files without a type of their own. The list only becomes shorter.
const SHORT_FILES: &[&str] = &[
    // The module is part of the public interface.
    "ananke/plan.rs",
    // The registry of formats, which knows each of them.
    "verify/trace_formats.rs",
    // A fact of the system, which only this folder may ask.
    "trace/process/host_name.rs",
    // A macro that defines types in several files.
    "trace/outcome/words.rs",
    "agui/signs.rs",
    "command/cli/select/load.rs",
    "command/cli/output/paths.rs",
    "command/cli/frame/runtime.rs",
    "rules/evaluation/undecided.rs",
    "rules/near_values.rs",
    "rules/question_keys.rs",
    "rules/sequence/walk.rs",
    "rules/text/collect.rs",
];

/// Whether `file` belongs to its neighbour: it is short and has no type of its own. `mod.rs`, `lib.rs` and `main.rs` are maps.
fn belongs_to_its_neighbour(file: &File) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    if matches!(name, "mod.rs" | "lib.rs" | "main.rs") || file.text.lines().count() >= SHORT_FILE {
        return false;
    }
    type_names(&without_tests(&tokens(&file.text))).is_empty()
}

#[test]
fn a_short_file_has_a_type_of_its_own() {
    let files = code();
    let short: Vec<&str> = files
        .iter()
        .filter(|file| belongs_to_its_neighbour(file))
        .map(|file| file.path.as_str())
        .collect();
    let mut problems = Vec::new();
    for path in &short {
        if !SHORT_FILES.contains(path) {
            problems.push(format!("{path}: fewer than {SHORT_FILE} lines and no type"));
        }
    }
    for path in SHORT_FILES {
        if !short.contains(path) {
            problems.push(format!("{path}: is in SHORT_FILES, and need not be"));
        }
    }
    expect_none(
        &problems,
        "move the code to the file that uses it, or take the path out of SHORT_FILES in tests/tidy/sizes.rs",
    );
}

#[test]
fn finds_a_short_file_without_a_type() {
    let is_found = |path: &str, text: &str| belongs_to_its_neighbour(&File::new(path, text));
    assert!(is_found("run/a.rs", "fn f() {}"));
    assert!(is_found("run/a.rs", &"\n".repeat(SHORT_FILE - 1)));
    assert!(!is_found("run/a.rs", &"\n".repeat(SHORT_FILE)));
    let of_tests = "fn f() {}\n#[cfg(test)]\nmod tests {\n    struct Fake;\n}\n";
    assert!(is_found("run/a.rs", of_tests));
    for own in [
        "struct A;",
        "pub enum A {}",
        "trait A {}",
        "pub(crate) type A = u8;",
    ] {
        assert!(!is_found("run/a.rs", own), "{own}");
    }
    for map in ["run/lib.rs", "run/context/mod.rs", "command/main.rs"] {
        assert!(!is_found(map, "fn f() {}"), "{map}");
    }
}

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
    // Tests of what is private to a file are declared there.
    let of_file = format!("#[cfg(test)]\n#[path = \"{name}\"]\nmod tests;");
    let mut in_folder = files
        .iter()
        .filter(|file| match file.path.strip_prefix(folder) {
            Some(rest) => rest[1..].find('/').is_none(),
            None => false,
        });
    in_folder.any(|file| {
        let is_map = ["/lib.rs", "/mod.rs", "/main.rs"]
            .iter()
            .any(|map| file.path.ends_with(map));
        is_map && file.text.contains(&declared) || file.text.contains(&of_file)
    })
}

/// The lines of code of each crate.
fn lines_of_crates() -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    let files = code();
    for file in &files {
        if is_of_tests(&file.path, &files) {
            continue;
        }
        let krate = file.path.split('/').next().unwrap_or_default().to_owned();
        *counted.entry(krate).or_default() += super::lines::of_code(&file.text);
    }
    counted
}

/// The limits that these numbers of lines exceed: that of a crate, and that of all together.
fn exceeded(counted: &BTreeMap<String, usize>, added: &[AddedLines]) -> Vec<String> {
    let mut problems = Vec::new();
    for (krate, lines) in counted {
        let larger = LARGER_CRATES.iter().find(|(name, _)| name == krate);
        let mut most = larger.map_or(LARGEST_CRATE, |(_, most)| *most);
        for row in added {
            if row.krate == krate {
                most += row.lines;
            }
        }
        if *lines > most {
            problems.push(format!("{krate}: {lines} lines of code, and {most} may be"));
        }
    }
    let sum: usize = counted.values().sum();
    let most = SUM_AT_34 + added.iter().map(|row| row.lines).sum::<usize>();
    if sum > most {
        problems.push(format!(
            "all crates: {sum} lines of code, and {most} may be"
        ));
    }
    problems
}

#[test]
fn no_crate_grows_without_a_reason() {
    for row in ADDED {
        assert!(
            !row.what.is_empty() && row.stage.starts_with(|first: char| first.is_ascii_digit()),
            "a row of ADDED does not say its stage and what it is for: {} {}",
            row.stage,
            row.krate
        );
    }
    expect_none(
        &exceeded(&lines_of_crates(), ADDED),
        "say it in fewer lines; a stage that brings a protocol or a capability adds a row to ADDED in tests/tidy/added_lines.rs before it",
    );
}

#[test]
fn finds_a_crate_and_a_sum_that_are_too_large() {
    let counted = |krate: &str, lines| BTreeMap::from([(krate.to_owned(), lines)]);
    let row = |krate, lines| AddedLines {
        stage: "35a",
        krate,
        lines,
        what: "a protocol",
    };
    let of_http = counted("http", LARGEST_CRATE + 1);
    assert_eq!(exceeded(&of_http, &[]).len(), 1);
    assert_eq!(exceeded(&of_http, &[row("http", 1)]), [""; 0]);
    assert_eq!(exceeded(&of_http, &[row("report", 1)]).len(), 1);
    let half = SUM_AT_34 / 2 + 1;
    let both = BTreeMap::from([("rules".to_owned(), half), ("report".to_owned(), half)]);
    assert_eq!(exceeded(&both, &[]).len(), 3, "each, and all together");
    assert_eq!(exceeded(&counted("rules", LARGEST_CRATE + 1), &[]), [""; 0]);
}

/// The folders of `files` that have too many of them, with how many.
fn crowded_folders(files: &[File]) -> Vec<String> {
    let mut counts = BTreeMap::new();
    for file in files {
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            *counts.entry(folder).or_insert(0_usize) += 1;
        }
    }
    counts.retain(|_, count| *count > MOST_FILES);
    counts
        .into_iter()
        .map(|(folder, count)| format!("{folder}: {count} files"))
        .collect()
}

#[test]
fn folders_are_small() {
    expect_none(
        &crowded_folders(&code()),
        &format!("make rooms in it: no folder has more than {MOST_FILES} files"),
    );
}

#[test]
fn finds_a_crowded_folder() {
    let files = |count: usize| {
        let file = |number| File::new(&format!("run/hook/n{number}.rs"), "");
        (0..count).map(file).collect::<Vec<_>>()
    };
    assert_eq!(crowded_folders(&files(MOST_FILES)), [""; 0]);
    assert_eq!(
        crowded_folders(&files(MOST_FILES + 1)),
        [format!("run/hook: {} files", MOST_FILES + 1)]
    );
}
