//! The examples below `specs/`: each key of both files is in one of them, and the configs of agents that run elsewhere
//! have no mistake.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ananke::context::Context;
use ananke::plan::{Selection, plan};
use ananke::project::file_schema;
use ananke::schema::FileKind;
use ananke::source;
use serde_json::Value;

use crate::support::project::Project;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A key and its description. Two places that have both in common count as one.
type Key = (String, String);

/// The parts of a schema that describe one value, through references and unions; of a union that is discriminated by
/// `type`, the one of `value`, if there is a value.
fn parts<'s>(
    root: &'s Value,
    schema: &'s Value,
    value: Option<&Value>,
    found: &mut Vec<&'s Value>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let definition = root
            .pointer(reference.trim_start_matches('#'))
            .expect("a reference leads somewhere");
        parts(root, definition, value, found);
    }
    for union in ["oneOf", "anyOf", "allOf"] {
        for part in schema[union].as_array().into_iter().flatten() {
            let kind = &part["properties"]["type"]["const"];
            let is_another = |value: &Value| match value.get("type") {
                Some(own) => own != kind,
                None => part["required"]
                    .as_array()
                    .is_some_and(|keys| keys.contains(&"type".into())),
            };
            if kind.is_null() || !value.is_some_and(is_another) {
                parts(root, part, value, found);
            }
        }
    }
    found.push(schema);
}

fn key(name: &str, property: &Value) -> Key {
    (
        name.to_owned(),
        property["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    )
}

/// Every key that can be written.
fn known(root: &Value, schema: &Value, seen: &mut BTreeSet<String>, keys: &mut BTreeSet<Key>) {
    if let Some(reference) = schema["$ref"].as_str()
        && !seen.insert(reference.to_owned())
    {
        return;
    }
    let mut all = Vec::new();
    parts(root, schema, None, &mut all);
    for part in all {
        for (name, property) in part["properties"].as_object().into_iter().flatten() {
            keys.insert(key(name, property));
            known(root, property, seen, keys);
        }
        for inner in [&part["items"], &part["additionalProperties"]] {
            if inner.is_object() {
                known(root, inner, seen, keys);
            }
        }
    }
}

/// The keys in `value`.
fn written(root: &Value, schema: &Value, value: &Value, keys: &mut BTreeSet<Key>) {
    let mut all = Vec::new();
    parts(root, schema, Some(value), &mut all);
    for part in all {
        for (name, inner) in value.as_object().into_iter().flatten() {
            match part["properties"].get(name) {
                Some(property) => {
                    keys.insert(key(name, property));
                    written(root, property, inner, keys);
                }
                None if part["additionalProperties"].is_object() => {
                    written(root, &part["additionalProperties"], inner, keys);
                }
                None => {}
            }
        }
        for inner in value.as_array().into_iter().flatten() {
            written(root, &part["items"], inner, keys);
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the examples can be read") {
        let path = entry.expect("the examples can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_key_has_an_example() {
    ananke::install();
    let mut paths = Vec::new();
    files(&root().join("specs"), &mut paths);
    let (mut known_keys, mut written_keys) = (BTreeSet::new(), BTreeSet::new());
    for kind in FileKind::ALL {
        let schema = file_schema(*kind);
        known(&schema, &schema, &mut BTreeSet::new(), &mut known_keys);
        for path in &paths {
            let is_config = path.ends_with("ananke.config.yaml");
            if is_config != (*kind == FileKind::Config) {
                continue;
            }
            let source = source::read(
                &ananke::context::Files::default(),
                path,
                &path.display().to_string(),
            )
            .expect("an example can be read");
            let value = source::parse(&source)
                .expect("an example is YAML")
                .to_json();
            written(&schema, &schema, &value, &mut written_keys);
        }
    }
    assert!(
        known_keys.len() > 100,
        "{} keys are known",
        known_keys.len()
    );
    let missing: Vec<String> = known_keys
        .difference(&written_keys)
        .filter(|(_, about)| !about.starts_with("The same as "))
        .map(|(name, about)| format!("`{name}`: {about}"))
        .collect();
    assert!(
        missing.is_empty(),
        "no example below specs/ holds\n{}",
        missing.join("\n")
    );
}

#[test]
fn agents_that_run_elsewhere_are_written_well() {
    let folder = root().join("specs/agents");
    let project = Project::new(&[]).with_environment("SHOP_TOKEN", "a-token-for-the-runtime");
    let context = Context {
        working_directory: folder.clone(),
        ..project.context()
    };
    let selection = Selection {
        paths: vec![folder],
        checks: true,
        ..Selection::default()
    };
    let planned = plan(&context, &selection, &project.redactor);
    assert_eq!(
        planned
            .problems
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    assert_eq!(planned.plan.expect("nothing is wrong").cases.len(), 2);
}
