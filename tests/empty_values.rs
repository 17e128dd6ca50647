//! Variables that are empty where a value is needed (SPEC 2): every such key of the schemas, with every source of a value.

use ananke::diagnostic::{Diagnostic, Severity};
use ananke::outcome::{ErrorKind, Outcome};
use ananke::plan::{Planned, Selection, plan};
use serde_json::{Value, json};

use crate::support::project::Project;

/// A key that goes into a request, or is given to a program as a secret.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    /// The type of the target, or what else has the key.
    of: String,
    key: String,
}

/// The keys of the schemas that need a value.
const KEYS: [&str; 4] = ["endpoint", "headers", "agentCardUrl", "env"];

/// Each place of the schemas of a config and of a test.
fn places() -> Vec<Place> {
    let place = |of: &str, key: &str| Place {
        of: of.to_owned(),
        key: key.to_owned(),
    };
    let (config, test) = (schema("config"), schema("test"));
    let mut found = Vec::new();
    for target in config["definitions"]["Target"]["oneOf"].as_array().unwrap() {
        let keys = target["properties"].as_object().unwrap();
        let of = keys["type"]["const"].as_str().unwrap();
        found.extend(
            KEYS.iter()
                .filter(|key| keys.contains_key(**key))
                .map(|key| place(of, key)),
        );
        if keys.contains_key("auth") {
            let auth = config["definitions"]["A2aAuth"]["properties"].as_object();
            let texts = auth.unwrap().keys().map(String::as_str);
            let texts = texts.filter(|key| !matches!(*key, "scheme" | "in"));
            found.extend(texts.map(|key| place(of, &format!("auth.{key}"))));
        }
    }
    // The other types with an environment: scripts are asked with what there is, and variables of models are addresses.
    let with_env = |schema: &Value| -> Vec<String> {
        let definitions = schema["definitions"].as_object().unwrap();
        let with_env = definitions
            .iter()
            .filter(|(_, of)| of["properties"].get("env").is_some());
        with_env.map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(
        with_env(&config),
        ["ScriptProgram", "Server", "WrittenModel", "Hook"]
    );
    assert_eq!(with_env(&test), ["Hook"]);
    let others = ["server", "setup", "teardown", "hook", "teardown of a test"];
    found.extend(others.map(|of| place(of, "env")));
    found
}

fn schema(kind: &str) -> Value {
    let folder = env!("CARGO_MANIFEST_DIR");
    let text = std::fs::read_to_string(format!("{folder}/schema/program/{kind}.json"));
    serde_json::from_str(&text.unwrap()).unwrap()
}

impl Place {
    /// Whether files of older versions have it.
    fn is_older(&self) -> bool {
        !matches!(
            self.of.as_str(),
            "ai-sdk" | "http" | "responses" | "anthropic" | "external"
        )
    }

    /// Whether it is filled for each test, with the variables of its row and its hooks.
    fn is_of_test(&self) -> bool {
        !matches!(
            self.of.as_str(),
            "server" | "setup" | "teardown" | "teardown of a test"
        )
    }

    /// A config and a test in which `value` is at this place.
    fn project(&self, value: &str) -> (Value, Value) {
        let mut config = json!({
            "version": "1.4",
            "target": { "type": "scripted", "rules": [{ "do": [{ "say": "hello" }] }] },
        });
        let mut test = json!({
            "version": "1.4",
            "name": "greets",
            "turns": [{ "user": "hi" }],
        });
        let program = json!({ "cmd": ["true"], "env": { "API_KEY": value, "OTHER": "" } });
        match self.of.as_str() {
            "server" => {
                config["server"] = program;
                config["server"]["ready"] = json!({ "port": 1 });
            }
            "setup" | "teardown" => config[&self.of] = json!([program]),
            "hook" => test["hooks"] = json!([program]),
            "teardown of a test" => test["teardown"] = json!([program]),
            _ => config["target"] = self.target(value),
        }
        if self.of == "mcp" {
            test["turns"] =
                json!([{ "type": "mcp:list", "assert": { "tools": { "forbid": ["x"] } } }]);
        }
        (config, test)
    }

    /// A target of the type, which is not there.
    fn target(&self, value: &str) -> Value {
        let endpoint = "http://127.0.0.1:1/agent";
        let mut target = match (self.of.as_str(), self.key.as_str()) {
            ("agui", _) => json!({ "endpoint": endpoint, "agentId": "shop" }),
            ("command", _) => json!({ "cmd": ["true"] }),
            ("a2a", "agentCardUrl") => json!({}),
            ("a2a" | "ai-sdk", _) => json!({ "endpoint": endpoint }),
            ("mcp", "env") => json!({ "transport": "stdio", "command": ["true"] }),
            ("mcp", _) => json!({ "transport": "http", "endpoint": endpoint }),
            ("openai" | "responses" | "anthropic", _) => {
                json!({ "endpoint": endpoint, "model": "m" })
            }
            ("http", _) => json!({ "endpoint": endpoint, "response": { "text": "a" } }),
            ("external", _) => json!({ "agent": "shop" }),
            ("scripted", _) => json!({ "rules": [{ "do": [{ "say": "hello" }] }] }),
            (of, _) => panic!("a target of the type `{of}` is missing here"),
        };
        target["type"] = json!(self.of);
        match self.key.split_once('.') {
            Some(("auth", key)) => {
                target["auth"] = match key {
                    "token" => json!({ "scheme": "bearer" }),
                    "name" | "value" => json!({ "scheme": "apiKey", "name": "x-a", "value": "v1" }),
                    "cert_file" | "key_file" => {
                        json!({ "scheme": "mtls", "cert_file": "a", "key_file": "b" })
                    }
                    _ => panic!("a scheme with the key `{key}` is missing here"),
                };
                target["auth"][key] = json!(value);
            }
            _ => {
                target[&self.key] = match self.key.as_str() {
                    "headers" => json!({ "x-shop": format!("Bearer {value}") }),
                    "env" => json!({ "API_KEY": value, "OTHER": "" }),
                    _ => json!(format!("http://127.0.0.1:1/{value}")),
                };
            }
        }
        target
    }
}

/// A plan, made with the environment variable `TOKEN`.
fn planned(
    (config, test): (&Value, &Value),
    token: Option<&str>,
    selection: &Selection,
) -> Planned {
    let mut project = of(config, test);
    if let Some(token) = token {
        project = project.with_environment("TOKEN", token);
    }
    plan(&project.context(), selection, &project.redactor)
}

fn of(config: &Value, test: &Value) -> Project {
    Project::new(&[
        ("ananke.config.yaml", &config.to_string()),
        ("a.test.yaml", &test.to_string()),
    ])
}

fn to_send() -> Selection {
    Selection {
        sends: true,
        ..Selection::default()
    }
}

/// The problems about empty variables: their severity and message.
fn empty(problems: &[Diagnostic]) -> Vec<(Severity, &str, &str)> {
    let of_empty = problems
        .iter()
        .filter(|problem| matches!(problem.code.as_str(), "empty-variable" | "since-1.4"));
    of_empty
        .map(|problem| {
            assert!(
                problem.place().is_some() && !problem.help.is_empty(),
                "{problem}"
            );
            (
                problem.severity,
                problem.code.as_str(),
                problem.message.as_str(),
            )
        })
        .collect()
}

#[test]
fn an_empty_value_is_an_error_wherever_one_is_needed() {
    for place in places() {
        let about = |reference: &str, vars: Value, token: Option<&str>, selection: &Selection| {
            let (mut config, test) = place.project(reference);
            config["vars"] = vars;
            let planned = planned((&config, &test), token, selection);
            let found = empty(&planned.problems).into_iter();
            let found = found.map(|(severity, _, message)| (severity, message.to_owned()));
            found.collect::<Vec<_>>()
        };
        let none = json!({});
        let sent = |reference: &str, token: Option<&str>| {
            about(reference, none.clone(), token, &to_send())
        };
        let needs = |found: Vec<(Severity, String)>, what: &str| {
            let [(severity, message)] = &found[..] else {
                panic!("{place:?}: {found:?}");
            };
            assert_eq!(*severity, Severity::Error, "{place:?}");
            assert!(message.ends_with(what), "{place:?}: {message}");
        };
        needs(
            sent("${ENV.TOKEN}", Some("")),
            "needs a value: the environment variable `TOKEN` is empty",
        );
        needs(
            sent("${ENV.TOKEN}", Some(" \t")),
            "the environment variable `TOKEN` is blank",
        );
        needs(
            sent("${ENV.TOKEN:-}", Some(" ")),
            "the environment variable `TOKEN` is blank",
        );
        needs(
            sent("${ENV.TOKEN:-other}", Some(" ")),
            "the environment variable `TOKEN` is blank",
        );
        let of_vars = |vars: Value, reference: &str| about(reference, vars, Some(""), &to_send());
        needs(
            of_vars(json!({ "A": "" }), "${A}"),
            "needs a value: the variable `A` is empty",
        );
        needs(
            of_vars(json!({ "A": { "b": "" } }), "${A.b}"),
            "needs a value: the variable `A.b` is empty",
        );
        needs(
            of_vars(json!({ "A": "x${ENV.TOKEN}" }), "${A}"),
            "`A` is made of the environment variable `TOKEN`, which is empty",
        );
        needs(
            of_vars(json!({ "A": "${ENV.TOKEN}x", "B": "${A}x" }), "${B}"),
            "`B` is made of the environment variable `TOKEN`, which is empty",
        );
        for (reference, token) in [
            ("${ENV.TOKEN}", Some("abcdef")),
            ("${ENV.TOKEN:-abcdef}", None),
            ("${ENV.TOKEN:-abcdef}", Some("")),
            ("${ENV.TOKEN:-}", None),
            ("${ENV.TOKEN:-}", Some("")),
            ("", None),
        ] {
            assert_eq!(sent(reference, token), [], "{place:?}: {reference}");
        }
        assert_eq!(of_vars(json!({ "A": "x${ENV.TOKEN:-}" }), "${A}"), []);
        assert_eq!(
            of_vars(
                json!({ "A": { "b": "${ENV.TOKEN}", "c": "abcdef" } }),
                "${A.c}"
            ),
            []
        );
        // Nothing is sent or started: with `--replay`, `list`, `--dry-run`.
        let offline = about(
            "${ENV.TOKEN}",
            none.clone(),
            Some(""),
            &Selection::default(),
        );
        assert_eq!(offline, [], "{place:?}");
    }
}

#[test]
fn what_ananke_check_finds_may_be_there_where_the_tests_run() {
    let checks = Selection {
        checks: true,
        ..Selection::default()
    };
    for place in places() {
        let (config, test) = place.project("${ENV.TOKEN}");
        let is_hook = ["hook", "setup", "teardown"]
            .iter()
            .any(|hook| place.of.starts_with(hook));
        let expected = if is_hook {
            Severity::Error
        } else {
            Severity::Warning
        };
        let planned = planned((&config, &test), Some(""), &checks);
        let found: Vec<_> = empty(&planned.problems)
            .into_iter()
            .map(|found| found.0)
            .collect();
        assert_eq!(found, [expected], "{place:?}");
    }
}

#[test]
fn files_of_older_versions_keep_their_verdict() {
    let denies = Selection {
        settings: ananke::settings::GivenSettings {
            deny_warnings: Some(true),
            ..Default::default()
        },
        ..to_send()
    };
    for place in places().into_iter().filter(Place::is_older) {
        let (mut config, mut test) = place.project("${ENV.TOKEN}");
        config["version"] = json!("1.3");
        test.as_object_mut().unwrap().remove("version");
        if place.key == "auth.name" {
            // Without a name, it is another error in every version.
            continue;
        }
        let planned = planned((&config, &test), Some(""), &denies);
        let found = empty(&planned.problems);
        let [(Severity::Warning, "since-1.4", message)] = found[..] else {
            panic!("{place:?}: {found:?}");
        };
        assert!(
            message.ends_with("`TOKEN` is empty; since version 1.4, that is an error"),
            "{message}"
        );
    }
}

/// Runs a test whose target or hook needs a value, with `A` of a row, and of a hook.
async fn ran(
    place: &Place,
    version: &str,
    reference: &str,
    value: &str,
) -> Vec<(Outcome, &'static str)> {
    let mut outcomes = Vec::new();
    for source in ["row", "hook"] {
        let (mut config, mut test) = place.project(reference);
        config["version"] = json!(version);
        test["version"] = json!(version);
        if source == "row" {
            test["cases"] = json!([{ "A": value }]);
        } else {
            let output = format!("echo '{}'", json!({ "A": value }));
            let gives = json!({ "cmd": ["sh", "-c", output] });
            let own = test["hooks"].as_array().cloned().unwrap_or_default();
            test["hooks"] = Value::Array([vec![gives], own].concat());
        }
        let outcome = of(&config, &test).run().await;
        outcomes.extend(outcome.into_iter().map(|outcome| (outcome, source)));
    }
    outcomes
}

#[cfg(unix)]
#[tokio::test]
async fn an_empty_value_of_a_row_or_a_hook_is_an_error_of_its_test() {
    for place in places().into_iter().filter(Place::is_of_test) {
        for value in ["", " "] {
            for (outcome, source) in ran(&place, "1.4", "${A}", value).await {
                let problem = outcome.verdict.end().problem();
                let problem =
                    problem.unwrap_or_else(|| panic!("{place:?}, {source}: {outcome:#?}"));
                assert_eq!(problem.kind, ErrorKind::Setup, "{place:?}, {source}");
                let is = if value.is_empty() { "empty" } else { "blank" };
                let expected = format!("needs a value: the variable `A` is {is}");
                assert!(
                    problem.message.ends_with(&expected),
                    "{place:?}: {}",
                    problem.message
                );
                assert!(problem.help.is_some());
            }
        }
        let is_empty = |outcome: &Outcome| {
            let problem = outcome.verdict.end().problem();
            problem.is_some_and(|problem| problem.message.contains("needs a value"))
        };
        for (reference, value) in [("${A:-}", ""), ("${A}", "abcdef")] {
            for (outcome, source) in ran(&place, "1.4", reference, value).await {
                assert!(!is_empty(&outcome), "{place:?}, {source}");
            }
        }
        if place.key != "auth.name" && place.is_older() {
            for (outcome, source) in ran(&place, "1.3", "${A}", "").await {
                let warnings = &outcome.verdict.warnings;
                assert!(!is_empty(&outcome), "{place:?}, {source}");
                assert!(
                    warnings.iter().any(|text| text.starts_with("since-1.4: ")),
                    "{place:?}, {source}: {warnings:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_used_or_not_started_needs_nothing() {
    let header = json!({ "type": "agui", "endpoint": "http://127.0.0.1:1/a", "headers": { "x-a": "${ENV.TOKEN}" } });
    let (mut config, test) = Place {
        of: "hook".to_owned(),
        key: "env".to_owned(),
    }
    .project("${ENV.TOKEN}");
    config["targets"] = json!({ "other": header });
    config["scripts"] =
        json!({ "score": { "cmd": ["true"], "env": { "API_KEY": "${ENV.TOKEN}" } } });
    let mut without_hooks = to_send();
    without_hooks.variables.without_hooks = true;
    let planned = planned((&config, &test), Some(""), &without_hooks);
    assert_eq!(empty(&planned.problems), []);
    assert!(planned.plan.is_some());
}

#[test]
fn judges_and_simulators_are_targets_too() {
    let header = json!({ "type": "agui", "agentId": "j", "endpoint": "http://127.0.0.1:1/a", "headers": { "x-a": "${ENV.TOKEN}" } });
    let (mut config, mut test) = Place {
        of: "none".to_owned(),
        key: String::new(),
    }
    .without();
    config["targets"] = json!({ "judge": header });
    test["turns"][0]["assert"] =
        json!({ "judge": [{ "agent": "judge", "criteria": "is polite" }] });
    let judged = planned((&config, &test), Some(""), &to_send());
    assert_eq!(empty(&judged.problems).len(), 1);
    test.as_object_mut().unwrap().remove("turns");
    test["simulate"] = json!({ "agent": "judge", "goal": "buys", "max_turns": 1 });
    let simulated = planned((&config, &test), Some(""), &to_send());
    assert_eq!(
        empty(&simulated.problems).len(),
        1,
        "{:?}",
        simulated.problems
    );
}

impl Place {
    /// A project in which nothing needs a value.
    fn without(&self) -> (Value, Value) {
        let (mut config, test) = Self {
            of: "setup".to_owned(),
            ..self.clone()
        }
        .project("x");
        config.as_object_mut().unwrap().remove("setup");
        (config, test)
    }
}

#[test]
fn a_variable_of_the_test_replaces_one_of_the_config() {
    let place = Place {
        of: "openai".to_owned(),
        key: "headers".to_owned(),
    };
    let (mut config, mut test) = place.project("${A}");
    config["vars"] = json!({ "A": "" });
    test["vars"] = json!({ "A": "abcdef" });
    let found = planned((&config, &test), None, &to_send());
    assert_eq!(empty(&found.problems), []);
    config["vars"] = json!({ "A": "abcdef" });
    test["vars"] = json!({ "A": "" });
    let found = planned((&config, &test), None, &to_send());
    let message = "the header `x-shop` needs a value: the variable `A` is empty";
    assert_eq!(
        empty(&found.problems),
        [(Severity::Error, "empty-variable", message)]
    );
    // A hook or a row may give another one.
    test["hooks"] = json!([{ "cmd": ["true"] }]);
    assert_eq!(
        empty(&planned((&config, &test), None, &to_send()).problems),
        []
    );
    test.as_object_mut().unwrap().remove("hooks");
    test["cases"] = json!([{ "A": "abcdef" }]);
    assert_eq!(
        empty(&planned((&config, &test), None, &to_send()).problems),
        []
    );
}
