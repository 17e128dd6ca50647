//! Typed reading and the schema agree on valid documents and on mutations of them.

use std::sync::{Arc, LazyLock};

use ananke::diagnostic::SourceFile;
use ananke::model::TestFile;
use ananke::project::{ConfigFile, file_schema};
use ananke::schema::{FileKind, Version, for_editors, load};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::seeds::seeded;

fn several_tests() -> Value {
    json!({ "version": Version::newest().to_string(), "x-a": 1, "tests": [
        { "name": "a", "turns": [{ "user": "b" }], "skip": true },
        { "name": "f", "messages": [{ "role": "system", "content": "g", "name": "h" },
            { "role": "user", "content": [{ "type": "text", "text": "i" }], "id": "j" },
            { "role": "assistant", "tool_calls": [
                { "id": "k", "type": "function", "function": { "name": "l", "arguments": "{}" } },
                { "id": "m", "function": { "name": "n", "arguments": { "o": 1 } } }] },
            { "role": "tool", "tool_call_id": "k", "content": "p" }] },
        { "name": "c", "turns": [{ "user": "d" }], "assert": { "text": { "must_match": "e" } } }] })
}

fn documents(kind: FileKind) -> Vec<Value> {
    ananke::install();
    match kind {
        FileKind::Case | FileKind::Script => unreachable!("it has no version"),
        FileKind::Test => vec![
            several_tests(),
            json!({
                "version": Version::newest().to_string(), "name": "a", "target": "t",
                "hooks": [{ "cmd": ["i", "j"], "timeout_ms": 5, "env": { "K": "l" }, "cwd": "m" }, { "cmd": ["n"] }],
                "turns": [
                    { "user": "b", "assert": { "text": { "must_match": "x", "must_not_match": ["y"] } } },
                    { "type": "user", "user": "c", "assert": { "outcome": "interrupted", "tools": { "forbid": ["d"], "allow_only": ["e"], "max_calls": 3, "subagents": "exclude",
                        "require": [{ "name_match": "^e", "args": { "a": [1] }, "result": null, "exact": true, "is_error": true,
                            "status": "executed", "args_not_match": { "b": "c" }, "after_result": "d" },
                            { "name": "e", "count": { "min": 1, "max": "${MAX}" }, "args_match": { "f": "g" } }],
                        "forbid_calls": [{ "name": "h", "result_match": "i" }] } } },
                    { "user": [{ "type": "text", "text": "o" }, { "type": "image", "source": "p" },
                        { "type": "document", "source": "q", "media_type": "r" }],
                        "assert": { "tools": false, "text": { "must_match": false }, "sequence": false, "state": false, "timing": false, "usage": false },
                        "attachments": [{ "type": "audio", "source": "s" }, { "type": "video", "source": "t" }] }],
                "assert": { "timing": { "max_idle_ms": false, "max_duration_ms": 5, "max_tool_ms": "${MAX}" },
                    "state": [{ "path": "a", "equals": { "b": 1 } }, { "schema": { "type": "object" } },
                        { "path": "c", "type": "null", "not": true, "message": "d" }, { "path": "e", "match": "f" }],
                    "sequence": { "mode": "exact", "steps": [{ "call": "h", "args": { "i": 1 }, "args_match": { "j": "k" }, "optional": true },
                        { "result": "h", "match": "l", "is_error": false }, { "says": "m", "role": "user" }] },
                    "outcome": { "is": "error", "error_match": "g" },
                    "usage": { "max_input_tokens": false, "max_total_tokens": 7 } },
            }),
        ],
        FileKind::Config => vec![
            json!({ "version": Version::newest().to_string(), "target": "a", "targets": {
                "a": { "type": "agui", "endpoint": "b", "agentId": "c" },
                "b": { "extends": "a", "headers": { "d": "e" }, "timeout_ms": 3, "state": [1], "assert": { "extends": ["d"] } },
                "c": { "type": "scripted", "rules": [], "client_tools": [{ "name": "f", "mock": { "script": "g" } }] } },
                "scripts": { "h": { "cmd": ["i"], "timeout_ms": 4, "env": { "J": "k" }, "cwd": "l" } },
                "assertions": { "d": { "text": { "must_match": "e" } } } }),
            json!({ "version": Version::newest().to_string(), "specs": ["a"], "target": { "type": "agui", "endpoint": "b", "agentId": "c",
                "threadId": "d", "forwardedProps": { "e": 1 }, "state": [2], "protocolVersion": "0.x", "headers": { "f": "g" },
                "timeout_ms": 7, "assert": { "tools": { "forbid": [] } } } }),
            json!({ "version": Version::newest().to_string(), "target": { "type": "http", "endpoint": "b", "method": "POST",
                "headers": { "c": "d" }, "query": { "e": "f" }, "body": { "g": ["${INPUT}"] }, "capture": { "H": "i" },
                "message": { "n": "${TEXT}" }, "roles": { "user": "o", "assistant": "p" },
                "start": [{ "endpoint": "q", "form": { "r": "s" }, "capture": { "T": "u" } }],
                "then": { "endpoint": "v", "method": "GET", "until": ["w", "x[0]"], "every_ms": 5, "read": true },
                "resume": { "endpoint": "y", "body": "${RESUME}", "statuses": { "resolved": "z", "cancelled": "a" } },
                "response": { "stream": "sse", "text": { "path": ["a.b", "[?c=d].e"], "match": "(f)", "mode": "delta", "optional": true },
                    "calls": { "at": "g[*]", "name": "h", "id": "i", "index": "j", "args": "k", "result": "l", "error": "m", "mode": "whole" },
                    "results": { "at": "n", "id": "o", "name": "p", "result": "q", "error": "r" },
                    "error": ["s", "t"], "done": { "path": "u" }, "interrupts": { "at": "v", "id": "w", "call": "x", "message": "y" },
                    "usage": { "input": "z", "output": "a", "total": "b", "add": true }, "reasoning": "c", "state": "$", "strict": true } } }),
            json!({ "version": Version::newest().to_string(), "target": { "type": "scripted", "rules": [{
                "when": { "user": "a", "turn": 2, "state": { "b": null } },
                "do": [{ "say": "c" }, { "call": { "tool": "d", "args": { "e": 1 }, "result": [1.5], "delay_ms": 3, "subagent": "k" } },
                    { "answer": { "id": "f", "result": 1, "failure": "denied" } }, { "state": { "g": 1 } }, { "delay_ms": 4 },
                    { "think": "j" }, { "custom": { "name": "k", "value": [1] } }, { "usage": { "input_tokens": 2 } },
                    { "error": { "message": "h", "code": "i" } }] }] } }),
        ],
    }
}

/// Where a document is changed, and how.
type Mutation = (prop::sample::Index, prop::sample::Index, u8);

fn pointers(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    for (key, value) in value.as_object().into_iter().flatten() {
        pointers(value, &format!("{path}/{key}"), found);
    }
    for (index, value) in value.as_array().into_iter().flatten().enumerate() {
        pointers(value, &format!("{path}/{index}"), found);
    }
}

fn mutate(document: &mut Value, (place, content, how): &Mutation) {
    let mut places = Vec::new();
    pointers(document, "", &mut places);
    let contents = [
        json!("text"),
        json!(""),
        json!("${NAME}"),
        json!(3),
        json!(-3),
        json!(3.0),
        json!(2.5),
        json!(true),
        json!(false),
        json!([]),
        json!(["a"]),
        json!([{}]),
        json!({}),
        json!({ "a": "b" }),
        json!({ "a": 1 }),
        json!({ "type": "user" }),
        json!({ "say": "a" }),
        json!({ "user": "a" }),
        Value::Null,
    ];
    let place = place.get(&places).clone();
    let content = content.get(&contents).clone();
    let Some(target) = document.pointer_mut(&place) else {
        return;
    };
    match (how % 4, &mut *target) {
        (0, Value::Object(object)) => {
            let key = object
                .keys()
                .nth(usize::from(*how) % object.len().max(1))
                .cloned();
            key.and_then(|key| object.shift_remove(&key));
        }
        (1, Value::Object(object)) => {
            let keys = [
                "type", "name", "user", "state", "assert", "unknown", "rules", "min", "extends",
                "tests", "turns", "messages", "role",
            ];
            object.insert(keys[usize::from(*how / 4) % keys.len()].to_owned(), content);
        }
        (2, Value::Array(items)) => items.push(content),
        _ => *target = content,
    }
}

fn validator(schema: &Value) -> Validator {
    let options = jsonschema::draft7::options();
    options.build(schema).expect("a schema that compiles")
}

/// The validators of a kind of file: by the schema of the program, and by that of editors.
fn validators(kind: FileKind) -> [Validator; 2] {
    ananke::install();
    let schema = file_schema(kind);
    [validator(&schema), validator(&for_editors(kind, &schema))]
}

static CONFIG: LazyLock<[Validator; 2]> = LazyLock::new(|| validators(FileKind::Config));
static TEST: LazyLock<[Validator; 2]> = LazyLock::new(|| validators(FileKind::Test));

/// Whether a document is valid. Both schemas say the same.
fn is_valid(kind: FileKind, document: &Value) -> bool {
    let [program, editors] = match kind {
        FileKind::Config => &*CONFIG,
        FileKind::Test => &*TEST,
        FileKind::Case | FileKind::Script => unreachable!("it has no version"),
    };
    let valid = program.is_valid(document);
    assert_eq!(
        editors.is_valid(document),
        valid,
        "the schema of editors differs: {document}"
    );
    valid
}

/// Whether the two agree about a document. `version` has rules of its own and is not compared.
fn agree(kind: FileKind, document: &Value) -> Result<(), String> {
    ananke::install();
    let text = document.to_string();
    let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", text.clone()));
    let valid = is_valid(kind, document);
    let problems = match kind {
        FileKind::Config => load::<ConfigFile>(kind, &source, None).err(),
        FileKind::Test => load::<TestFile>(kind, &source, Some(Version::newest())).err(),
        FileKind::Case | FileKind::Script => unreachable!("it has no version"),
    };
    let problems: Vec<_> = problems.into_iter().flatten().collect();
    if problems
        .iter()
        .any(|problem| problem.code.as_str() == "version")
    {
        return Ok(());
    }
    // Keys that exclude each other are found where inherited ones are known, too: in the plan.
    let is_refused = !problems.is_empty() || is_contradiction(kind, document);
    if valid == is_refused {
        let messages: Vec<_> = problems.iter().map(|problem| &problem.message).collect();
        return Err(format!("schema: {valid}, load: {messages:?}: {text}"));
    }
    // What the typed reader rejects although the schema accepts it: that must not happen either.
    let second = problems
        .iter()
        .find(|problem| problem.message.contains("cannot stand here"));
    second.map_or(Ok(()), |problem| {
        Err(format!("{}: {text}", problem.message))
    })
}

/// A word of a closed set is not a valid `type` of a mapping, also where it would be one.
#[test]
fn a_word_is_no_mapping() {
    let with_role = |document: &Value| document.pointer("/assert/sequence/steps/2/role").is_some();
    let mut document = documents(FileKind::Test)
        .into_iter()
        .find(with_role)
        .expect("a step with a role");
    document["assert"]["sequence"]["steps"][2]["role"] = json!({ "type": "user" });
    assert!(!is_valid(FileKind::Test, &document));
    assert_eq!(agree(FileKind::Test, &document), Ok(()));
}

#[test]
fn the_documents_are_good() {
    for kind in FileKind::ALL {
        for document in documents(*kind) {
            let valid = agree(*kind, &document);
            assert_eq!(valid, Ok(()));
        }
    }
}

/// The pairs of keys that exclude each other, each with the place of the mapping that may have one of them.
fn exclusions(path: &str, schema: &Value, found: &mut Vec<(String, [String; 2])>) {
    for part in schema["allOf"].as_array().into_iter().flatten() {
        if let Some([one, other]) = part["not"]["required"].as_array().map(Vec::as_slice) {
            let pair = [one, other].map(|key| key.as_str().expect("a key").to_owned());
            for key in &pair {
                assert!(
                    schema["properties"].get(key).is_some(),
                    "{path} has no `{key}`"
                );
            }
            found.push((path.to_owned(), pair));
        }
    }
    for (key, inner) in schema.as_object().into_iter().flatten() {
        exclusions(&format!("{path}/{key}"), inner, found);
    }
}

/// Mappings that have a key of each type whose keys exclude each other, without those keys: a document with a place for them.
fn with_exclusion(definition: &str, pair: &Value) -> Option<Value> {
    let test = |more: Value| {
        let mut document = json!({ "version": Version::newest().to_string(), "name": "a", "turns": [{ "user": "b" }] });
        document
            .as_object_mut()
            .expect("a mapping")
            .extend(more.as_object().cloned().unwrap_or_default());
        document
    };
    Some(match definition {
        // A file, and an entry of several tests.
        "" => test(pair.clone()),
        "Test" => {
            let entry = test(pair.clone());
            let mut entry = entry.as_object().cloned().unwrap_or_default();
            let version = entry.shift_remove("version");
            json!({ "version": version, "tests": [entry] })
        }
        "MessagePart" => {
            test(json!({ "target": "other", "turns": [{ "type": "a2a:send", "parts": [pair] }] }))
        }
        "Count" => {
            test(json!({ "assert": { "tools": { "require": [{ "name": "c", "count": pair }] } } }))
        }
        "Require" => test(json!({ "assert": { "tools": { "require": [pair] } } })),
        "ForbidCalls" => test(json!({ "assert": { "tools": { "forbid_calls": [pair] } } })),
        "CallStep" => test(
            json!({ "assert": { "sequence": { "mode": "exact", "steps": [{ "call": pair }] } } }),
        ),
        "ResultStep" => test(
            json!({ "assert": { "sequence": { "mode": "exact", "steps": [{ "result": pair }] } } }),
        ),
        "TracedCall" => test(
            json!({ "assert": { "provenance": [{ "of": { "call": pair }, "from": ["user"] }] } }),
        ),
        "TracedValues" => {
            test(json!({ "assert": { "provenance": [{ "of": pair, "from": ["user"] }] } }))
        }
        "DetailedSource" => {
            test(json!({ "assert": { "provenance": [{ "of": { "call": "c" }, "from": [pair] }] } }))
        }
        "ScriptRule" => test(json!({ "assert": { "script": [pair] } })),
        "MockCase" => {
            test(json!({ "client_tools": [{ "name": "c", "mock": { "when": [pair] } }] }))
        }
        "ClientTool" => {
            let mut entry = pair.clone();
            // One of both is required, and the other keys go with one of them.
            if entry.get("name").is_none() && entry.get("from").is_none() {
                let of_server = entry.get("mocks").is_some() || entry.get("execute").is_some();
                entry[if of_server { "from" } else { "name" }] = json!("c");
            }
            test(json!({ "client_tools": [entry] }))
        }
        "Simulate" => test(json!({ "simulate": pair })),
        "Runs" => test(json!({ "runs": pair })),
        "Resume" => test(json!({ "turns": [{ "type": "resume", "resume": [pair] }] })),
        // Configs; the others are tests.
        "StartRequest" | "ThenRequest" | "ResumeRequest" => {
            let key = definition.trim_end_matches("Request").to_lowercase();
            let mut target = json!({
                "type": "http", "endpoint": "http://127.0.0.1:1/", "response": { "text": "b" },
            });
            target[key] = pair.clone();
            json!({ "version": Version::newest().to_string(), "target": target })
        }
        "CapturePlace" => {
            let target = json!({
                "type": "http", "endpoint": "http://127.0.0.1:1/", "capture": { "A": pair }, "response": { "text": "b" },
            });
            json!({ "version": Version::newest().to_string(), "target": target })
        }
        _ => return None,
    })
}

/// A value that a key of such a pair has.
fn some_value(key: &str) -> Value {
    match key {
        "exact" | "min" | "max" | "count" => json!(1),
        "good" => json!("95%"),
        "bad" => json!("80%"),
        "error" => json!("5%"),
        "cmd" => json!(["c"]),
        "simulate" => json!({ "agent": "other" }),
        "model" => json!({ "replies": [{ "say": "a" }] }),
        "models" => json!({ "main": { "replies": [{ "say": "a" }] } }),
        "interactive" | "execute" => json!(true),
        "runs" => json!(2),
        "prohibitions" => json!("fail"),
        "walk" => json!({ "actions": { "ask": { "user": "b" } } }),
        "mock" => json!({ "result": 1 }),
        "mocks" => json!({ "c": { "result": 1 } }),
        "parameters" => json!({ "type": "object" }),
        "literal" => json!(["EUR"]),
        "form" => json!({ "a": "b" }),
        _ => json!("c"),
    }
}

/// Whether the loader says of a test that two of its keys contradict each other.
fn is_contradiction(kind: FileKind, document: &Value) -> bool {
    if kind == FileKind::Config {
        let test = format!(
            "version: \"{}\"\nname: a\nturns: [{{ user: b }}]\n",
            Version::newest()
        );
        let config = document.to_string();
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)]);
        let problems = project.plan().problems;
        return problems
            .iter()
            .any(|problem| problem.code.as_str() == "contradiction");
    }
    let config = format!(
        "version: \"{}\"\ntarget: {{ type: agui, endpoint: \"http://127.0.0.1:1/\", agentId: a }}\n\
         targets: {{ other: {{ type: a2a, agentCardUrl: \"http://127.0.0.1:1/\" }} }}\nmodels: {{ main: {{}} }}\n",
        Version::newest()
    );
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &document.to_string()),
    ]);
    let problems = project.plan().problems;
    problems
        .iter()
        .any(|problem| problem.code.as_str() == "contradiction")
}

/// A test has turns.
fn kind_of(document: &Value) -> FileKind {
    if document.get("turns").is_some() || document.get("tests").is_some() {
        FileKind::Test
    } else {
        FileKind::Config
    }
}

/// One test of what the schema refuses and the loader does: each pair of keys that exclude each other, and each of the two alone.
#[test]
fn keys_that_exclude_each_other_are_refused_by_the_schema_and_the_loader() {
    ananke::install();
    for (kind, least) in [(FileKind::Config, 1), (FileKind::Test, 18)] {
        let mut pairs = Vec::new();
        exclusions("", &file_schema(kind), &mut pairs);
        assert!(pairs.len() >= least, "{pairs:?}");
        for (path, [one, other]) in pairs {
            let definition = path.rsplit('/').next().expect("a definition");
            let mapping = |keys: &[&String]| {
                let mut mapping: serde_json::Map<String, Value> = keys
                    .iter()
                    .map(|key| ((*key).clone(), some_value(key)))
                    .collect();
                if definition == "Resume" {
                    mapping.insert("status".to_owned(), json!("resolved"));
                }
                if definition.ends_with("Request") {
                    mapping.insert("endpoint".to_owned(), json!("/b"));
                    mapping.insert("method".to_owned(), json!("POST"));
                }
                Value::Object(mapping)
            };
            let both = mapping(&[&one, &other]);
            let document = with_exclusion(definition, &both)
                .unwrap_or_else(|| panic!("`{definition}` needs a document here"));
            assert!(
                !is_valid(kind_of(&document), &document),
                "the schema takes {document}"
            );
            assert!(
                is_contradiction(kind_of(&document), &document),
                "the loader takes {document}"
            );
            for alone in [&one, &other] {
                let alone = mapping(&[alone]);
                let document = with_exclusion(definition, &alone).expect("a document");
                assert!(
                    is_valid(kind_of(&document), &document),
                    "the schema refuses {document}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn typed_reading_and_the_schema_agree(
        document in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(any::<Mutation>(), 0..4),
    ) {
        for kind in FileKind::ALL {
            let documents = documents(*kind);
            let mut document = document.get(&documents).clone();
            for mutation in &mutations {
                mutate(&mut document, mutation);
            }
            let agreed = agree(*kind, &document);
            prop_assert!(agreed.is_ok(), "{agreed:?}");
        }
    }
}
