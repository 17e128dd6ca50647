//! The command lines that suites of `yao agent test` are run with: each as it is written, through a shell.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::raw_agent::{RawAgent, Step};

const CONFIG: &str = r#"
version: "1.3"
target: assistants.expense
targets:
  keyword:
    type: scripted
    rules:
      - when: { user: "(?i)extract" }
        do: [{ say: "AI, ML" }]
  system:
    type: scripted
    agentId: workers.system.keyword
    rules: [{ do: [{ say: "Nothing to extract." }] }]
  keyword.agent: { extends: keyword }
  assistants.expense:
    type: scripted
    description: "Pays expenses"
    client_tools: [{ name: submit, description: "Submits a claim", parameters: { type: object }, mock: { result: ok } }]
    rules: [{ do: [{ say: "Submitted." }] }]
  workers.test.generator:
    type: scripted
    rules:
      - when: { user: '"target_agent":"assistants.expense","target_description":"Pays expenses","target_tools":\[\{"name":"submit","description":"Submits a claim","parameters":\{"type":"object"\}\}\],"count":10,"focus":"edge-cases"\}$' }
        do: [{ say: '{"cases": [{"id": "G1", "input": "0 EUR", "assert": {"type": "contains", "value": "Submitted"}}, {"input": "-1 EUR"}]}' }]
      - when: { user: '^\{"test_mode":"generator",.*"count":50\}$' }
        do: [{ say: "Here they are:\n```json\n[{\"id\": \"G1\", \"input\": \"5 EUR\", \"expected\": \"Submitted.\"}]\n```" }]
  broken: { type: scripted, rules: [{ do: [{ error: { message: "out of order\u001b[31m" } }] }] }
  red: { type: scripted, rules: [{ do: [{ say: "no \u001b[31m cases" }] }] }
  report.beautiful:
    type: scripted
    rules:
      - when: { user: '^\{"test_mode":"reporter","report":\{"version":.*"summary":.*"results":\[.*\],?.*\},"format":"markdown","options":\{"verbose":false\}\}$' }
        do: [{ say: "```markdown\n# Beautiful\n\nAll is well.\n```" }]
"#;

const INPUTS: &str = r#"// What the agent must know.
{"id": "T001", "input": "Extract keywords from: AI and ML", "assert": {"type": "contains", "value": "AI"}}
{"id": "T002", "input": "Extract keywords from: ML", "expected": "AI, ML"}
"#;

const SCRIPT: &str = r#"#!/bin/sh
grep -q '"test_mode":"generator".*"scenario":"approval-flow"' || exit 9
echo '[{"id": "S1", "input": "Approve it", "assert": {"type": "contains", "value": "Submitted"}}]'
"#;

/// The project that the command lines are about.
struct Suite {
    folder: TempDir,
}

impl Suite {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        write("ananke.config.yaml", CONFIG);
        write(
            "assistants/keyword/package.yao",
            "{ \"name\": \"Keywords\" }",
        );
        write("assistants/keyword/tests/inputs.jsonl", INPUTS);
        let script = write("scripts/tests/expense/generate.sh", SCRIPT);
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    /// Runs a command line in a directory of the project.
    fn run(&self, directory: &str, line: &str) -> Output {
        let programs = Path::new(env!("CARGO_BIN_EXE_ananke"))
            .parent()
            .unwrap()
            .display();
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("PATH=\"{programs}:$PATH\"\n{line}"))
            .env_remove("GITHUB_ACTIONS");
        shell
            .current_dir(self.folder.path().join(directory))
            .output()
            .unwrap()
    }

    /// The same of a command line that succeeds; what it prints.
    fn passes(&self, directory: &str, line: &str) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = self.run(directory, line);
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(status.success(), "{line}: {status}\n{stdout}\n{stderr}");
        stdout
    }

    /// The same of one that fails; its exit code and what it says on standard error.
    fn fails(&self, directory: &str, line: &str) -> (i32, String) {
        let Output {
            status,
            stderr,
            stdout,
        } = self.run(directory, line);
        assert!(
            !status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&stdout)
        );
        (status.code().unwrap(), String::from_utf8(stderr).unwrap())
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// The names of the files with results that nobody named.
    fn outputs(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join(directory))
            .unwrap()
            .flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("output-")).collect()
    }
}

const KEYWORD: &str = "assistants/keyword";

#[test]
fn a_message_is_answered() {
    let suite = Suite::new();
    let line = r#"ananke test -i "Extract keywords from: AI and ML""#;
    assert_eq!(suite.passes(KEYWORD, line), "AI, ML\n");
    let line = r#"ananke test -i "Hello world" -n workers.system.keyword"#;
    assert_eq!(suite.passes("", line), "Nothing to extract.\n");
    assert!(suite.outputs("").is_empty() && suite.outputs(KEYWORD).is_empty());
    let Output {
        status,
        stdout,
        stderr,
    } = suite.run("", "ananke test -i Hello -n broken");
    assert_eq!((status.code(), stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&stderr).contains("agent error: out of order"));
}

#[test]
fn a_case_file_is_run_and_its_results_are_next_to_it() {
    let suite = Suite::new();
    suite.passes("", "ananke test -i assistants/keyword/tests/inputs.jsonl");
    let outputs = suite.outputs("assistants/keyword/tests");
    assert_eq!(outputs.len(), 1);
    let lines = suite.text(&format!("assistants/keyword/tests/{}", outputs[0]));
    let kinds: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    assert_eq!(kinds, ["result", "result", "summary"]);
    // What was written is no file of tests.
    let config = suite.folder.path().join("ananke.config.yaml");
    fs::write(config, format!("{CONFIG}specs: \"**/*.jsonl\"\n")).unwrap();
    let listed = suite.passes("", "ananke list");
    assert_eq!(listed.lines().count(), 2);
}

#[test]
fn reports_are_written_as_they_are_named() {
    let suite = Suite::new();
    let printed = suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -o report.html -v",
    );
    assert!(
        printed.contains("Extract keywords from: AI and ML"),
        "{printed}"
    );
    assert!(
        suite
            .text("assistants/keyword/report.html")
            .starts_with("<!doctype html>")
    );
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl --runs 5 -o stability.json",
    );
    let stability = suite.json("assistants/keyword/stability.json");
    assert_eq!(stability["results"][0]["pass_rate"], 100.0);
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl --parallel 4 --timeout 2m",
    );
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -u admin -t prod-team -c openai.gpt4",
    );
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -r report.beautiful -o custom-report.md",
    );
    assert_eq!(
        suite.text("assistants/keyword/custom-report.md"),
        "# Beautiful\n\nAll is well.\n"
    );
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -n keyword.agent -c deepseek.v3 -u test-user -t test-team --runs 3 \
         --timeout 10m --parallel 4 -r report.html -o report.html",
    );
    assert!(
        suite
            .text("assistants/keyword/report.html")
            .contains("keyword.agent")
    );
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -r json -o missing/directory/report.html",
    );
    assert_eq!(
        suite.json("assistants/keyword/missing/directory/report.html")["summary"]["passed"],
        2
    );
}

#[test]
fn results_are_read_by_other_programs() {
    let suite = Suite::new();
    let lines = [
        "ananke test -i tests/inputs.jsonl -o results.jsonl --fail-fast; jq 'select(.type == \"summary\")' results.jsonl",
        "ananke test -i tests/inputs.jsonl -u ci-user -t ci-team --runs 3 -o report.json; jq -e '.results | all(.pass_rate >= 80)' report.json",
    ];
    if !suite.run("", "jq --version").status.success() {
        eprintln!("skipped: jq is not installed");
        for line in lines {
            let (ananke, _) = line.split_once(';').unwrap();
            suite.passes(KEYWORD, ananke);
        }
        return;
    }
    let summary = suite.passes(KEYWORD, lines[0]);
    assert!(summary.contains("\"type\": \"summary\""), "{summary}");
    assert!(suite.passes(KEYWORD, lines[1]).ends_with("true\n"));
}

#[test]
fn cases_are_generated() {
    let suite = Suite::new();
    let line = r#"ananke test -v -i "agents:workers.test.generator?count=10&focus=edge-cases" -n assistants.expense"#;
    let printed = suite.passes("", line);
    assert!(
        printed.contains("G1") && printed.contains("generated-2"),
        "{printed}"
    );
    let line = r#"ananke test -v -i "scripts:tests.expense.generate?scenario=approval-flow" -n assistants.expense"#;
    assert!(suite.passes("", line).contains("S1"));
    let line = r#"ananke test -i "agents:workers.test.generator?count=50" -n assistants.expense -o ./tests/generated.jsonl --dry-run"#;
    assert_eq!(suite.passes("", line), "G1\n");
    assert_eq!(
        suite.text("tests/generated.jsonl"),
        "{\"id\":\"G1\",\"input\":\"5 EUR\",\"expected\":\"Submitted.\"}\n"
    );
    suite.passes("", "ananke test -i tests/generated.jsonl");
}

#[test]
fn a_report_of_an_agent_is_written_again_until_a_person_changes_it() {
    let suite = Suite::new();
    let line = "ananke test -i tests/inputs.jsonl -r report.beautiful -o reports/one.md";
    let beautiful = "# Beautiful\n\nAll is well.";
    let file = |name: &str| suite.text(&format!("{KEYWORD}/reports/{name}"));
    suite.passes(KEYWORD, line);
    suite.passes(KEYWORD, line);
    // Another report in the same directory, of another agent's run.
    suite.passes(KEYWORD, &line.replace("one.md", "two.md"));
    suite.passes(KEYWORD, line);
    assert_eq!(
        (file("one.md").trim_end(), file("two.md").trim_end()),
        (beautiful, beautiful)
    );
    // A report of ananke may take its place, and the other way round.
    suite.passes(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -o reports/two.md",
    );
    assert!(file("two.md").starts_with("<!-- ananke -->\n"));
    suite.passes(KEYWORD, &line.replace("one.md", "two.md"));
    assert_eq!(file("two.md").trim_end(), beautiful);

    let mine = format!("{beautiful}\n\nAnd I say so.\n");
    let path = suite.folder.path().join(KEYWORD).join("reports/one.md");
    fs::write(&path, &mine).unwrap();
    let (code, stderr) = suite.fails(KEYWORD, line);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("`reports/one.md` exists already, and is no Markdown report of ananke"),
        "{stderr}"
    );
    assert_eq!(file("one.md"), mine);
}

#[test]
fn a_reporter_that_answers_nothing_is_an_error() {
    let suite = Suite::new();
    let silent = "  silent: { type: scripted, rules: [{ do: [{ state: { a: 1 } }] }] }\n";
    fs::write(
        suite.folder.path().join("ananke.config.yaml"),
        format!("{CONFIG}{silent}"),
    )
    .unwrap();
    let (code, stderr) = suite.fails(
        KEYWORD,
        "ananke test -i tests/inputs.jsonl -r silent -o report.md",
    );
    assert_eq!(
        (code, stderr.as_str()),
        (
            1,
            "error: `report.md` is not written: the reporter `silent` answered with nothing (asked 2 times)\n"
        )
    );
    assert!(
        !suite
            .folder
            .path()
            .join("assistants/keyword/report.md")
            .exists()
    );
}

#[test]
fn cases_come_from_standard_input() {
    let suite = Suite::new();
    let printed = suite.passes(KEYWORD, "ananke test -v -i - < tests/inputs.jsonl");
    assert!(
        printed.contains("stdin") && printed.contains("T002"),
        "{printed}"
    );
    let (code, stderr) = suite.fails(KEYWORD, "echo '{\"id\": 5}' | ananke test -i -");
    assert!(code == 1 && stderr.contains("stdin:1:"), "{stderr}");
}

/// What an agent of AG-UI answers.
const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"Fine.\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
);

/// The skills of an agent card, which the config contains, or which is requested.
#[tokio::test]
async fn skills_are_the_tools_that_a_generator_gets() {
    let skill = json!({ "id": "book", "name": "Book a table", "description": "Books a table", "tags": ["t"] });
    let card = json!({ "url": "/", "protocolVersion": "0.3", "skills": [skill] }).to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        card.len()
    );
    let agent = RawAgent::start(vec![vec![
        Step::Expect,
        Step::Send([head, card].concat().into_bytes()),
    ]])
    .await;
    let address = agent.address.to_string();
    let inline =
        json!({ "url": "http://127.0.0.1:1/", "protocolVersion": "0.3", "skills": [skill] });
    let config = format!(
        r#"
version: "1.4"
target: found
targets:
  found: {{ type: a2a, agentCardUrl: "http://{address}/card.json" }}
  inline: {{ type: a2a, agentCard: {inline} }}
  generator:
    type: scripted
    rules:
      - when: {{ user: '"target_tools":\[\{{"name":"book","description":"Books a table","parameters":null\}}\]' }}
        do: [{{ say: '[{{"id": "G1", "input": "A table for two"}}]' }}]
"#
    );
    let suite = Suite::new();
    fs::write(suite.folder.path().join("ananke.config.yaml"), config).unwrap();
    tokio::task::spawn_blocking(move || {
        for name in ["found", "inline"] {
            let line =
                format!("ananke test -i agents:generator -n {name} -o {name}.jsonl --dry-run");
            suite.passes("", &line);
            assert!(
                suite
                    .text(&format!("{name}.jsonl"))
                    .contains("A table for two"),
                "{name}"
            );
        }
    })
    .await
    .unwrap();
    assert_eq!(agent.requests().await.len(), 1);
}

/// The user, the team and the model that an agent is asked with, in each request of a command line.
async fn asked(cases: &str, options: &str, requests: usize) -> Vec<Value> {
    let answers = (0..requests)
        .map(|_| vec![Step::Expect, Step::Send(ANSWER.into())])
        .collect();
    let agent = RawAgent::start(answers).await;
    let suite = Suite::new();
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: shop }}\n",
        agent.address
    );
    fs::write(suite.folder.path().join("ananke.config.yaml"), config).unwrap();
    fs::write(suite.folder.path().join("cases.jsonl"), cases).unwrap();
    let line = format!("ananke test -i cases.jsonl -o out.json -n shop {options}");
    tokio::task::spawn_blocking(move || suite.passes("", &line))
        .await
        .unwrap();
    let bodies = agent.requests().await.into_iter();
    let bodies = bodies.map(|request| serde_json::from_slice::<Value>(&request.body).unwrap());
    let value = |body: &Value, key: &str| {
        let entries = body["context"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["description"] == key);
        entry.map_or(Value::Null, |entry| entry["value"].clone())
    };
    let connector = |body: &Value| body["forwardedProps"]["options"]["connector"].clone();
    bodies
        .map(|body| {
            json!([
                value(&body, "user"),
                value(&body, "team"),
                value(&body, "locale"),
                connector(&body)
            ])
        })
        .collect()
}

#[tokio::test]
async fn the_command_line_takes_precedence_over_cases_and_cases_over_defaults() {
    let cases = r#"{"id": "a", "input": "one", "user": "ada", "options": {"connector": "m"},
  "turns": [{"input": "two", "options": {"connector": "n"}}], "expected": "Fine."}"#;
    let plain = asked(cases, "", 2).await;
    assert_eq!(
        plain,
        [
            json!(["ada", "test-team", "en-us", "m"]),
            json!(["ada", "test-team", "en-us", "n"])
        ]
    );
    let given = asked(cases, "-u admin -t prod-team -c openai.gpt4", 2).await;
    assert_eq!(
        given,
        vec![json!(["admin", "prod-team", "en-us", "openai.gpt4"]); 2]
    );
}

#[test]
fn a_case_has_five_minutes_unless_it_or_the_command_line_says_otherwise() {
    let suite = Suite::new();
    let config = "version: \"1.3\"\ntarget: { type: scripted, timeout_ms: 9000000, rules: [\
                  { when: { user: long }, do: [{ delay_ms: 301000 }, { say: hi }] }, \
                  { do: [{ delay_ms: 2000 }, { say: hi }] }] }\n";
    fs::write(suite.folder.path().join("ananke.config.yaml"), config).unwrap();
    let cases = r#"{"id": "long", "input": "long", "expected": "hi"}
{"id": "short", "input": "short", "expected": "hi"}
{"id": "own", "input": "long", "expected": "hi", "timeout": "10m"}"#;
    fs::write(suite.folder.path().join("cases.jsonl"), cases).unwrap();
    for (options, expected) in [
        ("", ["timeout", "passed", "passed"]),
        ("--timeout 1s", ["timeout", "timeout", "passed"]),
        ("--timeout 1h", ["passed", "passed", "passed"]),
    ] {
        suite.run(
            "",
            &format!("ananke test -i cases.jsonl -o out.json {options}"),
        );
        let results = suite.json("out.json")["results"].take();
        let statuses: Vec<&str> = results
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|result| result["status"].as_str())
            .collect();
        assert_eq!(statuses, expected, "{options}");
    }
}

#[test]
fn agents_of_assertions_are_found_by_their_ids() {
    let suite = Suite::new();
    let judge = "  strict: { type: scripted, agentId: tests.judge, rules: [{ do: [{ say: '{\"passed\": true}' }] }] }\n";
    fs::write(
        suite.folder.path().join("ananke.config.yaml"),
        format!("{CONFIG}{judge}"),
    )
    .unwrap();
    let case = |agent: &str| {
        let case = r#"{"id": "a", "input": "Hi", "assert": {"type": "agent", "use": "agents:NAME", "value": "polite"}}"#;
        fs::write(
            suite.folder.path().join("cases.jsonl"),
            case.replace("NAME", agent),
        )
        .unwrap();
        "ananke test -i cases.jsonl -o out.json"
    };
    suite.passes("", case("tests.judge"));
    suite.passes("", case("strict"));
    let (code, stderr) = suite.fails("", case("tests.judges"));
    assert!(
        code == 1 && stderr.contains("did you mean `tests.judge`?"),
        "{stderr}"
    );
    let (_, stderr) = suite.fails("", &case("tests.judge").replace("-o", "-n strict -o"));
    assert!(
        stderr.contains("the judge `tests.judge` is the target under test"),
        "{stderr}"
    );
}

#[test]
fn of_targets_with_one_agent_id_the_config_chooses() {
    let suite = Suite::new();
    let targets = "targets:\n  staging: { extends: default }\n  production: { extends: default }\n";
    let own = "target: { type: scripted, agentId: shop, rules: [{ do: [{ say: hi }] }] }\n";
    let config = format!("version: \"1.3\"\n{own}{targets}");
    fs::write(suite.folder.path().join("ananke.config.yaml"), &config).unwrap();
    suite.passes("", "ananke test -i Hello -n shop");
    let named = config
        .replace("target: {", "target: other\ntargets:\n  default: {")
        .replace("targets:\n  staging", "  staging");
    let other = "  other: { type: scripted, rules: [] }\n";
    fs::write(
        suite.folder.path().join("ananke.config.yaml"),
        named + other,
    )
    .unwrap();
    let (_, stderr) = suite.fails("", "ananke test -i Hello -n shop");
    assert!(
        stderr.contains("name one of them: `default`, `staging`, `production`"),
        "{stderr}"
    );
}

#[test]
fn what_helpers_say_cannot_control_a_terminal() {
    let suite = Suite::new();
    for (line, expected) in [
        (
            "ananke test -i agents:red",
            "answered with no cases: no \\u{1b}[31m cases",
        ),
        (
            "ananke test -i agents:broken",
            "agent error: out of order\\u{1b}[31m",
        ),
        (
            "ananke test -i Hello -n system -r broken -o report.md",
            "out of order\\u{1b}[31m",
        ),
    ] {
        let (code, stderr) = suite.fails("", line);
        assert!(
            code == 1 && stderr.contains(expected) && !stderr.contains('\u{1b}'),
            "{line}: {stderr:?}"
        );
    }
}
