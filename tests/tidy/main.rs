//! Rules of the house that no compiler checks: who may know whom, how long a file may be, what must not be committed.

mod code_map;
mod crates;
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
mod versions;
mod walks;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use code_map::LONGEST_MAP;
use graph::Graph;
use house::{
    KNOWN_ONLY_BY, LINES_OF_CODE, LONGEST_FILE, MEDIAN_FILE, MODULES, MOST_FILES, NAMES_PROTOCOLS,
    PER_PLATFORM, PROTOCOL_WORDS, PROTOCOLS,
};
use repository::{File, code, is_page, place, read, repository, root, rust_files};
use scan::{
    crate_paths, module_of, names_crate, tokens, type_names, without_tests, words_and_texts,
};

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

/// The room of `place`, a crate or a folder of the table, that `module` is in.
fn room_in<'m>(place: &str, module: &'m [String]) -> Option<&'m str> {
    let depth = place.split('/').count();
    let is_there = place
        .split('/')
        .eq(module.iter().take(depth).map(String::as_str));
    if is_there {
        module.get(depth).map(String::as_str)
    } else {
        None
    }
}

/// Whether the room `other` comes before `own`; `None` if one of them has no place in the table.
fn comes_before(rooms: &[&str], other: &str, own: &str) -> Option<bool> {
    let rank = |room: &str| rooms.iter().position(|known| *known == room);
    Some(rank(other)? < rank(own)?)
}

/// What is wrong with the paths that `file` uses; `graph` knows what stands behind a re-export.
fn wrong_directions(file: &File, graph: &Graph) -> Vec<String> {
    let module = module_of(&file.path);
    let paths = crate_paths(&without_tests(&tokens(&file.text)), &module);
    let mut problems = Vec::new();
    for (place, rooms) in MODULES {
        let Some(own) = room_in(place, &module) else {
            continue;
        };
        if !rooms.contains(&own) {
            problems.push(format!("{}: `{own}` is not in the table", file.path));
        }
        for path in &paths {
            let defined = graph.definition(path).map(module_of).unwrap_or_default();
            let others = [room_in(place, path), room_in(place, &defined)];
            if others
                .into_iter()
                .flatten()
                .any(|other| other != own && comes_before(rooms, other, own) == Some(false))
            {
                let whole = path.join("::");
                problems.push(format!("{}: `{own}` must not know `{whole}`", file.path));
            }
        }
    }
    problems
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

/// The third-party crates that `file` names though they are another module's business.
fn wrong_crates(file: &File) -> Vec<String> {
    let tokens = tokens(&file.text);
    let strangers = KNOWN_ONLY_BY.iter().filter(|(name, places)| {
        !places.iter().any(|place| file.path.starts_with(place)) && names_crate(&tokens, name)
    });
    strangers
        .map(|(name, places)| format!("{}: names `{name}`, which belongs to {places:?}", file.path))
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
    let files = code();
    let graph = Graph::of(&files);
    // Fakes are compiled for unit tests alone.
    let problems: Vec<String> = files
        .iter()
        .filter(|file| !file.path.ends_with("/fakes.rs"))
        .flat_map(|file| wrong_directions(file, &graph))
        .collect();
    expect_none(
        &problems,
        "move the code to the module that needs it, or pass in what it needs; the table is MODULES in tests/tidy/house.rs",
    );
}

#[test]
fn every_module_of_the_table_exists() {
    let files = code();
    let exists = |krate: &str, module: &str| {
        let (file, folder) = (format!("{krate}/{module}.rs"), format!("{krate}/{module}/"));
        files
            .iter()
            .any(|known| known.path == file || known.path.starts_with(&folder))
    };
    let all = MODULES
        .iter()
        .flat_map(|(krate, modules)| modules.iter().map(move |module| (*krate, *module)));
    let missing = all.filter(|(krate, module)| !exists(krate, module));
    let problems: Vec<String> = missing
        .map(|(krate, module)| format!("{krate}: `{module}`"))
        .collect();
    expect_none(&problems, "take it out of MODULES in tests/tidy/house.rs");
}

/// The words of protocols that `file` may not use: in names and in texts, not in comments.
fn strange_words(file: &File) -> BTreeSet<String> {
    if NAMES_PROTOCOLS.contains(&file.path.as_str()) {
        return BTreeSet::new();
    }
    let words: Vec<String> = words_and_texts(&file.text)
        .into_iter()
        .map(|word| word.to_ascii_lowercase())
        .collect();
    let strange = PROTOCOL_WORDS
        .iter()
        .filter(|(own, _)| !file.path.starts_with(own))
        .flat_map(|(_, strange)| strange.iter());
    let found = strange.filter(|strange| words.iter().any(|word| word.contains(*strange)));
    found
        .map(|strange| format!("{}: `{strange}`", file.path))
        .collect()
}

/// The types that protocols offer to others, by name, with the protocol of each.
fn protocol_types(files: &[File]) -> BTreeMap<String, &'static str> {
    let of_protocol = |protocol: &'static str| {
        let root = files
            .iter()
            .find(|file| file.path == format!("{protocol}/lib.rs"));
        let items = scan::public_items(root.map_or("", |file| &file.text));
        let name = |item: String| Some(item.rsplit([' ', ':']).next()?.to_owned());
        let names = items.into_iter().filter_map(name);
        let types = names.filter(|name| name.starts_with(char::is_uppercase));
        types.map(move |name| (name, protocol)).collect::<Vec<_>>()
    };
    PROTOCOLS
        .iter()
        .flat_map(|protocol| of_protocol(protocol))
        .collect()
}

/// The types of protocols that `file` names though it is not the protocol's.
fn strange_types(file: &File, types: &BTreeMap<String, &'static str>) -> Vec<String> {
    if NAMES_PROTOCOLS.contains(&file.path.as_str()) {
        return Vec::new();
    }
    let own = file.path.split('/').next().unwrap_or_default();
    let words = tokens(&file.text)
        .into_iter()
        .filter_map(|token| match token {
            scan::Token::Word(word) => Some(word),
            _ => None,
        });
    let strange = words
        .collect::<BTreeSet<_>>()
        .into_iter()
        .filter_map(|word| {
            let protocol = types.get(&word).filter(|protocol| **protocol != own)?;
            Some(format!("{}: `{word}` of `{protocol}`", file.path))
        });
    strange.collect()
}

#[test]
fn a_type_of_a_protocol_is_named_in_its_crate_alone() {
    let files = code();
    let types = protocol_types(&files);
    assert!(types.len() > 10, "{} types of protocols", types.len());
    let problems: Vec<String> = files
        .iter()
        .flat_map(|file| strange_types(file, &types))
        .collect();
    expect_none(
        &problems,
        "ask the protocol through `Protocol`, `Target` or `Capabilities` instead",
    );
}

#[test]
fn files_form_no_circle() {
    let files = code();
    let graph = Graph::of(&files);
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
fn a_protocol_is_named_in_its_folder_alone() {
    // Fakes and files of tests are only for unit tests, which may name any protocol.
    let is_of_tests = |file: &File| {
        ["/fakes.rs", "/tests.rs"]
            .iter()
            .any(|end| file.path.ends_with(end))
    };
    let files = code().into_iter().filter(|file| !is_of_tests(file));
    let words: Vec<String> = files.flat_map(|file| strange_words(&file)).collect();
    expect_none(
        &words,
        "ask the protocol through `Protocol` or `Capabilities` instead",
    );
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
fn crates_are_known_by_one_place() {
    let problems: Vec<String> = code().iter().flat_map(wrong_crates).collect();
    expect_none(
        &problems,
        "use what that place offers, or add it there; the table is KNOWN_ONLY_BY in tests/tidy/house.rs",
    );
}

#[test]
fn folders_are_small() {
    expect_none(
        &crowded_folders(&code()),
        &format!("make rooms in it: no folder has more than {MOST_FILES} files"),
    );
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
fn is_of_tests(path: &str, files: &[repository::File]) -> bool {
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
        *counted.entry(krate).or_default() += lines::of_code(&file.text);
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

fn directions(path: &str, text: &str) -> Vec<String> {
    let file = File::new(path, text);
    wrong_directions(&file, &Graph::of(std::slice::from_ref(&file)))
}

#[test]
fn finds_a_wrong_direction() {
    assert_eq!(
        directions("trace/outcome/call.rs", "use crate::trace::Trace;"),
        [""; 0]
    );
    assert_eq!(
        directions("run/hook/mod.rs", "use crate::context::Run;").len(),
        1
    );
    assert_eq!(
        directions("run/hook/leaf.rs", "use super::super::context::Run;").len(),
        1
    );
    assert_eq!(
        directions("run/utils/mod.rs", "").len(),
        1,
        "not in the table"
    );
    assert_eq!(
        directions("command/main.rs", "mod cli; use crate::cli::go;"),
        [""; 0]
    );
    assert_eq!(
        directions("command/cli/output/screen.rs", "use crate::cli::runs::run;").len(),
        1,
        "rooms of a folder"
    );
    assert_eq!(
        directions("command/cli/runs/run.rs", "use crate::cli::output::Screen;"),
        [""; 0]
    );
}

#[test]
fn finds_a_wrong_direction_through_a_re_export() {
    let files = [
        File::new(
            "report/report/mod.rs",
            "mod file; mod words; pub use file::F;",
        ),
        File::new("report/report/file/mod.rs", "pub struct F;"),
        File::new("report/report/words/mod.rs", "use super::F;"),
    ];
    let graph = Graph::of(&files);
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| wrong_directions(file, &graph))
        .collect();
    assert_eq!(
        found,
        ["report/report/words/mod.rs: `words` must not know `report::report::F`"]
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

#[test]
fn finds_a_type_of_a_protocol_elsewhere() {
    let files = [
        File::new("agui/lib.rs", "mod event; pub use event::AguiEvent;"),
        File::new("run/run.rs", "fn f(event: AguiEvent) {}"),
        File::new("agui/decoder.rs", "fn f(event: AguiEvent) {} // AguiEvent"),
        File::new("ananke/protocols.rs", "use ananke_agui::AguiEvent;"),
    ];
    let types = protocol_types(&files);
    let found: Vec<String> = files
        .iter()
        .flat_map(|file| strange_types(file, &types))
        .collect();
    assert_eq!(found, ["run/run.rs: `AguiEvent` of `agui`"]);
}

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
fn finds_a_crate_in_the_wrong_place() {
    let found = |path: &str, text: &str| wrong_crates(&File::new(path, text)).len();
    assert_eq!(found("command/cli/run.rs", "use clap::Args;"), 0);
    assert_eq!(found("run/hook/mod.rs", "use clap::Args;"), 1);
    assert_eq!(
        found(
            "base/source/node.rs",
            "#[cfg(test)] mod tests { fn f() { serde_yaml::from_str() } }"
        ),
        1
    );
    assert_eq!(found("base/source/yaml.rs", "use serde_yaml::Spanned;"), 0);
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
