//! The committed schemas: as generated, complete, and with since-versions that never change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ananke::compare::Comparison;
use ananke::model::VERSIONS;
use ananke::outcome::audit::Audit;
use ananke::outcome::contract::ContractReport;
use ananke::outcome::coverage::CoverageReport;
use ananke::project::file_schema;
use ananke::report::{MutationDocument, document_schema};
use ananke::run_document::schema;
use ananke::schema::{FileKind, Version, embedded, for_editors, pruned, text};
use serde_json::{Map, Value, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Whether committed files are to be rewritten (`ANANKE_UPDATE=1`) instead of compared.
#[allow(clippy::disallowed_methods, reason = "a test has no Context")]
pub(crate) fn update() -> bool {
    std::env::var_os("ANANKE_UPDATE").is_some_and(|value| value == "1")
}

fn compare(path: &str, expected: &str) {
    let file = root().join(path);
    if update() {
        fs::write(file, expected).expect("the file can be written");
        return;
    }
    let committed = fs::read_to_string(file).unwrap_or_default();
    assert!(
        committed == expected,
        "{path} is not what the model says: run `ANANKE_UPDATE=1 cargo test`"
    );
}

/// Every schema with its name: those of the files, and those of what programs read.
fn all() -> Vec<(&'static str, Value)> {
    ananke::install();
    let files = FileKind::ALL
        .iter()
        .chain([&FileKind::Case])
        .map(|kind| (kind.as_str(), file_schema(*kind)));
    files
        .chain([
            ("report", schema()),
            ("audit", document_schema::<Audit>()),
            ("compare", document_schema::<Comparison>()),
            ("contract", document_schema::<ContractReport>()),
            ("coverage", document_schema::<CoverageReport>()),
            ("mutate", document_schema::<MutationDocument<'static>>()),
            ("session", session_schema()),
        ])
        .collect()
}

/// The schema of a line of `ananke session`, whose types are those of the command.
pub(crate) fn session_schema() -> Value {
    let printed = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["schema", "session"])
        .output()
        .expect("the program can be started");
    serde_json::from_slice(&printed.stdout).expect("a schema is printed")
}

/// The schema that is committed and printed under a name: of a file, the one for editors.
fn published(name: &str, schema: Value) -> Value {
    let kinds = FileKind::ALL.iter().chain([&FileKind::Case]);
    match kinds.copied().find(|kind| kind.as_str() == name) {
        Some(kind) => for_editors(kind, &schema),
        None => schema,
    }
}

#[test]
fn the_committed_schemas_are_the_generated_ones() {
    for (name, schema) in all() {
        if is_of_file(name) {
            compare(&format!("schema/program/{name}.json"), &text(&schema));
        }
        compare(
            &format!("schema/{name}.schema.json"),
            &text(&published(name, schema)),
        );
    }
}

#[test]
fn an_entry_of_several_tests_is_what_stands_at_the_top_of_a_file_with_one() {
    ananke::install();
    let schema = file_schema(FileKind::Test);
    let entry = schema.pointer("/definitions/Test").expect("a definition");
    let mut top = schema["properties"]
        .as_object()
        .expect("properties")
        .clone();
    let frame = ["version", "tests"].map(|key| top.shift_remove(key).is_some());
    assert_eq!(
        (frame, &Value::Object(top)),
        ([true, true], &entry["properties"])
    );
    assert_eq!(schema["else"]["required"], entry["required"]);
    assert_eq!(schema["else"]["anyOf"], entry["anyOf"]);
}

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
fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
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
fn is_of_file(name: &str) -> bool {
    matches!(name, "config" | "test" | "case")
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
# the definitions at the end of its line. tests/schema.rs fails if a line is missing here, and if the schemas no longer have it.
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

/// Keywords whose values are not schemas.
const DATA: &[&str] = &["const", "default", "enum", "examples"];

/// Calls `visit` with every schema inside `schema` and its path.
fn each<'a>(path: &str, schema: &'a Value, visit: &mut dyn FnMut(&str, &'a Map<String, Value>)) {
    if let Some(object) = schema.as_object() {
        visit(path, object);
        for (key, value) in object
            .iter()
            .filter(|(key, _)| !DATA.contains(&key.as_str()))
        {
            let path = format!("{path}/{key}");
            match (key.as_str(), value) {
                ("properties" | "definitions" | "patternProperties", Value::Object(named)) => {
                    named
                        .iter()
                        .for_each(|(name, value)| each(&format!("{path}/{name}"), value, visit));
                }
                (_, Value::Array(all)) => all.iter().for_each(|value| each(&path, value, visit)),
                (_, value) => each(&path, value, visit),
            }
        }
    }
}

#[test]
fn every_editor_and_validator_can_use_the_schemas() {
    for (name, schema) in all() {
        each(name, &schema, &mut |path, object| {
            // Validators reject formats that they do not know, and `regex` means the regular expressions of JavaScript.
            assert!(!object.contains_key("format"), "{path} has a format");
            // Next to keywords that check something, draft-07 ignores a `$ref`.
            let checks = [
                "type",
                "properties",
                "required",
                "enum",
                "const",
                "items",
                "anyOf",
                "oneOf",
                "allOf",
            ];
            if object.contains_key("$ref") {
                assert!(
                    checks.iter().all(|key| !object.contains_key(*key)),
                    "{path} has more than a `$ref`"
                );
            }
            if object
                .get("allOf")
                .and_then(Value::as_array)
                .is_some_and(|all| all.len() == 1)
            {
                assert!(
                    object.contains_key("properties"),
                    "{path} wraps a reference"
                );
            }
            let unions = ["oneOf", "anyOf"]
                .iter()
                .filter_map(|union| object.get(*union)?.as_array());
            for branches in unions {
                for (index, branch) in branches.iter().enumerate() {
                    let is_titled = branch["$ref"].is_string() || branch["title"].is_string();
                    assert!(is_titled, "{path}: branch {index} has no title");
                    // What an editor offers first is what is usually meant.
                    let is_false = branch["const"] == false;
                    assert!(
                        !is_false || index + 1 == branches.len(),
                        "{path}: `false` is not last"
                    );
                }
            }
        });
        for (definition, schema) in schema["definitions"].as_object().into_iter().flatten() {
            assert!(
                schema["title"].is_string(),
                "{name}: {definition} has no title"
            );
        }
    }
}

#[test]
fn schemas_have_the_addresses_of_the_catalogue() {
    let catalogue =
        fs::read(root().join("tests/real/schema-editors/schemastore.json")).expect("a catalogue");
    let catalogue: Vec<Value> = serde_json::from_slice(&catalogue).expect("a list");
    let address = |name| {
        all()
            .into_iter()
            .find_map(|(own, schema)| (own == name).then(|| schema["$id"].clone()))
    };
    for (name, title) in [("config", "ananke config"), ("test", "ananke test")] {
        let entry = catalogue
            .iter()
            .find(|entry| entry["name"] == title)
            .expect("an entry");
        assert_eq!(Some(&entry["url"]), address(name).as_ref());
    }
    let ids: BTreeSet<String> = all()
        .iter()
        .map(|(_, schema)| schema["$id"].to_string())
        .collect();
    assert_eq!(ids.len(), all().len(), "two schemas have one address");
}

/// The versions as texts, and as the numbers that YAML makes of them without quotes.
fn written(versions: &[&str]) -> Value {
    let number = |text: &&str| json!(text.parse::<f64>().expect("a number"));
    let texts = versions.iter().map(|text| json!(text));
    texts.chain(versions.iter().map(number)).collect()
}

#[test]
fn a_file_declares_one_of_the_known_versions() {
    ananke::install();
    for kind in FileKind::ALL {
        let version = |schema: &Value| schema["properties"]["version"].clone();
        let newest = version(&file_schema(*kind));
        assert_eq!(
            (&newest["enum"], &newest["default"]),
            (&written(VERSIONS), &json!(VERSIONS.last()))
        );
        let older = pruned(*kind, Version::parse("1.1").expect("a version"));
        let version = version(&older);
        assert_eq!(
            (&version["enum"], &version["default"]),
            (&written(&["1.0", "1.1"]), &json!("1.1"))
        );
        let address = format!(
            "https://www.schemastore.org/ananke-{}-1.1.json",
            kind.as_str()
        );
        assert_eq!(older["$id"], address, "not that of the newest version");
    }
}

#[test]
fn examples_are_valid_in_every_version() {
    ananke::install();
    for (kind, version) in FileKind::ALL
        .iter()
        .flat_map(|kind| VERSIONS.iter().map(move |version| (*kind, version)))
    {
        let schema = pruned(kind, Version::parse(version).expect("a version"));
        // One validator is compiled for all parts, since most of them reach most definitions.
        let (mut described, mut values) = (Map::new(), Vec::new());
        each(kind.as_str(), &schema, &mut |path, object| {
            let examples = object
                .get("examples")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned();
            let name = values.len().to_string();
            let own: Vec<Value> = examples
                .map(|value| json!({ name.as_str(): value }))
                .collect();
            if own.is_empty() {
                return;
            }
            let mut part = object.clone();
            // References begin at the whole.
            part.shift_remove("$id");
            described.insert(name, part.into());
            values.push((path.to_owned(), own));
        });
        let whole = json!({ "properties": described, "definitions": schema["definitions"] });
        let validator = jsonschema::draft7::new(&whole).expect("a schema");
        for (path, own) in values {
            for value in own {
                assert!(
                    validator.is_valid(&value),
                    "{version} {path} does not allow {value}"
                );
            }
        }
    }
}

#[test]
fn the_schemas_are_free_of_null_and_closed() {
    fn check(path: &str, schema: &Value) {
        if let Some(object) = schema.as_object() {
            assert_ne!(object.get("default"), Some(&Value::Null), "{path}");
            assert_ne!(
                object.get("type").and_then(Value::as_str),
                Some("null"),
                "{path}"
            );
            assert!(
                !object.get("type").is_some_and(Value::is_array),
                "{path} has several types"
            );
            // A reader of reports accepts what newer versions add.
            let closed = is_of_file(path.split('/').next().unwrap_or_default());
            if closed && object.contains_key("properties") && object.get("type").is_some() {
                assert_eq!(
                    object.get("additionalProperties"),
                    Some(&Value::Bool(false)),
                    "{path} is open"
                );
            }
            for (key, value) in object
                .iter()
                .filter(|(key, _)| !DATA.contains(&key.as_str()))
            {
                check(&format!("{path}/{key}"), value);
            }
        }
        for item in schema.as_array().into_iter().flatten() {
            check(path, item);
        }
    }
    for (name, schema) in all() {
        check(name, &schema);
    }
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

/// What this version does not have yet is not in its schema: a type that is implemented is removed from the list.
#[test]
fn what_is_not_there_yet_is_in_no_schema() {
    ananke::install();
    for kind in FileKind::ALL {
        let schema = file_schema(*kind).to_string();
        for (tag, _) in ananke::model::NOT_YET {
            assert!(
                !schema.contains(&format!("\"const\":\"{tag}\"")),
                "`{tag}` is in the schema and on the list"
            );
        }
    }
}

#[test]
fn each_version_has_the_protocols_that_it_brought_and_those_before() {
    ananke::install();
    let of = |kind: FileKind, version: &str| {
        pruned(kind, Version::parse(version).expect("a version")).to_string()
    };
    for (version, has_a2a, has_mcp) in [
        ("1.0", false, false),
        ("1.1", true, false),
        ("1.2", true, true),
        ("1.3", true, true),
        ("1.4", true, true),
    ] {
        let [test, config] = [FileKind::Test, FileKind::Config].map(|kind| of(kind, version));
        for (schema, name, expected) in [
            (&test, "a2a:send", has_a2a),
            (&test, "mcp:call", has_mcp),
            (&test, "mcp:list", has_mcp),
            (&test, "mcp:read", has_mcp),
            (&test, "mcp:prompt", has_mcp),
            (&test, "agui:connect", true),
            (&config, "a2a", has_a2a),
            (&config, "mcp", has_mcp),
            (&config, "agui", true),
        ] {
            let has = schema.contains(&format!("\"const\":\"{name}\""));
            assert_eq!(has, expected, "`{name}` in the schema of {version}");
        }
        // Nothing that is pruned leaves its name in an example.
        for (word, may) in [("a2a", has_a2a), ("mcp", has_mcp)] {
            let named = config.contains(&format!("\"{word}\""));
            assert_eq!(
                named, may,
                "\"{word}\" in the schema of a config of {version}"
            );
        }
    }
}

/// A condition on values has one vocabulary: where a pattern is allowed, so are the other conditions.
#[test]
fn whatever_has_patterns_for_arguments_or_results_has_conditions_on_them() {
    ananke::install();
    let pairs = [
        ("args_match", "args_where"),
        ("result_match", "result_where"),
    ];
    for (name, schema) in all() {
        let mut found = BTreeMap::new();
        each(name, &schema, &mut |path, object| {
            let Some(Value::Object(keys)) = object.get("properties") else {
                return;
            };
            for (pattern, condition) in pairs {
                if keys.contains_key(pattern) {
                    let kind = keys.get(condition).map(|key| &key["x-since"]);
                    assert_eq!(kind, Some(&json!("1.4")), "{path}: {condition}");
                    *found.entry(pattern).or_insert(0) += 1;
                }
            }
        });
        // The entries of `require` and `forbid_calls`, and `every`; three kinds of steps, calls in them, and mocks; in tests the
        // steps of turns.
        let expected = match name {
            "config" => BTreeMap::from([("args_match", 8), ("result_match", 3)]),
            "test" => BTreeMap::from([("args_match", 9), ("result_match", 3)]),
            _ => BTreeMap::new(),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn the_program_prints_the_schemas() {
    ananke::install();
    let printed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .arg("schema")
            .args(arguments)
            .output();
        let output = output.expect("the program can be started");
        assert_eq!(
            (output.status.code(), output.stderr.len()),
            (Some(0), 0),
            "{arguments:?}"
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for (name, schema) in all() {
        assert!(printed(&[name]) == text(&published(name, schema)), "{name}");
    }
    let oldest = pruned(FileKind::Config, Version::parse("1.0").expect("a version"));
    let oldest = published("config", oldest);
    assert!(printed(&["config", "--schema-version", "1.0"]) == text(&oldest));
    let without_mcp = printed(&["test", "--schema-version", "1.1"]);
    assert!(without_mcp.contains("\"a2a:send\"") && !without_mcp.contains("\"mcp:call\""));
}
