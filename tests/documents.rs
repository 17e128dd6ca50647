//! The documents of `audit`, `contract`, `coverage`, `mutate` and `compare`: each is valid under its schema, says the same as
//! its text, and ends with the same conclusion.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Characters that steer terminals and CI servers.
const HOSTILE: &str = r"<b>\u001b[31m\u202e##[error] ::error::x \n";

fn ananke(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .output()
        .unwrap()
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

/// A directory with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// A copy of the project of a golden case, with its server.
fn case(name: &str) -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let folder = TempDir::new().unwrap();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    copy(&cases.join(name), folder.path());
    let server = include_str!("golden_cases/server.sh");
    fs::write(folder.path().join("server.sh"), server).unwrap();
    folder
}

/// Fails if `printed` has a character that steers a terminal, or an order to a CI server.
fn check_harmless(printed: &str) {
    let bad = printed.chars().find(|character| {
        (character.is_control() && *character != '\n') || *character == '\u{202e}'
    });
    assert_eq!(bad, None, "{printed}");
    let is_order = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
    assert_eq!(printed.lines().find(is_order), None, "{printed}");
}

/// A schema that allows no keys but those that it describes, so that a document has no others.
fn closed(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        if object.contains_key("properties") && object.contains_key("type") {
            object.insert("additionalProperties".to_owned(), false.into());
        }
        for value in object.values_mut() {
            *value = closed(value.take());
        }
    }
    schema
}

/// The document that a command line prints, as it is written to a file too. It is valid, and its text ends as it does.
fn document(folder: &Path, arguments: &[&str]) -> Value {
    let name = arguments[0];
    // What follows `--` is a program of its own.
    let program = arguments.iter().position(|argument| *argument == "--");
    let (own, program) = arguments.split_at(program.unwrap_or(arguments.len()));
    let printed = ananke(
        folder,
        &[own, &["--json", "-o", "document.json"], program].concat(),
    );
    let json = text(&printed.stdout);
    let document: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{printed:?}"));
    check_harmless(&json);
    let written = fs::read_to_string(folder.join("document.json")).unwrap();
    assert_eq!(written, json);

    let schema = ananke(folder, &["schema", name]);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&closed(schema)).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
    let without = |key: &str| {
        let mut document = document.clone();
        document.as_object_mut().unwrap().shift_remove(key);
        document
    };
    for key in ["version", "type", "run", "summary"] {
        assert!(!validator.is_valid(&without(key)), "{name} without {key}");
    }

    let keys: Vec<&String> = document.as_object().unwrap().keys().take(4).collect();
    assert_eq!(keys, ["version", "type", "run", "summary"]);
    assert_eq!(document["type"], name);
    assert_eq!(document["run"]["ananke"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["run"]["command"][1], name);
    let summary = &document["summary"];
    assert_eq!(summary["exit_code"], printed.status.code().unwrap());

    // A report of ananke is replaced without `--force`.
    let output = ananke(folder, &[own, &["-o", "document.json"], program].concat());
    assert_eq!(output.status.code(), printed.status.code(), "{output:?}");
    let shown = text(&output.stdout);
    check_harmless(&shown);
    let sign = if summary["exit_code"] == 0 {
        "✓"
    } else {
        "✗"
    };
    let reason = summary["reason"].as_str().unwrap();
    assert_eq!(
        shown.lines().last(),
        Some(&*format!("{sign} {name}: {reason}")),
        "{shown}"
    );
    document
}

#[test]
fn a_comparison_is_a_document() {
    let folder = case("fail/compare-regressions");
    let found = document(folder.path(), &["compare", "main.json", "now.jsonl"]);
    let counts = [&found["summary"]["changed"], &found["summary"]["regressed"]];
    assert_eq!(counts, [found["tests"].as_array().unwrap().len(), 2]);
    assert_eq!(found["before"]["report"], "main.json");
    let found = document(folder.path(), &["compare", "main.json", "main.json"]);
    assert_eq!(found["summary"]["regressed"], 0);
    assert_eq!(found["summary"]["reason"], "no regression");
}

#[test]
fn a_comparison_of_nothing_is_a_document() {
    let empty = r#"{"version":"1.0","summary":{"total":0},"results":[]}"#;
    let hostile = format!(
        r#"{{"version":"1.0","summary":{{"total":1}},"results":[{{"id":"{HOSTILE}","status":"failed","turns":[{{"tool_calls":[{{"name":"{HOSTILE}"}}],"assertions":[{{"passed":false,"message":"{HOSTILE}"}}]}}]}}]}}"#
    );
    let folder = project(&[("empty.json", empty), ("hostile.json", &hostile)]);
    let found = document(folder.path(), &["compare", "empty.json", "empty.json"]);
    assert_eq!(
        (&found["tests"], &found["counts"]),
        (&json!([]), &json!({}))
    );
    let found = document(folder.path(), &["compare", "empty.json", "hostile.json"]);
    assert_eq!(found["regressions"], json!({ "newly_failing": 1 }));
    let names = ananke(folder.path(), &["schema", "comparison"]);
    let schema = ananke(folder.path(), &["schema", "compare"]);
    assert_eq!(
        names.stdout, schema.stdout,
        "the earlier name of the schema"
    );
}

const AGENT: &str = r#"version: "1.4"
target:
  type: scripted
  rules:
    - when: { user: pay }
      do:
        - call: { tool: "TOOL", args: { order: O-7 }, result: "RESULT" }
        - say: "Order O-7 is paid."
    - do: [{ say: hi }]
"#;

const PAYS: &str =
    "version: \"1.4\"\nname: pays\nturns: [{ user: pay }]\nassert: { tools: { max_calls: 1 } }\n";

fn agent(tool: &str) -> String {
    AGENT.replace("TOOL", tool).replace("RESULT", tool)
}

#[test]
fn coverage_is_a_document() {
    let folder = project(&[
        ("ananke.config.yaml", &agent(HOSTILE)),
        ("pays.test.yaml", PAYS),
    ]);
    let found = document(folder.path(), &["coverage"]);
    assert_eq!(found["summary"]["tools"]["exercised"], 1);
    assert_eq!(found["run"]["target"], "default");
    let missed = document(folder.path(), &["coverage", "--fail-under", "80"]);
    assert_eq!(
        missed["summary"]["reason"],
        "25 % is exercised, and `--fail-under` demands 80 %"
    );
    let greets = PAYS.replace("user: pay", "user: hello");
    fs::write(folder.path().join("pays.test.yaml"), greets).unwrap();
    let nothing = document(folder.path(), &["coverage"]);
    assert_eq!(
        (&nothing["tools"], &nothing["summary"]["exit_code"]),
        (&json!([]), &json!(0))
    );
    let fails = PAYS.replace("max_calls: 1", "max_calls: 0");
    fs::write(folder.path().join("pays.test.yaml"), fails).unwrap();
    let failed = document(folder.path(), &["coverage", "--fail-under", "80"]);
    assert_eq!(
        failed["summary"]["reason"],
        "the tests ended with exit code 1; 25 % is exercised, and `--fail-under` demands 80 %"
    );
    // Nothing ran, so there is nothing to say.
    fs::write(folder.path().join("pays.test.yaml"), "turns: 7").unwrap();
    let broken = ananke(folder.path(), &["coverage", "--json"]);
    assert_eq!(
        (broken.status.code(), &*broken.stdout),
        (Some(1), &[][..]),
        "{broken:?}"
    );
}

#[test]
fn mutation_is_a_document() {
    let folder = project(&[
        ("ananke.config.yaml", &agent(HOSTILE)),
        ("pays.test.yaml", PAYS),
    ]);
    let recorded = ananke(folder.path(), &["run", "--record", "recordings"]);
    assert_eq!(recorded.status.code(), Some(0), "{recorded:?}");
    let found = document(folder.path(), &["mutate"]);
    let survivors = found["survivors"].as_array().unwrap();
    assert_eq!(found["summary"]["survived"], survivors.len());
    assert!(
        survivors
            .iter()
            .any(|mutant| mutant["suggestion"]["yaml"].is_string()),
        "{found:#}"
    );
    let turns = survivors.iter().map(|mutant| &mutant["turn"]);
    assert!(turns.eq(vec![&json!(1); survivors.len()]), "{found:#}");
    let total: u64 = found["operators"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["total"].as_u64().unwrap())
        .sum();
    assert_eq!(found["summary"]["total"], total);
    let gated = document(
        folder.path(),
        &["mutate", "--min-score", "95", "--no-suggestions"],
    );
    let reason = gated["summary"]["reason"].as_str().unwrap();
    assert!(
        reason.ends_with(", and at least 95% is required"),
        "{reason}"
    );
    fs::write(
        folder.path().join("pays.test.yaml"),
        PAYS.replace("max_calls: 1", "max_calls: 0"),
    )
    .unwrap();
    let refused = ananke(folder.path(), &["mutate", "--json"]);
    assert_eq!(
        (refused.status.code(), &*refused.stdout),
        (Some(1), &[][..]),
        "{refused:?}"
    );
}

#[test]
#[cfg(unix)]
fn an_audit_is_a_document() {
    let folder = case("fail/audit-reports");
    let found = document(folder.path(), &["audit", "--seed", "7"]);
    assert_eq!(found["seed"], 7);
    let levels = |level: &str| {
        let findings = found["findings"].as_array().unwrap().iter();
        findings.filter(|finding| finding["level"] == level).count()
    };
    assert_eq!(found["summary"]["errors"], levels("error"));
    assert_eq!(found["summary"]["warnings"], levels("warning"));
    assert_eq!(found["run"]["config"], "ananke.config.yaml");
}

/// A server of MCP whose only tools are `tools`, in JSON; every call succeeds.
#[cfg(unix)]
fn server(tools: &str) -> String {
    let server = r#"while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25"}' ;;
    *'"method":"notifications/'*) continue ;;
    *'"method":"tools/list"'*) result='{"tools":TOOLS}' ;;
    *) result='{"content":[{"type":"text","text":"done"}]}' ;;
  esac
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
"#;
    server.replace("TOOLS", tools)
}

#[test]
#[cfg(unix)]
fn an_audit_of_hostile_tools_and_of_none_is_a_document() {
    let hostile = format!(
        r#"[{{"name":"{HOSTILE}","description":"{HOSTILE}","inputSchema":{{"type":"object","required":["{HOSTILE}"],"properties":{{"{HOSTILE}":{{"type":"integer"}}}}}},"annotations":{{"readOnlyHint":true}}}}]"#
    );
    let folder = project(&[
        ("hostile.sh", &server(&hostile)),
        ("empty.sh", &server("[]")),
    ]);
    let found = document(folder.path(), &["audit", "--", "sh", "hostile.sh"]);
    let findings = found["findings"].as_array().unwrap();
    let is_found = |check: &str| findings.iter().any(|finding| finding["check"] == check);
    assert!(
        is_found("odd-name") && is_found("accepted-arguments"),
        "{found:#}"
    );
    let found = document(folder.path(), &["audit", "--", "sh", "empty.sh"]);
    assert_eq!(
        (&found["tools"], &found["summary"]["calls"]),
        (&json!([]), &json!(0))
    );
    assert_eq!(found["run"]["config"], Value::Null, "no config is written");
}

#[test]
#[cfg(unix)]
fn a_contract_is_a_document() {
    let folder = case("fail/contract-json");
    let arguments = ["contract", "recordings", "--target", "next"];
    let found = document(folder.path(), &arguments);
    assert_eq!(found["refusals"][0]["test"], "shop.test.yaml::open");
    assert_eq!(found["summary"]["failed"], 3);
    let folder = case("pass/contract");
    let arguments = fs::read_to_string(folder.path().join("arguments")).unwrap();
    let found = document(folder.path(), &arguments.lines().collect::<Vec<_>>());
    assert_eq!(
        (&found["refusals"], &found["summary"]["failed"]),
        (&json!([]), &json!(0))
    );
}

#[test]
fn a_document_has_the_formats_of_its_command() {
    let folder = project(&[("mine.json", "{}"), ("ananke.config.yaml", &agent("pay"))]);
    for (command, formats) in [
        (
            &["audit"][..],
            "`.json`, `.xml`, `.md`, `.html`, `.tap` or `.jsonl`",
        ),
        (&["contract", "recordings"], "`.json`"),
        (&["coverage"], "`.html`, `.json` or `.yaml`"),
        (&["mutate"], "`.html`, `.md`, `.xml` or `.json`"),
        (&["compare", "a", "b"], "`.md`, `.html` or `.json`"),
    ] {
        let output = ananke(folder.path(), &[command, &["-o", "a.pdf"]].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let expected = format!("the file extension names the format: {formats}\n");
        let printed = text(&output.stderr);
        assert!(printed.contains(&expected), "{printed}");
    }
    fs::write(folder.path().join("pays.test.yaml"), PAYS).unwrap();
    let output = ananke(folder.path(), &["coverage", "-o", "mine.json"]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(1), &[][..]));
    let printed = text(&output.stderr);
    assert!(
        printed.contains("error: `mine.json` exists already, and is no report of ananke\n"),
        "{printed}"
    );
}

#[test]
#[cfg(unix)]
fn a_secret_of_the_command_line_is_in_no_document() {
    let folder = project(&[("server.sh", &server("[]"))]);
    let output = ananke(
        folder.path(),
        &[
            "audit",
            "--var",
            "KEY=hunter2",
            "--json",
            "--",
            "sh",
            "server.sh",
        ],
    );
    let printed = text(&output.stdout);
    let document: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(document["run"]["command"][3], "KEY=***");
    assert!(!printed.contains("hunter2"), "{printed}");
}
