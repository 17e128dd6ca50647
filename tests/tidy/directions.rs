//! The directions between crates, modules and files, and the places that alone name a protocol or a third-party crate.

use std::collections::{BTreeMap, BTreeSet};

use super::expect_none;
use super::graph::Graph;
use super::house::{
    BORROWED_WORDS, KNOWN_ONLY_BY, MODULES, NAMES_PROTOCOLS, PROTOCOL_WORDS, PROTOCOLS,
};
use super::repository::{File, code};
use super::scan::{crate_paths, module_of, names_crate, tokens, without_tests, words_and_texts};

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

/// The parts of a name or a text between underlines: `OpenaiTarget` and `openai_target` are `_openai_target_`.
fn bounded_parts(word: &str) -> String {
    let mut parts = "_".to_owned();
    let mut was_lower = false;
    for c in word.chars() {
        let begins_part = c.is_uppercase() && was_lower || !c.is_alphanumeric();
        if begins_part && !parts.ends_with('_') {
            parts.push('_');
        }
        if c.is_alphanumeric() {
            parts.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    if !parts.ends_with('_') {
        parts.push('_');
    }
    parts
}

/// The words of protocols that `file` may not use: in names and in texts, not in comments. A word is a whole part of a name, because
/// the name of a protocol may be a part of other words.
fn strange_words(file: &File) -> BTreeSet<String> {
    if NAMES_PROTOCOLS.contains(&file.path.as_str()) {
        return BTreeSet::new();
    }
    let words: Vec<String> = words_and_texts(&file.text)
        .into_iter()
        .map(|word| bounded_parts(&word))
        .collect();
    let strange = PROTOCOL_WORDS
        .iter()
        .filter(|(own, _)| !file.path.starts_with(own))
        .flat_map(|(_, strange)| strange.iter());
    let found = strange.filter(|strange| {
        let mut borrowed = BORROWED_WORDS.iter();
        if borrowed.any(|(place, words)| file.path.starts_with(place) && words.contains(strange)) {
            return false;
        }
        let whole = bounded_parts(strange);
        words.iter().any(|word| word.contains(&whole))
    });
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
        let items = super::scan::public_items(root.map_or("", |file| &file.text));
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
            super::scan::Token::Word(word) => Some(word),
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
fn a_word_of_a_protocol_is_a_whole_part_of_a_name() {
    let found = |text: &str| strange_words(&File::new("run/a.rs", text)).len();
    for (text, count) in [
        ("fn of_openai() {}", 1),
        ("struct OpenaiTarget;", 1),
        ("const NAME: &str = \"ag-ui\";", 1),
        ("const NAME: &str = \"type: a2a, or mcp\";", 2),
        ("fn reopenaid() {}", 0),
        ("// openai", 0),
    ] {
        assert_eq!(found(text), count, "{text}");
    }
}

#[test]
fn crates_are_known_by_one_place() {
    let problems: Vec<String> = code().iter().flat_map(wrong_crates).collect();
    expect_none(
        &problems,
        "use what that place offers, or add it there; the table is KNOWN_ONLY_BY in tests/tidy/house.rs",
    );
}

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
