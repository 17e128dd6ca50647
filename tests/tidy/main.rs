//! Rules of the house that no compiler checks: who may know whom, how long a file may be, what must not be committed.

mod added_lines;
mod code_map;
mod crates;
mod directions;
mod file_names;
mod golden;
mod graph;
mod house;
mod licences;
mod lines;
mod package;
mod pages;
mod quoted;
mod repository;
mod scan;
mod sizes;
mod skeleton;
mod versions;
mod voice;
mod walks;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use code_map::LONGEST_MAP;
use house::PER_PLATFORM;
use repository::{File, code, is_page, place, read, repository, root, rust_files};
use scan::{tokens, type_names, without_tests};

/// Fails with all of `problems` and what to do about them.
fn expect_none(problems: &[String], help: &str) {
    let mut message = String::new();
    for problem in problems {
        let _ = writeln!(message, "  {problem}");
    }
    assert!(
        problems.is_empty(),
        "{} found:\n{message}help: {help}",
        problems.len()
    );
}

/// The marks of unfinished work in `text`, by line.
fn unfinished(text: &str) -> Vec<(usize, String)> {
    // Put together here, so that this file does not contain them itself.
    let words = [["TO", "DO"], ["FIX", "ME"], ["X", "XX"]].map(|halves| halves.concat());
    let calls = [["to", "do!"], ["unimple", "mented!"]].map(|halves| halves.concat());
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut parts = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let word = parts
            .find(|part| words.iter().any(|word| part == word))
            .map(str::to_owned);
        if let Some(mark) = word.or_else(|| {
            calls
                .iter()
                .find(|call| line.contains(call.as_str()))
                .cloned()
        }) {
            found.push((index + 1, mark));
        }
    }
    found
}

/// The paths in `text` that exist on one machine only, by line.
fn machine_paths(text: &str, in_tests: bool) -> Vec<(usize, String)> {
    let folders = ["home", "root", "Users", "work", "tmp"].map(|folder| format!("/{folder}/"));
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in &folders {
            let allowed_in_tests = folder == "/tmp/" || folder == "/home/";
            let begins_a_path = |at: usize| {
                let before = line[..at].chars().next_back();
                let after = line[at + folder.len()..].chars().next();
                !before.is_some_and(|c| c.is_alphanumeric() || "._-~*}$".contains(c))
                    && after.is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_')
            };
            if !(in_tests && allowed_in_tests)
                && line.match_indices(folder).any(|(at, _)| begins_a_path(at))
            {
                found.push((index + 1, folder.clone()));
            }
        }
    }
    found
}

#[test]
fn the_public_interface_is_a_list() {
    let root = read("src/lib.rs");
    golden::compare(
        "public.txt",
        &scan::public_items(&root),
        "is it meant to be public? `ANANKE_UPDATE=1 cargo test` writes the list",
    );
}

#[test]
fn the_walks_name_what_exists() {
    let page = read("CONTRIBUTING.md");
    let (problems, rows) = walks::wrong(&page, root());
    expect_none(&problems, "say in CONTRIBUTING.md where it is now");
    assert!(rows >= 20, "the walks of CONTRIBUTING.md have {rows} rows");
}

#[test]
fn links_lead_somewhere() {
    let files: Vec<File> = repository()
        .into_iter()
        .filter(|file| is_page(&file.path))
        .collect();
    let pages = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    let problems = pages::wrong(&pages, |path| root().join(path).exists());
    expect_none(
        &problems,
        "correct the path or the anchor, or link the page from where a reader looks for it",
    );
}

#[test]
fn quoted_sentences_become_fewer() {
    let files: Vec<File> = repository()
        .into_iter()
        .filter(|file| {
            is_page(&file.path) && (file.path == "README.md" || file.path.starts_with("docs/"))
        })
        .filter(|file| !file.path.ends_with("licences.md"))
        .collect();
    let pages = files
        .iter()
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    expect_none(
        &quoted::wrong(&pages),
        "write the sentence plainly, and lower the number in tests/tidy/quoted_sentences.txt",
    );
}

fn is_source(path: &str) -> bool {
    place(path).is_some() && !path.ends_with("/fakes.rs")
}

/// The texts of `file` that users read, line by line: the text of a document, the comments of an example, the
/// descriptions of a schema, the help of a command, the messages of the program.
fn read_by_users(file: &File) -> Vec<(usize, &str)> {
    let is_document = is_page(&file.path) && !file.path.starts_with("tests/");
    if is_document {
        pages::prose(&file.text)
    } else if file.path.starts_with("specs/") || file.path == "ananke.config.yaml" {
        let lines = (1..).zip(file.text.lines());
        lines
            .filter_map(|(number, line)| Some((number, line.trim_start().strip_prefix('#')?)))
            .collect()
    } else if file.path.starts_with("schema/") {
        (1..)
            .zip(file.text.lines())
            .filter(|(_, line)| line.contains("\"description\": "))
            .collect()
    } else if file.path.starts_with("src/cli/") && file.text.contains("clap::") {
        let lines = (1..).zip(file.text.lines());
        lines
            .filter_map(|(number, line)| Some((number, line.trim_start().strip_prefix("///")?)))
            .collect()
    } else if is_source(&file.path) {
        scan::sentences(&file.text)
    } else {
        Vec::new()
    }
}

#[test]
fn words_are_plain() {
    let problems = repository()
        .iter()
        .flat_map(|file| said(file, read_by_users(file)))
        .collect::<Vec<_>>();
    expect_none(
        &problems,
        "the words are in tests/tidy/words.rs, with what to say instead",
    );
}

#[test]
fn comments_are_plain() {
    let all = repository().into_iter();
    let sources = all.filter(|file| place(&file.path).is_some());
    let said = |file: &File| {
        scan::comments(&file.text)
            .into_iter()
            .flat_map(|comment| said(file, comment))
            .collect::<Vec<_>>()
    };
    let problems: Vec<String> = sources.flat_map(|file| said(&file)).collect();
    expect_none(
        &problems,
        "the words are in tests/tidy/words.rs, with what to say instead",
    );
}

/// The words of `lines` of `file` that are never said.
fn said(file: &File, lines: Vec<(usize, &str)>) -> Vec<String> {
    let found = words::found(lines).into_iter();
    found
        .map(|found| {
            format!(
                "{}:{}: \"{}\": say \"{}\"",
                file.path, found.line, found.said, found.instead
            )
        })
        .collect()
}

/// The type names that more than one place of `files` defines, each with its files.
fn repeated_types(files: &[File]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in files {
        for name in type_names(&tokens(&file.text)) {
            places.entry(name).or_default().push(&file.path);
        }
    }
    let repeated = places
        .iter()
        .filter(|(name, files)| files.len() > 1 && !PER_PLATFORM.contains(&name.as_str()));
    repeated
        .map(|(name, files)| format!("`{name}`: {}", files.join(", ")))
        .collect()
}

#[test]
fn a_type_name_has_one_meaning() {
    expect_none(
        &repeated_types(&code()),
        "name each by what it is in its own folder: `TestChange`, `CompiledCapture`",
    );
}

#[test]
fn no_parameter_is_a_bare_boolean() {
    let of_file = |file: &File| {
        let found = scan::bool_parameters(&without_tests(&tokens(&file.text)));
        found
            .into_iter()
            .map(|found| format!("{}: {found}", file.path))
            .collect::<Vec<_>>()
    };
    let found: Vec<String> = code().iter().flat_map(of_file).collect();
    expect_none(
        &found,
        "a call says nothing with `true`: take an enum with two names, or write two functions",
    );
}

#[test]
fn nothing_is_left_unfinished() {
    let of_file = |file: &File| {
        let marks = unfinished(&file.text).into_iter();
        marks
            .map(|(line, mark)| format!("{}:{line}: {mark}", file.path))
            .collect::<Vec<_>>()
    };
    let problems: Vec<String> = rust_files().iter().flat_map(of_file).collect();
    expect_none(
        &problems,
        "do it now, or open an issue and say here what is true today",
    );
}

#[test]
fn every_file_says_what_it_is() {
    let silent = rust_files()
        .into_iter()
        .filter(|file| !file.text.starts_with("//!"));
    let problems: Vec<String> = silent.map(|file| file.path).collect();
    expect_none(
        &problems,
        "start the file with `//!`: its purpose, what flows in and out, one thing that always holds",
    );
}

#[test]
fn no_file_names_a_machine() {
    let mut problems = Vec::new();
    for file in repository() {
        let found = machine_paths(&file.text, file.path.starts_with("tests/"));
        problems.extend(
            found
                .iter()
                .map(|(line, folder)| format!("{}:{line}: a path below {folder}", file.path)),
        );
    }
    expect_none(
        &problems,
        "write the path relative to the repository, or to a folder the code makes for itself",
    );
}

#[test]
fn dependencies_come_from_crates_io() {
    let lock = read("Cargo.lock");
    let sources = lock
        .lines()
        .filter_map(|line| line.strip_prefix("source = "));
    let strangers: BTreeSet<&str> = sources
        .filter(|source| *source != "\"registry+https://github.com/rust-lang/crates.io-index\"")
        .collect();
    let problems: Vec<String> = strangers.into_iter().map(str::to_owned).collect();
    expect_none(
        &problems,
        "depend on a published version: a build must not need git or another registry",
    );
}

#[test]
fn the_code_map_has_a_row_for_every_crate() {
    let map = read("ARCHITECTURE.md");
    let files = code();
    let crates: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.split('/').next())
        .filter(|krate| !["ananke", "command"].contains(krate))
        .collect();
    expect_none(
        &code_map::without_row(&map, crates),
        "give the crate a row in the table of ARCHITECTURE.md: what it is, and what it knows",
    );
    let lines = map.lines().count();
    assert!(
        lines <= LONGEST_MAP,
        "ARCHITECTURE.md has {lines} lines, more than {LONGEST_MAP}\n\
         help: what is about one folder belongs to the first comment of its `mod.rs`"
    );
}

#[test]
fn every_folder_says_what_is_always_true_there() {
    let files = code();
    expect_none(
        &code_map::without_invariant(&files),
        "say in the first comment of the file what the folder is, and after `**Invariant:**` what is always true there",
    );
    expect_none(
        &code_map::unknown_names(&files),
        "write the name that it has now: the first comment of a folder is a map of it",
    );
}

#[test]
fn files_have_the_newest_version() {
    let problems: Vec<String> = repository()
        .iter()
        .flat_map(|file| {
            let wrong = versions::wrong(&file.path, &file.text).into_iter();
            wrong.map(|(line, version)| format!("{}:{line}: {version}", file.path))
        })
        .collect();
    expect_none(
        &problems,
        "write the newest schema version; code of the library takes it from `NEWEST_VERSION`",
    );
}

#[test]
fn the_changelog_names_this_version() {
    let log = read("CHANGELOG.md");
    let heading = format!("## {}", env!("CARGO_PKG_VERSION"));
    assert!(
        log.contains(&heading),
        "CHANGELOG.md has no `{heading}`\nhelp: say there what a user of this version gets"
    );
}

// The rules themselves must be able to fail.

#[test]
fn finds_a_type_name_with_two_meanings() {
    let found = |one: &str, other: &str| {
        repeated_types(&[File::new("a.rs", one), File::new("b/c.rs", other)])
    };
    assert_eq!(
        found("struct Change;", "pub(super) enum Change {}"),
        ["`Change`: a.rs, b/c.rs"]
    );
    assert_eq!(
        found("struct A; mod tests { struct A; }", ""),
        ["`A`: a.rs, a.rs"]
    );
    assert_eq!(found("struct Change;", "fn f(change: Change) {}"), [""; 0]);
    assert_eq!(
        found("struct Group;", "struct Group;"),
        [""; 0],
        "one for each operating system"
    );
}

#[test]
fn finds_unfinished_work() {
    let marks = [
        ["// TO", "DO: later"],
        ["/* FIX", "ME */"],
        ["to", "do!()"],
        ["unimple", "mented!()"],
    ];
    for mark in marks.map(|halves| halves.concat()) {
        assert_eq!(
            unfinished(&format!("fn f() {{}}\n{mark}")).len(),
            1,
            "{mark}"
        );
    }
    assert!(unfinished("a TODOS list, todo(x), unimplemented").is_empty());
}

#[test]
fn finds_a_path_of_a_machine() {
    let found = |text: &str, in_tests| machine_paths(text, in_tests).len();
    let path = |folder: &str| format!("see \"/{folder}/ada/x\"");
    assert_eq!(found(&path("root"), true), 1);
    assert_eq!(found(&path("home"), false), 1);
    assert_eq!(found(&path("home"), true), 0);
    assert_eq!(found(&path("tmp"), false), 1);
    assert_eq!(
        found(
            "https://example.org/home/ada ./tmp/x $HOME/code/x /homes/",
            false
        ),
        0
    );
}
