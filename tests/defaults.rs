//! Writing a default changes nothing: each key that has one is written into projects that leave it out, and neither the verdicts
//! nor the report change.

use std::collections::BTreeSet;
use std::process::Command;

use ananke::project::file_schema;
use ananke::schema::{FileKind, Version};
use regex::Regex;
use serde_json::{Value, json};

use crate::support::project::Project;

/// Defaults that a description says in words.
const IN_WORDS: [(&str, &str, &str); 5] = [
    ("TextRules", "of", "all"),
    ("ValueRule", "of", "final"),
    ("Require", "which", "all"),
    ("JudgeRule", "of", "text"),
    ("RunDefaults", "prohibitions", "fail"),
];

/// Keys whose default depends on more than the files.
const DEPENDS: [(&str, &str); 2] = [("RunDefaults", "keep"), ("RunDefaults", "min_pass_rate")];

/// The keys that are tried at least.
const LEAST: [&str; 22] = [
    "CallStep.exact",
    "CauseStep.role",
    "Checkpoint.required",
    "EveryCall.exact",
    "ForbidCalls.exact",
    "JudgeRule.not",
    "JudgeRule.of",
    "JudgeRule.runs",
    "ProvenanceRule.strict",
    "Require.exact",
    "Require.which",
    "RunDefaults.fail_fast",
    "RunDefaults.parallel",
    "RunDefaults.retries",
    "SequenceStep.optional",
    "Simulate.max_turns",
    "TextRules.of",
    "ToolRules.subagents",
    "ValueCondition.not",
    "ValueRule.not",
    "ValueRule.of",
    "WheneverRule.role",
];

fn config() -> Value {
    json!({
        "version": Version::newest().to_string(),
        "run": { "deny_warnings": false },
        "scripts": { "yes": { "cmd": ["echo", "true"] } },
        "target": { "type": "scripted", "rules": [
            { "when": { "user": "fail" }, "do": [
                { "call": { "tool": "pay", "args": { "n": 1, "id": "ORD-1" }, "result": { "ok": false }, "failure": "failed" } },
                { "error": { "message": "the secret word is swordfish" } }] },
            { "when": { "user": "." }, "do": [
                { "call": { "tool": "pay", "args": { "n": 1, "more": true, "id": "ORD-1" }, "result": { "ok": true, "more": 1 } } },
                { "call": { "tool": "pay", "args": { "n": 2, "id": "ORD-1" }, "result": { "ok": true }, "subagent": "helper" } },
                { "state": { "total": 5 } },
                { "say": "First." }, { "say": "{\"total\": 5, \"text\": \"Done.\"}" }] }] },
        "targets": {
            "judge": { "type": "scripted", "rules": [{ "do": [{ "say": "{\"passed\": true}" }] }] },
            "user": { "type": "scripted", "rules": [{ "do": [{ "say": "{\"input\": \"again\"}" }] }] } },
    })
}

fn tests() -> Value {
    json!({ "version": Version::newest().to_string(), "tests": [
        { "name": "rules", "turns": [{ "user": "pay ORD-1" }, { "user": "fail" }], "assert": {
            "outcome": "error",
            "text": { "contains": "Done", "not_contains": ["swordfish", "nothing of the kind"] } } },
        { "name": "more rules", "turns": [{ "user": "pay ORD-1", "assert": {
            "tools": {
                "require": [{ "name": "pay", "args": { "n": 1 }, "count": 1, "every": { "args": { "n": 1 } } },
                    { "name": "pay", "args": { "n": 3 } }],
                "forbid_calls": [{ "name": "pay", "args": { "n": 1 } }, { "name": "pay", "result": { "ok": false } }] },
            "output": [{ "path": "total", "equals": 6 }, { "contains": "First", "not": true }],
            "state": [{ "path": "total", "equals": 5 }],
            "sequence": { "mode": "in_order", "steps": [
                { "call": "pay", "args": { "n": 1 } }, { "call": { "name": "pay", "args": { "n": 1 } } }, { "says": "Done" }] },
            "whenever": [
                { "says": "Done", "preceded_by": { "call": { "name": "pay", "args": { "n": 1 } } } },
                { "call": "pay", "args": { "n": 2 }, "followed_by": { "says": "First" } }],
            "provenance": [{ "of": { "call": "pay", "arg": "id" }, "from": ["user"] },
                { "of": { "call": "pay", "arg": "n" }, "from": ["user"] }] } }] },
        { "name": "asks others", "turns": [{ "user": "pay ORD-1" }], "assert": {
            "judge": [{ "agent": "judge", "criteria": "polite" }],
            "script": [{ "script": "yes" }] } },
        { "name": "simulated", "simulate": { "agent": "user", "goal": "pay",
            "checkpoints": [{ "id": "paid", "assert": { "tools": { "require": [{ "name": "pay" }] } } },
                { "id": "left", "assert": { "text": { "contains": "nothing of the kind" } } }] } },
        { "name": "values", "turns": [{ "user": "pay" }], "assert": { "tools": { "require": [
            { "name": "pay", "args_where": { "n": { "min": 2 } }, "result_where": { "ok": { "equals": true } } }] } } },
    ] })
}

/// A key with its default, and the mapping that leaves it out.
struct Left {
    pointer: String,
    definition: String,
    key: String,
    default: Value,
}

struct Walk<'a> {
    root: &'a Value,
    in_words: Regex,
    found: Vec<Left>,
}

impl Walk<'_> {
    fn visit(&mut self, value: &Value, schema: &Value, pointer: &str, definition: &str) {
        if let Some(target) = schema["$ref"].as_str() {
            let definition = target.rsplit('/').next().expect("a name");
            let target = self
                .root
                .pointer(&target[1..])
                .expect("a definition")
                .clone();
            return self.visit(value, &target, pointer, definition);
        }
        for union in ["anyOf", "oneOf"] {
            for form in schema[union].as_array().into_iter().flatten() {
                if self.is_of(value, form) {
                    self.visit(value, form, pointer, definition);
                    break;
                }
            }
        }
        match value {
            Value::Object(entries) => {
                for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                    match entries.get(key) {
                        Some(inner) => {
                            self.visit(inner, property, &format!("{pointer}/{key}"), definition);
                        }
                        None => {
                            if let Some(default) = self.default(property, definition, key) {
                                self.found.push(Left {
                                    pointer: pointer.to_owned(),
                                    definition: definition.to_owned(),
                                    key: key.clone(),
                                    default,
                                });
                            }
                        }
                    }
                }
                if schema["additionalProperties"].is_object() {
                    for (key, inner) in entries {
                        let inside = format!("{pointer}/{key}");
                        self.visit(inner, &schema["additionalProperties"], &inside, definition);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit(
                        item,
                        &schema["items"],
                        &format!("{pointer}/{index}"),
                        definition,
                    );
                }
            }
            _ => {}
        }
    }

    /// Whether a value has this form: its kind, its `type`, and all of its keys.
    fn is_of(&self, value: &Value, form: &Value) -> bool {
        if let Some(target) = form["$ref"].as_str() {
            return self.is_of(
                value,
                self.root.pointer(&target[1..]).expect("a definition"),
            );
        }
        match value {
            Value::Object(entries) => {
                let tag = &form["properties"]["type"]["const"];
                let is_tagged = tag.is_null() || entries.get("type").is_none_or(|own| own == tag);
                form["type"] == "object"
                    && is_tagged
                    && entries
                        .keys()
                        .all(|key| form["properties"].get(key).is_some())
            }
            Value::Array(_) => form["type"] == "array",
            _ => false,
        }
    }

    fn default(&self, property: &Value, definition: &str, key: &str) -> Option<Value> {
        if DEPENDS.contains(&(definition, key)) {
            return None;
        }
        if let Some((.., word)) = IN_WORDS
            .iter()
            .find(|(of, name, _)| (*of, *name) == (definition, key))
        {
            return Some(json!(word));
        }
        if let Some(default) = property.get("default") {
            return Some(default.clone());
        }
        let description = property["description"].as_str()?;
        let word = self.in_words.captures(description)?.get(1)?.as_str();
        let is_word = |forms: &Value| {
            forms
                .as_array()
                .into_iter()
                .flatten()
                .any(|form| form["const"] == word || form == word)
        };
        match word {
            "true" | "false" => Some(json!(word == "true")),
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(json!(word.parse::<u64>().ok()?))
            }
            _ if is_word(&property["enum"]) || is_word(&property["oneOf"]) => Some(json!(word)),
            _ => None,
        }
    }
}

fn left_out(kind: FileKind, document: &Value) -> Vec<Left> {
    ananke::install();
    let schema = file_schema(kind);
    let mut walk = Walk {
        root: &schema,
        in_words: Regex::new(r"[Dd]efault:?\s`?(true|false|\d+|[a-z_]+)`?").expect("a pattern"),
        found: Vec::new(),
    };
    walk.visit(document, &schema, "", kind.as_str());
    walk.found
}

/// What a run of these files reports, without times and without the rules as they are written; `None` if a file is refused.
fn reported(config: &Value, tests: &Value) -> Option<(Option<i32>, Value)> {
    let project = Project::new(&[
        ("ananke.config.yaml", &config.to_string()),
        ("a.test.yaml", &tests.to_string()),
    ]);
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "-o", "r.json"])
        .env_remove("CI")
        .current_dir(project.folder())
        .output()
        .expect("the program can be started");
    let report = std::fs::read_to_string(project.folder().join("r.json")).ok()?;
    let mut report: Value = serde_json::from_str(&report).expect("a report");
    strip(&mut report);
    Some((output.status.code(), report["results"].take()))
}

fn strip(value: &mut Value) {
    const WRITTEN: [&str; 6] = ["value", "written", "line", "column", "excerpt", "thread_id"];
    const TIMES: [&str; 5] = ["at", "started", "ended", "finished", "timestamp"];
    match value {
        Value::Object(entries) => {
            entries.retain(|key, _| {
                let key = key.as_str();
                !WRITTEN.contains(&key) && !TIMES.contains(&key) && !key.ends_with("_ms")
            });
            entries.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn writing_a_default_changes_nothing() {
    let (config, tests) = (config(), tests());
    let expected = reported(&config, &tests).expect("the files are valid");
    let mut tried = BTreeSet::new();
    let mut wrong = Vec::new();
    for kind in [FileKind::Config, FileKind::Test] {
        let document = if kind == FileKind::Config {
            &config
        } else {
            &tests
        };
        for Left {
            pointer,
            definition,
            key,
            default,
        } in left_out(kind, document)
        {
            let mut changed = document.clone();
            changed.pointer_mut(&pointer).expect("a mapping")[&key] = default.clone();
            let found = match kind {
                FileKind::Config => reported(&changed, &tests),
                _ => reported(&config, &changed),
            };
            // A key of another kind of step is refused.
            let Some(found) = found else {
                continue;
            };
            if found != expected {
                let differs = (0..)
                    .zip(expected.1.as_array().into_iter().flatten())
                    .find_map(|(index, test)| {
                        (found.1.get(index) != Some(test))
                            .then(|| format!("{test:#}\n---\n{:#}", found.1[index]))
                    });
                wrong.push(format!(
                    "`{definition}.{key}: {default}` at {pointer}: {}",
                    differs.unwrap_or_default()
                ));
            }
            tried.insert(format!("{definition}.{key}"));
        }
    }
    let missing: Vec<&&str> = LEAST.iter().filter(|key| !tried.contains(**key)).collect();
    assert!(
        wrong.is_empty(),
        "{} of them:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        missing.is_empty(),
        "not tried: {missing:?}; tried: {tried:?}"
    );
}
