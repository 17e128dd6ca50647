//! Rules of the house that no compiler checks: who may know whom, how long a file may be, what must not be committed.

mod crates;
mod golden;
mod graph;
mod pages;
mod scan;
mod walks;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use scan::{
    crate_paths, module_of, names_crate, tokens, type_names, without_tests, words_and_texts,
};

/// The top-level modules of the library in the direction of the data. A module may use those of earlier lines, never
/// those of later lines nor its neighbours on the same line.
const DIRECTION: &[&[&str]] = &[
    &["context"],
    &["text"],
    &["statistics"],
    &["reduction"],
    &["diagnostic"],
    &["source"],
    &["message"],
    &["model"],
    &["schema"],
    &["variables"],
    &["redact"],
    &["process"],
    &["http_server"],
    &["trace"],
    &["golden"],
    // Inert data; this early because `assertion` answers with its `Failure` and `Level`.
    &["outcome"],
    &["coverage"],
    &["assertion"],
    &["agents"],
    &["project"],
    &["compile"],
    &["cases"],
    &["plan"],
    &["hook"],
    &["server"],
    &["recording"],
    &["input"],
    &["engine"],
    &["helper", "observed"],
    &["run"],
    &["freeze"],
    &["shrink"],
    &["mutation"],
    &["record"],
    &["verify"],
    &["compare"],
    &["report", "audit", "contract"],
    &["testing", "mock", "proxy"],
    &["cli"],
];

/// The only things that one module may use of another. (Who, of whom, what.)
const ONLY: &[(&str, &str, &[&str])] = &[
    (
        "report",
        "run",
        &["EventReceiver", "ExchangePart", "RunEvent"],
    ),
    ("recording", "hook", &[]),
];

/// Third-party crates that only one place may know, by the name that code uses.
const KNOWN_ONLY_BY: &[(&str, &[&str])] = &[
    ("aho_corasick", &["redact/"]),
    ("annotate_snippets", &["diagnostic/render/"]),
    ("clap", &["cli/"]),
    ("clap_complete", &["cli/completions.rs"]),
    ("clap_mangen", &["cli/completions.rs"]),
    ("compact_str", &["text/short_text.rs"]),
    ("csv", &["compile/rows/"]),
    ("flate2", &["agents/http/"]),
    ("hyper", &["http_server/", "agents/"]),
    ("hyper_util", &["http_server/", "agents/"]),
    ("jiff", &["context/day.rs"]),
    ("jsonschema", &["schema/"]),
    ("notify", &["cli/watch/"]),
    ("quick_xml", &["report/"]),
    ("reqwest", &["agents/"]),
    ("ring", &["report/file/html/"]),
    ("rustix", &["process/"]),
    ("rustls", &["agents/"]),
    // The reader and the translation of its errors.
    (
        "serde_yaml",
        &[
            "source/yaml.rs",
            "source/yaml_error.rs",
            "source/yaml_place.rs",
        ],
    ),
    ("similar", &["diagnostic/"]),
    ("strsim", &["text/"]),
    ("unicode_width", &["text/"]),
    ("uuid", &["context/"]),
];

/// The folders of `agents/` that are not protocols: every protocol may use them.
const TRANSPORTS: [&str; 2] = ["http", "pipe"];

/// Words that belong to one protocol, in small letters: no other code names it. (The folder of `agents/`, its words.)
/// `threadId` and `forwardedProps` are none: tests and targets of several protocols have these keys.
const PROTOCOL_WORDS: &[(&str, &[&str])] = &[
    ("a2a", &["a2a", "agent_card", "agentcard"]),
    ("mcp", &["mcp"]),
    (
        "agui",
        &[
            "agui",
            "ag_ui",
            "ag-ui",
            "copilot",
            "run_finished",
            "tool_call_start",
        ],
    ),
    ("scripted", &["scripted"]),
];

/// Types that are defined once for each operating system.
const PER_PLATFORM: [&str; 3] = ["Group", "GroupSetup", "Signals"];

/// Every file has a purpose that fits on a few screens.
const LONGEST_FILE: usize = 900;
/// Half of the files fit on two.
const MEDIAN_FILE: usize = 190;

/// A file of the repository: its path with `/`, and its text.
struct File {
    path: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every text file of the repository that is not ignored, sorted by path.
fn repository() -> Vec<File> {
    let walk = ignore::WalkBuilder::new(root())
        .hidden(false)
        .sort_by_file_path(Path::cmp)
        .build();
    let files = walk
        .map(|entry| entry.expect("the repository can be read"))
        .filter(|entry| entry.path().is_file());
    let named = files.filter_map(|entry| {
        let path = entry
            .path()
            .strip_prefix(root())
            .ok()?
            .to_str()?
            .replace('\\', "/");
        let ours = !path.starts_with(".git/") && path != ".git" && !path.starts_with("target/");
        ours.then(|| {
            Some(File {
                text: fs::read_to_string(entry.path()).ok()?,
                path,
            })
        })
        .flatten()
    });
    named.collect()
}

/// The Rust files below `folder`, with paths from there.
fn rust_files(folder: &str) -> Vec<File> {
    let below = |file: File| {
        let path = file
            .path
            .strip_prefix(folder)?
            .strip_prefix('/')?
            .to_owned();
        let is_rust = Path::new(&path)
            .extension()
            .is_some_and(|extension| extension == "rs");
        is_rust.then_some(File {
            path,
            text: file.text,
        })
    };
    repository().into_iter().filter_map(below).collect()
}

/// Whether `path` is a document.
fn is_page(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "md")
}

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

fn rank(module: &str) -> Option<usize> {
    DIRECTION.iter().position(|line| line.contains(&module))
}

/// What is wrong with the paths that `file` (below `src/`) uses; `protocols` are the folders of `agents`.
fn wrong_directions(file: &File, protocols: &BTreeSet<String>) -> Vec<String> {
    let module = module_of(&file.path);
    let Some(own) = module.first() else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    if rank(own).is_none() {
        problems.push(format!(
            "src/{}: the module `{own}` has no line in the table",
            file.path
        ));
    }
    for path in crate_paths(&without_tests(&tokens(&file.text)), &module) {
        let Some(other) = path.first() else { continue };
        let whole = path.join("::");
        let (Some(from), Some(to)) = (rank(own), rank(other)) else {
            continue;
        };
        if own != other && to >= from {
            problems.push(format!(
                "src/{}: `{own}` must not know `crate::{whole}`",
                file.path
            ));
        }
        let limit = ONLY
            .iter()
            .find(|(who, whom, _)| who == own && whom == other);
        if let Some((_, _, allowed)) = limit
            && !path
                .get(1)
                .is_some_and(|item| allowed.contains(&item.as_str()))
        {
            problems.push(format!(
                "src/{}: of `{other}`, `{own}` may know only {allowed:?}, not `crate::{whole}`",
                file.path
            ));
        }
        let of_protocol = |path: &[String]| path.get(1).filter(|_| path[0] == "agents").cloned();
        if let (Some(mine), Some(theirs)) = (of_protocol(&module), of_protocol(&path))
            && mine != theirs
            && protocols.contains(&mine)
            && protocols.contains(&theirs)
        {
            problems.push(format!(
                "src/{}: the protocol `{mine}` must not know `{theirs}`",
                file.path
            ));
        }
    }
    problems
}

/// The third-party crates that `file` (below `src/`) names though they are another module's business.
fn wrong_crates(file: &File) -> Vec<String> {
    let tokens = tokens(&file.text);
    let strangers = KNOWN_ONLY_BY.iter().filter(|(name, places)| {
        !places.iter().any(|place| file.path.starts_with(place)) && names_crate(&tokens, name)
    });
    strangers
        .map(|(name, places)| {
            format!(
                "src/{}: names `{name}`, which belongs to {places:?}",
                file.path
            )
        })
        .collect()
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
fn modules_know_only_what_comes_before_them() {
    let files = rust_files("src");
    let folder = |file: &File| {
        Some(
            file.path
                .strip_prefix("agents/")?
                .split_once('/')?
                .0
                .to_owned(),
        )
    };
    let is_protocol = |folder: &String| !TRANSPORTS.contains(&folder.as_str());
    let protocols: BTreeSet<String> = files
        .iter()
        .filter_map(folder)
        .filter(is_protocol)
        .collect();
    let problems: Vec<String> = files
        .iter()
        .flat_map(|file| wrong_directions(file, &protocols))
        .collect();
    expect_none(
        &problems,
        "move the code to the module that needs it, or pass in what it needs; the table is DIRECTION in tests/tidy/main.rs",
    );
}

/// The words of protocols that `file` (below `src/`) may not use: in names and in texts, not in comments.
fn strange_words(file: &File) -> BTreeSet<String> {
    let words: Vec<String> = words_and_texts(&file.text)
        .into_iter()
        .map(|word| word.to_ascii_lowercase())
        .collect();
    let strange = PROTOCOL_WORDS.iter().filter(|(folder, _)| {
        // The registry names the protocols, and `mod.rs` declares their folders.
        let names_all = ["agents/registry.rs", "agents/mod.rs"].contains(&file.path.as_str());
        !file.path.starts_with(&format!("agents/{folder}/")) && !names_all
    });
    let strange = strange.flat_map(|(_, strange)| strange.iter());
    let found = strange.filter(|strange| words.iter().any(|word| word.contains(*strange)));
    found
        .map(|strange| format!("{}: `{strange}`", file.path))
        .collect()
}

#[test]
fn files_form_no_circle() {
    let files = rust_files("src");
    let graph = graph::Graph::new(
        files
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str())),
    );
    let circles: Vec<String> = graph
        .circles()
        .iter()
        .map(|circle| circle.join(", "))
        .collect();
    expect_none(
        &circles,
        "move what several files need into a file of its own that knows none of them",
    );
}

#[test]
fn a_name_comes_from_the_file_that_defines_it() {
    let files = rust_files("src");
    let graph = graph::Graph::new(
        files
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str())),
    );
    expect_none(
        &graph.detours(),
        "import it from there: a `mod.rs` above a file re-exports for other folders alone",
    );
}

#[test]
fn a_protocol_is_named_in_its_folder_alone() {
    // Fakes are only for unit tests, which may name any protocol.
    let files = rust_files("src")
        .into_iter()
        .filter(|file| !file.path.ends_with("/fakes.rs"));
    let words: Vec<String> = files.flat_map(|file| strange_words(&file)).collect();
    expect_none(
        &words,
        "ask the protocol through `Protocol` or `Capabilities` instead",
    );
}

#[test]
fn the_public_interface_is_a_list() {
    let root = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs is committed");
    golden::compare(
        "public.txt",
        &scan::public_items(&root),
        "is it meant to be public? `ANANKE_UPDATE=1 cargo test` writes the list",
    );
}

#[test]
fn the_walks_name_what_exists() {
    let page =
        fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md is committed");
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

fn is_source(path: &str) -> bool {
    is_rust(path) && path.starts_with("src/") && !path.ends_with("/fakes.rs")
}

fn is_rust(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "rs")
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
    let sources = all.filter(|file| file.path.starts_with("src/") && is_rust(&file.path));
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
        &repeated_types(&rust_files("src")),
        "name each by what it is in its own folder: `TestChange`, `CompiledCapture`",
    );
}

#[test]
fn no_parameter_is_a_bare_boolean() {
    let of_file = |file: &File| {
        let found = scan::bool_parameters(&without_tests(&tokens(&file.text)));
        found
            .into_iter()
            .map(|found| format!("src/{}: {found}", file.path))
            .collect::<Vec<_>>()
    };
    let found: Vec<String> = rust_files("src").iter().flat_map(of_file).collect();
    expect_none(
        &found,
        "a call says nothing with `true`: take an enum with two names, or write two functions",
    );
}

#[test]
fn crates_are_known_by_one_place() {
    let problems: Vec<String> = rust_files("src").iter().flat_map(wrong_crates).collect();
    expect_none(
        &problems,
        "use what that place offers, or add it there; the table is KNOWN_ONLY_BY in tests/tidy/main.rs",
    );
}

#[test]
fn files_are_short() {
    let folders = ["src", "tests", "benches"];
    let mut lines = BTreeMap::new();
    for folder in folders {
        for file in rust_files(folder) {
            lines.insert(format!("{folder}/{}", file.path), file.text.lines().count());
        }
    }
    let long = lines.iter().filter(|(_, lines)| **lines > LONGEST_FILE);
    let problems: Vec<String> = long
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    expect_none(
        &problems,
        &format!("split it by subject: no file is longer than {LONGEST_FILE} lines"),
    );

    let mut source: Vec<usize> = lines
        .iter()
        .filter(|(path, _)| path.starts_with("src/"))
        .map(|(_, lines)| *lines)
        .collect();
    source.sort_unstable();
    let median = source[source.len() / 2];
    assert!(
        median <= MEDIAN_FILE,
        "the median file of src has {median} lines\nhelp: split the longer ones; {MEDIAN_FILE} is the limit"
    );
}

#[test]
fn nothing_is_left_unfinished() {
    let mut problems = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for file in rust_files(folder) {
            let marks = unfinished(&file.text);
            problems.extend(
                marks
                    .iter()
                    .map(|(line, mark)| format!("{folder}/{}:{line}: {mark}", file.path)),
            );
        }
    }
    expect_none(
        &problems,
        "do it now, or open an issue and say here what is true today",
    );
}

#[test]
fn every_file_says_what_it_is() {
    let mut problems = Vec::new();
    for folder in ["src", "tests", "benches"] {
        let silent = rust_files(folder)
            .into_iter()
            .filter(|file| !file.text.starts_with("//!"));
        problems.extend(silent.map(|file| format!("{folder}/{}", file.path)));
    }
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
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock is committed");
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
fn the_code_map_names_every_module() {
    let map =
        fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is committed");
    let modules: BTreeSet<String> = rust_files("src")
        .iter()
        .filter_map(|file| module_of(&file.path).into_iter().next())
        .collect();
    let missing = modules
        .iter()
        .filter(|module| !map.contains(&format!("`{module}/`")));
    let problems: Vec<String> = missing.map(|module| format!("`{module}/`")).collect();
    expect_none(
        &problems,
        "give the folder a paragraph in ARCHITECTURE.md: what it does, and what always holds there",
    );
}

#[test]
fn the_changelog_names_this_version() {
    let log = fs::read_to_string(root().join("CHANGELOG.md")).expect("CHANGELOG.md is committed");
    let heading = format!("## {}", env!("CARGO_PKG_VERSION"));
    assert!(
        log.contains(&heading),
        "CHANGELOG.md has no `{heading}`\nhelp: say there what a user of this version gets"
    );
}

// The rules themselves must be able to fail.

fn directions(path: &str, text: &str) -> Vec<String> {
    let file = File {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    wrong_directions(
        &file,
        &BTreeSet::from(["agui".to_owned(), "scripted".to_owned()]),
    )
}

#[test]
fn finds_a_wrong_direction() {
    assert_eq!(
        directions("report/junit.rs", "use crate::outcome::Outcome;"),
        [""; 0]
    );
    assert_eq!(
        directions("model/mod.rs", "use crate::run::RunEvent;").len(),
        1
    );
    assert_eq!(
        directions("model/leaf.rs", "use super::super::cli::Args;").len(),
        1
    );
    assert_eq!(
        directions("mock/mod.rs", "fn f() { crate::testing::open() }").len(),
        1,
        "neighbours"
    );
    assert_eq!(
        directions("utils/mod.rs", "").len(),
        1,
        "no line in the table"
    );
    assert_eq!(
        directions("main.rs", "mod cli; use crate::cli::go;"),
        [""; 0]
    );
}

#[test]
fn finds_what_a_report_must_not_see_of_a_run() {
    assert_eq!(
        directions("report/junit.rs", "use crate::run::RunEvent;"),
        [""; 0]
    );
    assert_eq!(
        directions("report/junit.rs", "use crate::run::{RunEvent, Engine};").len(),
        1
    );
    assert_eq!(directions("report/junit.rs", "use crate::run;").len(), 1);
}

#[test]
fn finds_a_protocol_that_knows_another() {
    assert_eq!(
        directions("agents/agui/mod.rs", "use crate::agents::http::Client;"),
        [""; 0]
    );
    assert_eq!(
        directions("agents/agui/mod.rs", "use super::scripted::Rule;").len(),
        1
    );
    assert_eq!(
        directions("agents/mod.rs", "pub mod agui; use self::scripted::Rule;"),
        [""; 0]
    );
}

#[test]
fn finds_a_type_name_with_two_meanings() {
    let file = |path: &str, text: &str| File {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let found =
        |one: &str, other: &str| repeated_types(&[file("a.rs", one), file("b/c.rs", other)]);
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
fn finds_a_crate_in_the_wrong_place() {
    let found = |path: &str, text: &str| {
        wrong_crates(&File {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .len()
    };
    assert_eq!(found("cli/run.rs", "use clap::Args;"), 0);
    assert_eq!(found("run/mod.rs", "use clap::Args;"), 1);
    assert_eq!(
        found(
            "source/node.rs",
            "#[cfg(test)] mod tests { fn f() { serde_yaml::from_str() } }"
        ),
        1
    );
    assert_eq!(found("source/yaml.rs", "use serde_yaml::Spanned;"), 0);
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
