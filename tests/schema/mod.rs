//! The committed schemas: as generated, complete, and with since-versions that never change.

mod since;

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
use ananke::schema::{FileKind, Version, for_editors, pruned, text};
use serde_json::{Map, Value, json};

use since::is_of_file;

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
    let files = FileKind::EVERY
        .iter()
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
    let kinds = FileKind::EVERY.iter();
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
