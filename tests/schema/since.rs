//! Every key of the schemas, and the version since which it exists: `tests/since.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ananke::schema::{FileKind, Version, embedded, pruned};
use serde_json::{Value, json};

use super::{all, compare, root};

/// Key of a schema, or form of a value that has a version of its own.
struct Key<'a> {
    schema: &'a Value,
    /// Whether it is a key; a form has no description of its own.
    is_property: bool,
    /// The definitions that its value may have.
    definitions: BTreeSet<&'a str>,
    /// The schema version that brings it.
    since: &'a str,
}

/// Every key of a schema, by its definition: `AssertBlock.judge`, and by the names of forms: `Mock(error).error`. A definition
/// is listed once, however many keys refer to it. `name` is that of the schema, `prefix` comes before definitions.
fn keys<'a>(name: &str, prefix: &str, schema: &'a Value) -> BTreeMap<String, Key<'a>> {
    let mut collect = Collect {
        root: schema,
        found: BTreeMap::new(),
    };
    collect.visit(name, schema, None);
    for (definition, schema) in schema["definitions"].as_object().into_iter().flatten() {
        collect.visit(&format!("{prefix}{definition}"), schema, None);
    }
    collect.found
}

struct Collect<'a> {
    root: &'a Value,
    found: BTreeMap<String, Key<'a>>,
}

impl<'a> Collect<'a> {
    /// Adds the keys in a schema, and its forms. A form without a version of its own has that of its key, `outer`.
    fn visit(&mut self, path: &str, schema: &'a Value, outer: Option<&'a str>) {
        let outer = schema["x-since"].as_str().or(outer);
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            self.visit(&path, property, None);
            let since = property["x-since"].as_str().unwrap_or("?");
            self.add(path, property, since, true);
        }
        for branch in branches(schema) {
            let title = form_title(branch);
            let path = title.map_or_else(|| path.to_owned(), |title| format!("{path}({title})"));
            self.visit(&path, branch, outer);
            let since = branch["x-since"].as_str().or(outer);
            if let (Some(_), Some(since), true) = (title, since, is_listed(branch)) {
                self.add(path, branch, since, false);
            }
        }
        for schema in inner(schema) {
            self.visit(&format!("{path}[]"), schema, outer);
        }
    }

    fn add(&mut self, path: String, schema: &'a Value, since: &'a str, is_property: bool) {
        let mut definitions = BTreeSet::new();
        self.refer(schema, &mut definitions);
        let key = Key {
            schema,
            is_property,
            definitions,
            since,
        };
        assert!(
            self.found.insert(path, key).is_none(),
            "two keys have the same path: {schema}"
        );
    }

    /// Adds the definitions that a value of this schema may have, without those of its own keys.
    fn refer(&self, schema: &'a Value, found: &mut BTreeSet<&'a str>) {
        if let Some(target) = schema["$ref"].as_str() {
            if found.insert(target.rsplit('/').next().unwrap_or(target)) {
                let definition = self.root.pointer(&target[1..]);
                self.refer(definition.expect("a reference leads somewhere"), found);
            }
            return;
        }
        for schema in branches(schema).chain(inner(schema)) {
            self.refer(schema, found);
        }
    }
}

/// The name of a form of a value: its title, or the definition that it is.
fn form_title(branch: &Value) -> Option<&str> {
    let definition = || branch["$ref"].as_str()?.rsplit('/').next();
    branch["title"].as_str().or_else(definition)
}

/// Whether a branch is a form that a value can have, and not a demand for keys. A variable is allowed for every scalar.
fn is_listed(branch: &Value) -> bool {
    let has = |keyword: &str| branch.get(keyword).is_some();
    let is_variable = has("pattern") && branch["type"] == "string";
    has("x-since") || !is_variable && ["type", "const", "enum", "$ref"].into_iter().any(has)
}

/// The alternatives and parts of a schema.
pub(super) fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    let unions = ["oneOf", "anyOf", "allOf"].map(|union| schema[union].as_array());
    unions.into_iter().flatten().flatten()
}

/// The schemas of what is in a list, or in a mapping with keys of the user's own.
fn inner(schema: &Value) -> impl Iterator<Item = &Value> {
    ["items", "additionalProperties"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword))
}

/// Whether the schema `name` is that of a file that people write, and not of one that programs read.
pub(super) fn is_of_file(name: &str) -> bool {
    matches!(name, "config" | "test" | "case" | "script")
}

/// Every key of every schema. The files share their definitions; those of a report are its own.
fn all_keys(schemas: &[(&'static str, Value)]) -> BTreeMap<String, (String, BTreeSet<String>)> {
    let mut all = BTreeMap::new();
    for (name, schema) in schemas {
        let prefix = if is_of_file(name) {
            String::new()
        } else {
            format!("{name}:")
        };
        for (path, key) in keys(name, &prefix, schema) {
            let definitions = key.definitions.iter().map(ToString::to_string).collect();
            let found = (key.since.to_owned(), definitions);
            if let Some(other) = all.insert(path.clone(), found.clone()) {
                assert_eq!(other, found, "{path} differs from schema to schema");
            }
        }
    }
    all
}

#[test]
fn every_property_says_what_it_is_and_since_when() {
    for (name, schema) in all() {
        let newest = Version::newest();
        for (path, key) in keys(name, "", &schema) {
            let description = key.schema["description"].as_str().unwrap_or_default();
            assert!(
                !key.is_property || description.len() >= 10,
                "{path} has no description"
            );
            let since = Version::parse(key.since);
            assert!(
                since.is_some_and(|since| since <= newest),
                "{path} has no known x-since"
            );
        }
    }
}

/// The head of `tests/since.txt`.
const SINCE_HEAD: &str = "\
# Every key of a file or report, and every form of a value: its definition and name, the version that
# brought it, and the definitions that its value may have. A definition is listed once, so what a key contains is found under
# the definitions at the end of its line. tests/schema fails if a line is missing here, and if the schemas no longer have it.
";

/// Every key as a line.
fn since_lines(keys: &BTreeMap<String, (String, BTreeSet<String>)>) -> String {
    let lines = keys.iter().map(|(path, (since, definitions))| {
        let definitions = definitions.iter().map(|name| format!(" {name}"));
        format!("{path} {since}{}\n", definitions.collect::<String>())
    });
    lines.collect()
}

/// The path in a line, and the words after it: the version and definitions.
fn parts_of(line: &str) -> (String, Vec<&str>) {
    let words: Vec<&str> = line.split(' ').collect();
    let place = words
        .iter()
        .position(|word| Version::parse(word).is_some())
        .unwrap_or(words.len());
    let (path, rest) = words.split_at(place);
    (path.join(" "), rest.to_vec())
}

/// The lines that are no longer true: a key is gone, its version is another one, or its value can no longer have a definition.
/// It may have more definitions than before.
fn broken_lines<'l>(
    committed: &'l str,
    keys: &BTreeMap<String, (String, BTreeSet<String>)>,
) -> Vec<&'l str> {
    let is_broken = |line: &&str| {
        let (path, rest) = parts_of(line);
        let current = keys.get(&path);
        !current.is_some_and(|(since, definitions)| {
            rest.first() == Some(&since.as_str())
                && rest[1..].iter().all(|name| definitions.contains(*name))
        })
    };
    let lines = committed.lines().filter(|line| !line.starts_with('#'));
    lines.filter(is_broken).collect()
}

#[test]
fn a_since_version_never_changes() {
    let keys = all_keys(&all());
    let file = root().join("tests/since.txt");
    let committed = fs::read_to_string(&file).unwrap_or_default();
    // New keys may be added (an update writes them down); what is written down stays.
    let broken = broken_lines(&committed, &keys);
    assert!(
        broken.is_empty(),
        "the schemas no longer have what tests/since.txt says: {broken:#?}\nhelp: what a version brought stays; if only a \
         definition or a form has another name, rename it there"
    );
    // What is new, be it a key or another form of one, is part of the version that is open.
    let files = Version::newest().to_string();
    let known: BTreeSet<String> = committed.lines().map(|line| parts_of(line).0).collect();
    for (path, (since, _)) in &keys {
        let newest = match path.split_once(':') {
            Some(("report", _)) => "1.2",
            Some(("audit" | "compare" | "contract" | "coverage" | "mutate", _)) => "1.1",
            _ => &files,
        };
        assert!(
            known.contains(path) || *since == newest,
            "`{path}` is new, and its version is {since}: its `x-since` must be {newest}, the version that is open"
        );
    }
    compare(
        "tests/since.txt",
        &(SINCE_HEAD.to_owned() + &since_lines(&keys)),
    );
}

#[test]
fn a_changed_version_is_found_in_a_shared_definition() {
    let schema = |since: &str, key: &str, item: &str| {
        json!({
            "properties": {
                "one": { "x-since": "1.0", "items": { "$ref": item } },
                "two": { "x-since": "1.1", "anyOf": [{ "$ref": item }, { "title": "a text", "x-since": "1.2" }] },
            },
            "definitions": {
                "Shared": { "properties": { key: { "x-since": since } } },
                "Other": { "properties": {} },
            },
        })
    };
    let lines = |schema| all_keys(&[("test", schema)]);
    let shared = "#/definitions/Shared";
    let committed = since_lines(&lines(schema("1.3", "key", shared)));
    assert_eq!(
        committed,
        "Shared.key 1.3\ntest.one 1.0 Shared\ntest.two 1.1 Shared\ntest.two(Shared) 1.1 Shared\ntest.two(a text) 1.2\n"
    );
    let broken = |schema| broken_lines(&committed, &lines(schema)).join(", ");
    assert_eq!(broken(schema("1.3", "key", shared)), "");
    assert_eq!(broken(schema("1.4", "key", shared)), "Shared.key 1.3");
    assert_eq!(broken(schema("1.3", "name", shared)), "Shared.key 1.3");
    assert_eq!(
        broken(schema("1.3", "key", "#/definitions/Other")),
        "test.one 1.0 Shared, test.two 1.1 Shared, test.two(Shared) 1.1 Shared"
    );
    let mut without = schema("1.3", "key", shared);
    without["properties"]["one"] = json!({ "$ref": shared });
    assert_eq!(broken(without), "test.one 1.0 Shared");
}

#[test]
fn an_older_schema_lacks_what_is_newer() {
    ananke::install();
    let oldest = Version::parse("1.0").expect("a version");
    for kind in FileKind::ALL {
        let schema = pruned(*kind, oldest);
        for (path, key) in keys(kind.as_str(), "", &schema) {
            assert_eq!(key.since, "1.0", "{path}");
        }
        assert_eq!(pruned(*kind, Version::newest()), *embedded(*kind));
    }
    let test = pruned(FileKind::Test, oldest);
    assert_eq!(test["required"], serde_json::json!(["name", "turns"]));
    for gone in [
        "/if",
        "/else",
        "/anyOf",
        "/definitions/Test",
        "/definitions/Message",
    ] {
        assert!(test.pointer(gone).is_none(), "{gone} stays");
    }
    let config = pruned(FileKind::Config, oldest);
    assert!(config["properties"]["specs"].is_null());
    assert!(
        config["definitions"]["ScriptedRule"].is_null(),
        "an unused definition stays"
    );
}
