//! What is newer than a file says is refused there: every key and every form of a value, as the schemas say since when each exists.

use std::collections::BTreeSet;
use std::sync::Arc;

use ananke::diagnostic::SourceFile;
use ananke::model::TestFile;
use ananke::project::{ConfigFile, file_schema};
use ananke::schema::{FileKind, Version, load};
use serde_json::{Map, Value, json};

/// A document with one key or form, and the version that all of it needs.
struct Sample {
    path: String,
    document: Value,
    needs: Version,
}

/// A place in a document: the keys that lead to it, and the mappings around it.
#[derive(Clone)]
struct Place {
    path: String,
    /// The mappings and lists from the outermost to the innermost: the key in each, `None` for a list.
    around: Vec<(Map<String, Value>, Option<String>)>,
    needs: Version,
}

impl Place {
    /// The document in which `value` is here.
    fn document(&self, value: Value) -> Value {
        self.around
            .iter()
            .rev()
            .fold(value, |value, (mapping, key)| match key {
                Some(key) => {
                    let mut mapping = mapping.clone();
                    mapping.insert(key.clone(), value);
                    Value::Object(mapping)
                }
                None => json!([value]),
            })
    }

    fn inside(&self, mapping: Map<String, Value>, key: &str, needs: Version) -> Self {
        let mut around = self.around.clone();
        around.push((mapping, Some(key.to_owned())));
        Self {
            path: format!("{}.{key}", self.path),
            around,
            needs: self.needs.max(needs),
        }
    }

    fn in_list(&self) -> Self {
        let mut around = self.around.clone();
        around.push((Map::new(), None));
        Self {
            path: format!("{}[]", self.path),
            around,
            needs: self.needs,
        }
    }
}

struct Walk {
    root: Value,
    visited: BTreeSet<String>,
    samples: Vec<Sample>,
}

fn oldest() -> Version {
    Version::parse("1.0").expect("a version")
}

fn since(schema: &Value) -> Version {
    schema["x-since"]
        .as_str()
        .and_then(Version::parse)
        .unwrap_or(oldest())
}

/// The forms that a value can have; one that demands keys alone is none.
fn forms(schema: &Value) -> Vec<Value> {
    for union in ["anyOf", "oneOf"] {
        let forms = schema[union].as_array().into_iter().flatten();
        let forms: Vec<Value> = forms
            .filter(|form| {
                ["type", "const", "enum", "$ref"]
                    .iter()
                    .any(|word| form.get(word).is_some())
            })
            .cloned()
            .collect();
        if !forms.is_empty() {
            return forms;
        }
    }
    vec![schema.clone()]
}

impl Walk {
    fn resolved(&self, schema: &Value) -> Value {
        match schema["$ref"].as_str() {
            Some(target) => self
                .root
                .pointer(&target[1..])
                .expect("a definition")
                .clone(),
            None => schema.clone(),
        }
    }

    /// A small value of a schema, and the version that it needs.
    fn value(&self, schema: &Value, depth: usize) -> (Value, Version) {
        let own = since(schema);
        let schema = &self.resolved(schema);
        if let Some(constant) = schema.get("const") {
            return (constant.clone(), own);
        }
        if let Some(word) = schema["enum"].as_array().and_then(|words| words.first()) {
            return (word.clone(), own);
        }
        let all = forms(schema);
        if all != [schema.clone()] {
            // The oldest form is the one that a key had first.
            let oldest = all.iter().min_by_key(|form| since(form)).expect("a form");
            let (value, needs) = self.value(oldest, depth);
            return (value, own.max(needs));
        }
        let (value, needs) = match schema["type"].as_str() {
            Some("string") if schema.get("pattern").is_some() => (json!("${X}"), oldest()),
            Some("integer" | "number") => (
                json!(schema["minimum"].as_u64().unwrap_or(1).max(1)),
                oldest(),
            ),
            Some("boolean") => (json!(true), oldest()),
            Some("array") => {
                let (item, needs) = self.value(&schema["items"], depth + 1);
                (json!([item]), needs)
            }
            Some("object") => {
                let (mapping, needs) = self.mapping(schema, None, depth);
                (Value::Object(mapping), needs)
            }
            _ => (json!("x"), oldest()),
        };
        (value, own.max(needs))
    }

    /// The keys that a mapping must have beside `key`, and the version that they need.
    fn mapping(
        &self,
        schema: &Value,
        key: Option<&str>,
        depth: usize,
    ) -> (Map<String, Value>, Version) {
        let (mut mapping, mut needs) = (Map::new(), oldest());
        if depth > 8 {
            return (mapping, needs);
        }
        let alternative = schema["anyOf"].as_array().and_then(|all| all.first());
        let required = schema["required"].as_array().into_iter().flatten();
        let demanded = alternative.and_then(|first| first["required"].as_array());
        for name in required
            .chain(demanded.into_iter().flatten())
            .filter_map(Value::as_str)
        {
            let property = &schema["properties"][name];
            if key != Some(name) && !property.is_null() && name != "version" {
                let (value, of_value) = self.value(property, depth + 1);
                mapping.insert(name.to_owned(), value);
                needs = needs.max(of_value);
            }
        }
        (mapping, needs)
    }

    /// Takes every key and form in a schema at a place.
    fn visit(&mut self, schema: &Value, place: &Place) {
        if let Some(target) = schema["$ref"].as_str()
            && !self.visited.insert(target.to_owned())
        {
            return;
        }
        let schema = self.resolved(schema);
        for form in forms(&schema) {
            let form_place = Place {
                needs: place.needs.max(since(&form)),
                ..place.clone()
            };
            let (value, needs) = self.value(&form, 0);
            self.samples.push(Sample {
                path: format!("{} ({})", place.path, value),
                document: form_place.document(value),
                needs: form_place.needs.max(needs),
            });
            if form == schema {
                self.parts(&form, &form_place);
            } else {
                self.visit(&form, &form_place);
            }
        }
    }

    /// Takes what is in a mapping or a list.
    fn parts(&mut self, schema: &Value, place: &Place) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_fixed = property.get("const").is_some() || name == "version";
            if is_fixed || name.starts_with("x-") {
                continue;
            }
            let (mapping, needs) = self.mapping(schema, Some(name), 0);
            self.visit(
                property,
                &place.inside(mapping, name, needs.max(since(property))),
            );
        }
        if let Some(items) = schema.get("items") {
            self.visit(items, &place.in_list());
        }
        if let Some(values) = schema
            .get("additionalProperties")
            .filter(|values| values.is_object())
        {
            self.visit(values, &place.inside(Map::new(), "a", oldest()));
        }
    }
}

fn samples(kind: FileKind) -> Vec<Sample> {
    ananke::install();
    let root = file_schema(kind);
    let mut walk = Walk {
        root: root.clone(),
        visited: BTreeSet::new(),
        samples: Vec::new(),
    };
    let place = Place {
        path: kind.as_str().to_owned(),
        around: Vec::new(),
        needs: oldest(),
    };
    walk.parts(&root, &place);
    walk.samples
}

/// The messages about what is newer than `version`.
fn newer(kind: FileKind, document: &Value, version: Version) -> Vec<String> {
    let mut document = document.clone();
    document["version"] = json!(version.to_string());
    let text = document.to_string();
    let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text));
    let problems = match kind {
        FileKind::Config => load::<ConfigFile>(kind, &source, None).err(),
        FileKind::Test => load::<TestFile>(kind, &source, Some(version)).err(),
        FileKind::Case | FileKind::Script => unreachable!("it has no version"),
    };
    let problems = problems.into_iter().flatten();
    problems
        .filter(|problem| problem.code.as_str() == "newer-key")
        .map(|problem| problem.message)
        .collect()
}

#[test]
fn every_key_and_form_is_refused_before_its_version() {
    let versions =
        ["1.0", "1.1", "1.2", "1.3", "1.4"].map(|text| Version::parse(text).expect(text));
    let mut wrong = Vec::new();
    for kind in [FileKind::Config, FileKind::Test] {
        let samples = samples(kind);
        assert!(samples.len() > 300, "{} samples", samples.len());
        for Sample {
            path,
            document,
            needs,
        } in samples
        {
            for version in versions {
                let found = newer(kind, &document, version);
                if found.is_empty() == (version < needs) {
                    wrong.push(format!(
                        "{path} needs {needs}, in a file of {version}: {found:?}\n  {document}"
                    ));
                    break;
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of them:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
