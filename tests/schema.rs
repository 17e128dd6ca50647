//! The committed schemas: as generated, complete, and with since-versions that never change.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ananke::project::file_schema;
use ananke::report::comparison;
use ananke::report::file::json;
use ananke::schema::{FileKind, Version, embedded, pruned, text};
use serde_json::Value;

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
    assert!(committed == expected, "{path} is not what the model says: run `ANANKE_UPDATE=1 cargo test`");
}

/// Every schema with its name: those of the files, and those of what programs read.
fn all() -> Vec<(&'static str, Value)> {
    let files = FileKind::ALL.iter().map(|kind| (kind.as_str(), file_schema(*kind)));
    files.chain([("report", json::schema()), ("comparison", comparison::schema())]).collect()
}

#[test]
fn the_committed_schemas_are_the_generated_ones() {
    for (name, schema) in all() {
        compare(&format!("schema/{name}.schema.json"), &text(&schema));
    }
}

/// A test among several of a file. It holds what a file with one test holds at its top, which is listed there.
const ENTRIES: &str = "test.tests[]";

#[test]
fn an_entry_of_several_tests_is_what_stands_at_the_top_of_a_file_with_one() {
    let schema = file_schema(FileKind::Test);
    let entry = schema.pointer("/definitions/Test").expect("a definition");
    let mut top = schema["properties"].as_object().expect("properties").clone();
    let frame = ["version", "tests"].map(|key| top.shift_remove(key).is_some());
    assert_eq!((frame, &Value::Object(top)), ([true, true], &entry["properties"]));
    assert_eq!(schema["else"]["required"], entry["required"]);
    assert_eq!(schema["else"]["anyOf"], entry["anyOf"]);
}

/// Every property of a schema by its path in the file, whatever its types are called.
fn properties<'a>(name: &str, schema: &'a Value) -> BTreeMap<String, &'a Value> {
    let mut found = BTreeMap::new();
    Collect { root: schema, open: Vec::new(), found: &mut found }.visit(name, schema);
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
                let definition = self.root.pointer(&target[1..]).expect("a reference leads somewhere");
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
                self.visit(&tag.map_or_else(|| path.to_owned(), |tag| format!("{path}({tag})")), branch);
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
            assert!(since.is_some_and(|since| since <= newest), "{path} has no known x-since");
        }
    }
}

#[test]
fn a_since_version_never_changes() {
    let mut lines = Vec::new();
    for (name, schema) in all() {
        for (path, property) in properties(name, &schema) {
            lines.push(format!("{path} {}", property["x-since"].as_str().unwrap_or("?")));
        }
    }
    let file = root().join("tests/since.txt");
    let committed = fs::read_to_string(&file).unwrap_or_default();
    // New keys may be added (and are written down by an update); what is written down stays.
    for line in committed.lines() {
        assert!(
            lines.iter().any(|current| current == line),
            "tests/since.txt says `{line}`, the model does not"
        );
    }
    compare("tests/since.txt", &(lines.join("\n") + "\n"));
}

#[test]
fn the_schemas_are_free_of_null_and_closed() {
    fn check(path: &str, schema: &Value) {
        if let Some(object) = schema.as_object() {
            assert_ne!(object.get("default"), Some(&Value::Null), "{path}");
            assert_ne!(object.get("type").and_then(Value::as_str), Some("null"), "{path}");
            assert!(!object.get("type").is_some_and(Value::is_array), "{path} has several types");
            // A reader of reports takes what newer versions add.
            let closed = !path.starts_with("report") && !path.starts_with("comparison");
            if closed && object.contains_key("properties") && object.get("type").is_some() {
                assert_eq!(object.get("additionalProperties"), Some(&Value::Bool(false)), "{path} is open");
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "examples") {
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
    assert_eq!(test["required"], serde_json::json!(["version", "name", "turns"]));
    for gone in ["/if", "/else", "/anyOf", "/definitions/Test", "/definitions/Message"] {
        assert!(test.pointer(gone).is_none(), "{gone} stays");
    }
    let config = pruned(FileKind::Config, oldest);
    assert!(config["properties"]["specs"].is_null());
    assert!(config["definitions"]["ScriptedRule"].is_null(), "an unused definition stays");
}

/// What this version does not have yet is not in its schema: a type that arrives leaves the list.
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
fn the_program_prints_the_schemas() {
    let printed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ananke")).arg("schema").args(arguments).output();
        let output = output.expect("the program can be started");
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for (name, schema) in all() {
        assert!(printed(&[name]) == text(&schema), "{name}");
    }
    let oldest = pruned(FileKind::Config, Version::parse("1.0").expect("a version"));
    assert!(printed(&["config", "--schema-version", "1.0"]) == text(&oldest));
}
