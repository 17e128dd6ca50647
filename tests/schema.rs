//! The committed schemas: as generated, complete, and with since-versions that never change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ananke::model::VERSIONS;
use ananke::project::file_schema;
use ananke::report::comparison;
use ananke::report::file::json;
use ananke::schema::{FileKind, Version, embedded, pruned, text};
use regex::{Captures, Regex};
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
    let files = FileKind::ALL
        .iter()
        .chain([&FileKind::Case])
        .map(|kind| (kind.as_str(), file_schema(*kind)));
    files
        .chain([
            ("report", json::schema()),
            ("comparison", comparison::schema()),
        ])
        .collect()
}

#[test]
fn the_committed_schemas_are_the_generated_ones() {
    for (name, schema) in all() {
        compare(&format!("schema/{name}.schema.json"), &text(&schema));
    }
}

/// A test among several of a file. Its keys are those at the top of a file with one test, which are listed there.
const ENTRIES: &str = "test.tests[]";

#[test]
fn an_entry_of_several_tests_is_what_stands_at_the_top_of_a_file_with_one() {
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

/// Every property of a schema by its path in the file, whatever its types are called.
fn properties<'a>(name: &str, schema: &'a Value) -> BTreeMap<String, &'a Value> {
    let mut found = BTreeMap::new();
    Collect {
        root: schema,
        open: Vec::new(),
        found: &mut found,
    }
    .visit(name, schema);
    found
}

struct Collect<'a, 'f> {
    root: &'a Value,
    /// The definitions being visited: a recursive one is visited once.
    open: Vec<&'a str>,
    found: &'f mut BTreeMap<String, &'a Value>,
}

impl<'a> Collect<'a, '_> {
    fn visit(&mut self, path: &str, schema: &'a Value) {
        if let Some(target) = schema["$ref"].as_str() {
            if !self.open.contains(&target) && path != ENTRIES {
                let definition = self
                    .root
                    .pointer(&target[1..])
                    .expect("a reference leads somewhere");
                self.open.push(target);
                self.visit(path, definition);
                self.open.pop();
            }
            return;
        }
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            self.visit(&path, property);
            self.found.insert(path, property);
        }
        for union in ["oneOf", "anyOf", "allOf"] {
            for branch in schema[union].as_array().into_iter().flatten() {
                let tag = branch["properties"]["type"]["const"].as_str();
                self.visit(
                    &tag.map_or_else(|| path.to_owned(), |tag| format!("{path}({tag})")),
                    branch,
                );
            }
        }
        for inner in ["items", "additionalProperties"] {
            if let Some(schema) = schema.get(inner) {
                self.visit(&format!("{path}[]"), schema);
            }
        }
    }
}

#[test]
fn every_property_says_what_it_is_and_since_when() {
    for (name, schema) in all() {
        let newest = Version::newest();
        for (path, property) in properties(name, &schema) {
            let description = property["description"].as_str().unwrap_or_default();
            assert!(description.len() >= 10, "{path} has no description");
            let since = property["x-since"].as_str().and_then(Version::parse);
            assert!(
                since.is_some_and(|since| since <= newest),
                "{path} has no known x-since"
            );
        }
    }
}

#[test]
fn a_since_version_never_changes() {
    let mut lines = Vec::new();
    for (name, schema) in all() {
        for (path, property) in properties(name, &schema) {
            lines.push(format!(
                "{path} {}",
                property["x-since"].as_str().unwrap_or("?")
            ));
        }
    }
    let file = root().join("tests/since.txt");
    let committed = fs::read_to_string(&file).unwrap_or_default();
    // New keys may be added (an update writes them down); what is written down stays.
    for line in committed.lines() {
        assert!(
            lines.iter().any(|current| current == line),
            "tests/since.txt says `{line}`, the model does not"
        );
    }
    compare("tests/since.txt", &(lines.join("\n") + "\n"));
}

/// Keywords whose values are not schemas.
const DATA: &[&str] = &["const", "default", "defaultSnippets", "enum", "examples"];

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
        fs::read(root().join("scripts/schema-editors/schemastore.json")).expect("a catalogue");
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

#[test]
fn a_file_declares_one_of_the_known_versions() {
    for kind in FileKind::ALL {
        let version = |schema: &Value| schema["properties"]["version"].clone();
        let newest = version(&file_schema(*kind));
        assert_eq!(
            (&newest["enum"], &newest["default"]),
            (&json!(VERSIONS), &json!(VERSIONS.last()))
        );
        let older = pruned(*kind, Version::parse("1.1").expect("a version"));
        let version = version(&older);
        assert_eq!(
            (&version["enum"], &version["default"]),
            (&json!(["1.0", "1.1"]), &json!("1.1"))
        );
        let address = format!(
            "https://www.schemastore.org/ananke-{}-1.1.json",
            kind.as_str()
        );
        assert_eq!(older["$id"], address, "not that of the newest version");
    }
}

/// What an editor inserts for the body of a snippet if every tab stop is left as it is.
fn inserted(body: &Value) -> Value {
    match body {
        Value::String(text) => {
            let stops = Regex::new(r"\$\{\d+:((?:[^\\}]|\\.)*)\}").expect("a pattern");
            let filled = stops.replace_all(text, |found: &Captures<'_>| {
                Regex::new(r"\\(.)")
                    .expect("a pattern")
                    .replace_all(&found[1], "$1")
                    .into_owned()
            });
            if filled.starts_with('"') {
                return serde_json::from_str(&filled).expect("a quoted text");
            }
            filled.into_owned().into()
        }
        Value::Array(items) => items.iter().map(inserted).collect(),
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), inserted(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

#[test]
fn examples_and_snippets_are_valid_in_every_version() {
    for (kind, version) in FileKind::ALL
        .iter()
        .flat_map(|kind| VERSIONS.iter().map(move |version| (*kind, version)))
    {
        let schema = pruned(kind, Version::parse(version).expect("a version"));
        let mut snippets = BTreeSet::new();
        each(kind.as_str(), &schema, &mut |path, object| {
            let examples = object
                .get("examples")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned();
            let own = object
                .get("defaultSnippets")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let bodies = own.map(|snippet| {
                snippets.insert(snippet["label"].as_str().expect("a label").to_owned());
                inserted(&snippet["body"])
            });
            let values: Vec<Value> = examples.chain(bodies).collect();
            if values.is_empty() {
                return;
            }
            let mut alone = Value::Object(object.clone());
            alone["definitions"] = schema["definitions"].clone();
            let validator = jsonschema::draft7::new(&alone).expect("a schema");
            for value in values {
                assert!(
                    validator.is_valid(&value),
                    "{version} {path} does not allow {value}"
                );
            }
        });
        let expected: &[&str] = match (kind, *version) {
            (FileKind::Config, "1.3") => {
                &["agui", "openai", "scripted", "extends", "example of server"]
            }
            (FileKind::Config, _) => &["agui", "example of tools"],
            (FileKind::Case, _) => &[],
            (FileKind::Test, "1.3") => &[
                "user",
                "example of turns",
                "example of hooks",
                "example of sequence",
            ],
            (FileKind::Test, _) => &[
                "user",
                "example of turns",
                "example of assert block",
                "example of tools",
            ],
        };
        for label in expected {
            assert!(
                snippets.contains(*label),
                "{} {version} has no snippet for `{label}`",
                kind.as_str()
            );
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
            let closed = !path.starts_with("report") && !path.starts_with("comparison");
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
    let oldest = Version::parse("1.0").expect("a version");
    for kind in FileKind::ALL {
        let schema = pruned(*kind, oldest);
        for (path, property) in properties(kind.as_str(), &schema) {
            assert_eq!(property["x-since"], "1.0", "{path}");
        }
        assert_eq!(pruned(*kind, Version::newest()), *embedded(*kind));
    }
    let test = pruned(FileKind::Test, oldest);
    assert_eq!(
        test["required"],
        serde_json::json!(["version", "name", "turns"])
    );
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
        for (kind, name, expected) in [
            (FileKind::Test, "a2a:send", has_a2a),
            (FileKind::Test, "mcp:call", has_mcp),
            (FileKind::Test, "mcp:list", has_mcp),
            (FileKind::Test, "mcp:read", has_mcp),
            (FileKind::Test, "mcp:prompt", has_mcp),
            (FileKind::Test, "agui:connect", true),
            (FileKind::Config, "a2a", has_a2a),
            (FileKind::Config, "mcp", has_mcp),
            (FileKind::Config, "agui", true),
        ] {
            let has = of(kind, version).contains(&format!("\"const\":\"{name}\""));
            assert_eq!(has, expected, "`{name}` in the schema of {version}");
        }
        // Nothing that is pruned leaves its name in a snippet or an example.
        for (word, may) in [("a2a", has_a2a), ("mcp", has_mcp)] {
            let named = of(FileKind::Config, version).contains(&format!("\"{word}\""));
            assert_eq!(
                named, may,
                "\"{word}\" in the schema of a config of {version}"
            );
        }
    }
}

#[test]
fn the_program_prints_the_schemas() {
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
        assert!(printed(&[name]) == text(&schema), "{name}");
    }
    let oldest = pruned(FileKind::Config, Version::parse("1.0").expect("a version"));
    assert!(printed(&["config", "--schema-version", "1.0"]) == text(&oldest));
    let without_mcp = printed(&["test", "--schema-version", "1.1"]);
    assert!(without_mcp.contains("\"a2a:send\"") && !without_mcp.contains("\"mcp:call\""));
}
