//! Any case, written as YAML and read again, is the same test.

use std::sync::Arc;

use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::convert::Conversion;
use super::read_case::ReadCase;
use ananke_base::context::Context;
use ananke_base::diagnostic::{Severity, SourceFile};
use ananke_base::source::{self, Node};
use ananke_base::text::meant_boolean;
use ananke_model::model::TAG_DEFAULTS;

fn texts() -> impl Strategy<Value = String> {
    let odd = "(null|yes|No|~|1e3|- a|#|<<|\\$\\{A\\}|\\$\\$\\{|a: b|\"|'|\\||\\?|%|@|`|😀)";
    prop_oneof!["[a-z]{1,8}", "\\PC{1,12}", "[ \\n\\t\\ra:#-]{1,8}", odd]
}

fn values() -> impl Strategy<Value = Value> {
    let numbers = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from)
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        numbers,
        texts().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(prop_oneof![Just(Value::Null), inner.clone()], 0..3)
                .prop_map(Value::from),
            objects(inner).boxed(),
        ]
    })
}

fn objects(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((texts(), values), 0..3)
        .prop_map(|entries| Value::Object(entries.into_iter().collect()))
}

/// An object of those fields that have a value.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let there = fields
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}

/// Each type of assertion with its own fields.
fn kinds() -> impl Strategy<Value = Value> {
    let paths = prop_oneof!["[a-z]{1,4}", "\\$\\.a\\[[0-9]\\]\\.b", "a\\.b"];
    let types = prop_oneof![
        Just("string"),
        Just("number"),
        Just("array"),
        Just("object"),
        Just("null")
    ];
    let tools = prop_oneof![
        "[a-z_.]{1,6}".prop_map(Value::from),
        prop::collection::vec("[a-z_.]{1,6}", 1..3).prop_map(Value::from),
    ];
    let called = (tools.clone(), of(objects(values())));
    let results = (tools.clone(), of(values()), of("(a|b+)c"));
    prop_oneof![
        texts().prop_map(Value::from),
        values().prop_map(|value| json!({ "value": value })),
        values().prop_map(|value| json!({ "type": "equals", "value": value })),
        (any::<bool>(), values()).prop_map(|(is, value)| {
            // An empty list is refused.
            let value = if value == json!([]) { json!(["a"]) } else { value };
            json!({ "type": if is { "contains" } else { "not_contains" }, "value": value })
        }),
        (paths.clone(), values())
            .prop_map(|(path, value)| json!({ "type": "json_path", "path": path, "value": value })),
        (any::<bool>(), "(a|b+)[c-e]?\\\\d")
            .prop_map(|(is, regex)| json!({ "type": "regex", (if is { "value" } else { "pattern" }): regex })),
        (of(paths), types).prop_map(|(path, name)| {
            object([
                ("type", Some(json!("type"))),
                ("path", path.map(Value::from)),
                ("value", Some(name.into())),
            ])
        }),
        tools.prop_map(|name| json!({ "type": "tool_called", "name": name })),
        called.prop_map(|(name, arguments)| {
            json!({ "type": "tool_called", "value": object([("name", Some(name)), ("arguments", arguments)]) })
        }),
        results.prop_map(|(tool, result, pattern)| {
            let pattern = pattern.map(|pattern| format!("regex:{pattern}"));
            let result = match (result, pattern) {
                (Some(result), Some(pattern)) => Some(json!({ "is": result, "like": pattern })),
                (result, pattern) => result.or(pattern.map(Value::from)),
            };
            json!({ "type": "tool_result", "value": object([("tool", Some(tool)), ("result", result)]) })
        }),
        (of(values()), of(objects(values()))).prop_map(|(value, with)| {
            object([
                ("type", Some(json!("script"))),
                ("script", Some(json!("scripts.checks.total"))),
                ("value", value),
                ("options", with.map(|with| json!({ "metadata": with }))),
            ])
        }),
        (texts(), of(objects(values())), of("[a-z]{1,4}")).prop_map(|(criteria, with, connector)| {
            let options = object([("metadata", with), ("connector", connector.map(Value::from))]);
            json!({ "type": "agent", "use": "agents:strict", "value": criteria, "options": options })
        }),
    ]
}

/// An assertion with its options, or a list of them.
fn assertions() -> impl Strategy<Value = Value> {
    let one =
        (kinds(), of(texts()), of(any::<bool>())).prop_map(|(mut assertion, message, negate)| {
            if let Some(fields) = assertion.as_object_mut() {
                fields.extend(message.map(|message| ("message".to_owned(), message.into())));
                fields.extend(negate.map(|negate| ("negate".to_owned(), negate.into())));
            }
            assertion
        });
    prop::collection::vec(one, 1..5).prop_map(|mut all| {
        if all.len() == 1 {
            all.remove(0)
        } else {
            all.into()
        }
    })
}

fn content() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        texts().prop_map(|text| json!({ "type": "text", "text": text })),
        (of("[a-z]{1,4}"), "[a-z]{1,4}\\.(png|txt)").prop_map(|(name, path)| {
            object([
                ("type", Some(json!("file"))),
                ("source", Some(json!(format!("file://{path}")))),
                ("name", name.map(Value::from)),
            ])
        }),
        Just(json!({ "type": "image_url", "image_url": { "url": "https://a.example/x.png" } })),
        Just(json!({ "type": "input_audio", "input_audio": { "data": "AAAA", "format": "mp3" } })),
    ];
    prop_oneof![
        texts().prop_map(Value::from),
        prop::collection::vec(part, 1..4).prop_map(Value::from)
    ]
}

fn options() -> impl Strategy<Value = Value> {
    let flags = || of(any::<bool>());
    (
        of(texts()),
        of(texts()),
        flags(),
        flags(),
        of(objects(values())),
        of(objects(values())),
    )
        .prop_map(|(connector, mode, search, prompts, skip, metadata)| {
            object([
                ("connector", connector.map(Value::from)),
                ("mode", mode.map(Value::from)),
                ("search", search.map(Value::from)),
                ("disable_global_prompts", prompts.map(Value::from)),
                ("skip", skip),
                ("metadata", metadata),
            ])
        })
}

fn turns() -> impl Strategy<Value = Value> {
    let turn = (content(), of(assertions()), of(values()), of(options()));
    let turn = turn.prop_map(|(content, assertions, expected, options)| {
        object([
            ("input", Some(json!({ "content": content }))),
            ("assertions", assertions),
            ("expected", expected),
            ("options", options),
        ])
    });
    prop::collection::vec(turn, 1..3).prop_map(Value::from)
}

/// The keys `input`: a text, a message or a history.
fn inputs() -> impl Strategy<Value = Value> {
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "look", "arguments": "{\"a\": 1}" } });
    let history = (texts(), texts()).prop_map(move |(said, found)| {
        json!([
            { "content": said },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c1", "content": found },
        ])
    });
    prop_oneof![
        texts().prop_map(Value::from),
        (content(), of("[a-z]{1,4}")).prop_map(|(content, id)| {
            object([
                ("role", Some(json!("user"))),
                ("content", Some(content)),
                ("id", id.map(Value::from)),
            ])
        }),
        history,
    ]
}

fn cases() -> impl Strategy<Value = Value> {
    let skip = prop_oneof![
        any::<bool>().prop_map(Value::from),
        texts()
            .prop_filter("no word for a Boolean", |text| meant_boolean(text)
                .is_none())
            .prop_map(Value::from)
    ];
    let said = (texts(), of(texts()), inputs(), of(turns()));
    let judged = (of(assertions()), of(values()), of(assertions()));
    let caller = (
        of(texts()),
        of(texts()),
        of(options()),
        of(objects(values())),
    );
    (said, judged, caller, of(skip), of("[1-9][0-9]?(s|m|h|ms)")).prop_map(
        |(
            (id, name, input, turns),
            (assert, expected, last),
            (user, team, options, metadata),
            skip,
            timeout,
        )| {
            object([
                ("id", Some(id.into())),
                ("name", name.map(Value::from)),
                ("input", Some(input)),
                ("turns", turns),
                ("assert", assert),
                ("expected", expected),
                ("final_assertions", last),
                ("user", user.map(Value::from)),
                ("team", team.map(Value::from)),
                ("options", options),
                ("metadata", metadata),
                ("skip", skip),
                ("timeout", timeout.map(Value::from)),
            ])
        },
    )
}

/// The YAML of a file with these cases, as a tree.
fn converted(cases: &[Value]) -> (String, Option<Node>) {
    ananke_fakes::install();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).expect("the file can be written");
    let context = Context::isolated(folder.path());
    let mut yaml = Vec::new();
    Conversion::of(&context, &path)
        .write(&mut yaml)
        .expect("the cases can be written");
    let yaml = String::from_utf8(yaml).expect("UTF-8");
    let source = Arc::new(SourceFile::new("a.yaml", "a.yaml", yaml.clone()));
    (yaml, source::parse(&source).ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_case_written_as_yaml_is_the_same_test(cases in prop::collection::vec(cases(), 1..3)) {
        let (yaml, read) = converted(&cases);
        let read = read.and_then(|read| read.get("tests").cloned());
        let Some(source::NodeValue::List(tests)) = read.map(|tests| tests.value) else {
            return Err(TestCaseError::fail(yaml));
        };
        prop_assert_eq!(tests.len(), cases.len());
        for (case, test) in cases.iter().zip(&tests) {
            let source = Arc::new(SourceFile::new("a.jsonl", "a.jsonl", case.to_string()));
            let lowered = ReadCase::of(&source);
            let errors: Vec<_> =
                lowered.problems.iter().filter(|problem| problem.severity == Severity::Error).collect();
            prop_assert!(errors.is_empty(), "{case}\n{errors:?}");
            let node = lowered.node.expect("a test");
            prop_assert_eq!(node.to_json().to_string(), test.to_json().to_string(), "{}", yaml);
            let typed: Result<ananke_model::model::Test, _> = source::from_node(test, TAG_DEFAULTS);
            prop_assert!(typed.is_ok(), "{yaml}");
        }
    }
}
