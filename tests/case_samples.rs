//! Cases in the shapes in which the documents of `yao agent test` print them, run by the program: what they assert, and what is
//! reported of them.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::project::Project;

/// An agent that takes back a parcel in three turns, and what else the samples need.
const CONFIG: &str = r#"version: "1.4"
target:
  type: scripted
  rules:
    - when: { user: "send something back" }
      do: [{ say: "Which parcel is it?" }]
    - when: { user: "Parcel" }
      do: [{ call: { tool: find_parcel, args: { number: 7 }, result: { found: true } } }]
    - when: { user: "Yes" }
      do: [{ say: "The label is on its way." }, { state: { parcel: { status: returned } } }]
    - when: { user: "Confirm it with a tool" }
      do: [{ call: { tool: ask_user, args: { question: "Really?" } } }]
    - when: { user: "Say nothing" }
      do: [{ state: { parcel: { status: returned } } }]
    - when: { user: "Fail" }
      do: [{ error: { message: "no parcels today" } }]
    - do: [{ say: "Hello" }]
targets:
  customer:
    type: scripted
    rules:
      - when: { user: '"turn_number":2' }
        do: [{ say: '{"input": "Parcel 7", "goal_achieved": false}' }]
      - do: [{ say: '{"input": "", "goal_achieved": true}' }]
"#;

/// A conversation with static turns, a simulator for later, and an assertion about the state at its end.
const FLOW: &str = r#"{
  "id": "T001",
  "name": "Return of a parcel",
  "type": "multi_turn",
  "turns": [
    { "input": "I want to send something back", "assertions": [{ "type": "contains", "value": "Which parcel" }] },
    { "input": "Parcel 7", "assertions": [{ "type": "tool_called", "name": "find_parcel" }] },
    { "input": "Yes, please", "assertions": [{ "type": "regex", "value": "on its way" }] }
  ],
  "simulator": { "use": "agents:customer", "persona": "New customer", "goal": "Return a parcel", "max_turns": 10 },
  "interactive": { "enabled": false, "timeout": "5m" },
  "on_missing_input": "skip",
  "final_assertions": [{ "type": "json_path", "path": "$.parcel.status", "value": "returned" }]
}
"#;

fn project(files: &[(&str, &str)]) -> Project {
    let mut all = vec![("ananke.config.yaml", CONFIG)];
    all.extend(files);
    Project::new(&all)
}

fn ananke(project: &Project, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .args(arguments)
        .output()
        .unwrap()
}

/// The exit code of a run of a case file, its JSON report, and everything that it prints.
fn run(project: &Project, arguments: &[&str]) -> (i32, Value, String) {
    let output = ananke(
        project,
        &[
            &["run", "-i", "inputs.jsonl", "-o", "report.json"],
            arguments,
        ]
        .concat(),
    );
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8(printed).unwrap();
    let report = fs::read(project.folder().join("report.json")).unwrap_or_default();
    let report = serde_json::from_slice(&report).unwrap_or_else(|_| panic!("{printed}"));
    (output.status.code().unwrap(), report, printed)
}

/// The words of an assertion, without what is known of the rule that it is.
fn words(assertion: &Value) -> Value {
    let fields = ["type", "name", "path", "value", "in", "passed"];
    let words = fields.map(|field| Some((field.to_owned(), assertion.get(field)?.clone())));
    words.into_iter().flatten().collect()
}

#[test]
fn a_conversation_is_reported_in_the_words_of_its_case() {
    let project = project(&[("inputs.jsonl", FLOW)]);
    let (code, report, printed) = run(&project, &["-v"]);
    assert_eq!(code, 0, "{printed}");
    let result = &report["results"][0];
    let turns = result["turns"].as_array().unwrap();
    let waits: Vec<&Value> = turns.iter().map(|turn| &turn["awaiting_input"]).collect();
    assert_eq!(waits, [&json!(true), &json!(false), &json!(false)]);
    let assertions: Vec<Value> = turns
        .iter()
        .map(|turn| words(&turn["assertions"][0]))
        .collect();
    assert_eq!(
        assertions,
        [
            json!({"type": "contains", "value": "Which parcel", "passed": true}),
            json!({"type": "tool_called", "name": "find_parcel", "passed": true}),
            json!({"type": "regex", "value": "on its way", "passed": true}),
        ]
    );
    let last = json!({"type": "json_path", "path": "$.parcel.status", "value": "returned", "in": "state", "passed": true});
    assert_eq!(words(&result["final_assertions"][0]), last);
    assert_eq!(words(&result["assertions"][3]), last);
    assert_eq!(turns[0]["assertions"][0]["rule"]["kind"], "output");
    assert_eq!(result["total_turns"], 3);
    assert!(
        printed.contains("\n3 turns, 3.0 per test\n1 test: 1 passed"),
        "{printed}"
    );
    // What is read back is what was written.
    let again = ananke(&project, &["report", "report.json", "-o", "again.json"]);
    assert!(again.status.success());
    let again: Value =
        serde_json::from_slice(&fs::read(project.folder().join("again.json")).unwrap()).unwrap();
    assert_eq!(again["results"], report["results"]);
}

#[test]
fn the_state_is_looked_into_only_if_a_message_has_no_json_and_the_agent_sent_one() {
    let case = |id: &str, input: &str, assertion: &str| {
        format!("{{\"id\": \"{id}\", \"input\": \"{input}\", \"assert\": {assertion}}}\n")
    };
    let at = |path: &str, value: &str, more: &str| {
        format!(r#"{{"type": "json_path", "path": "{path}", "value": "{value}"{more}}}"#)
    };
    let cases = [
        case("said", "Yes", &at("parcel.status", "returned", "")),
        case(
            "silent",
            "Say nothing",
            &at("parcel.status", "returned", ""),
        ),
        case(
            "type",
            "Yes",
            r#"{"type": "type", "path": "parcel", "value": "object"}"#,
        ),
        case("other", "Yes", &at("parcel.status", "lost", "")),
        case("none", "Hi", &at("parcel.status", "returned", "")),
        case(
            "negated",
            "Yes",
            &at("parcel.status", "returned", ", \"negate\": true"),
        ),
        case(
            "whole",
            "Yes",
            r#"{"type": "type", "path": "$", "value": "object"}"#,
        ),
    ]
    .concat();
    let config = CONFIG.replacen(
        "  type: scripted\n",
        "  type: scripted\n  state: { parcel: { status: returned } }\n",
        1,
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("inputs.jsonl", &cases)]);
    let (_, report, printed) = run(&project, &[]);
    let statuses: Vec<&str> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["status"].as_str().unwrap())
        .collect();
    assert_eq!(
        statuses,
        [
            "passed", "passed", "passed", "failed", "failed", "failed", "failed"
        ],
        "{printed}"
    );
    assert_eq!(report["results"][3]["final_assertions"][0]["in"], "state");
    assert!(
        report["results"][4]["final_assertions"][0]
            .get("in")
            .is_none()
    );
}

#[test]
fn a_pipeline_compares_the_pass_rate_of_every_result() {
    let cases = "{\"id\": \"a\", \"input\": \"Hi\", \"assert\": {\"type\": \"contains\", \"value\": \"Hello\"}}\n{\"id\": \"b\", \"input\": \"Hi\", \"skip\": true}\n";
    let project = project(&[("inputs.jsonl", cases)]);
    for arguments in [&[][..], &["--runs", "3"]] {
        let (code, report, printed) = run(&project, arguments);
        assert_eq!(code, 0, "{printed}");
        let rates = report["results"].as_array().unwrap().iter();
        assert!(
            rates
                .map(|result| result["pass_rate"].as_f64().unwrap())
                .all(|rate| rate >= 80.0)
        );
        assert_eq!(report["results"][1]["runs"], 0);
        let again = ananke(&project, &["report", "report.json", "-o", "again.json"]);
        assert!(again.status.success());
    }
}

#[test]
fn an_error_is_a_text_wherever_it_is_reported() {
    let project = project(&[(
        "inputs.jsonl",
        "{\"id\": \"a\", \"input\": \"Fail\", \"assert\": {\"type\": \"contains\", \"value\": \"x\"}}\n",
    )]);
    let (code, report, _) = run(&project, &[]);
    assert_eq!(code, 1);
    let result = &report["results"][0];
    for of in [result, &result["turns"][0]] {
        assert_eq!(of["error"], "agent error: no parcels today");
        assert_eq!(of["problem"]["kind"], "agent");
    }
}

#[cfg(unix)]
#[test]
fn a_script_gets_what_the_case_expects_and_may_say_what_a_user_says() {
    use std::os::unix::fs::PermissionsExt as _;
    let cases = r#"{"id": "checks", "input": "Hi", "expected": {"greets": true}, "assert": {"type": "script", "script": "scripts.greets"}}
{"id": "own", "input": "Hi", "expected": {"greets": true}, "assert": {"type": "script", "script": "scripts.greets", "value": 5}}
{"id": "talks", "input": "I want to send something back", "assert": {"type": "tool_called", "value": "find_parcel"}, "simulator": {"use": "scripts:talks", "goal": "Return"}}
"#;
    let greets = "#!/bin/sh\ngrep -q '\"expected\":{\"greets\":true}' && echo true || echo false\n";
    let talks = "#!/bin/sh\nif grep -q '\"turn_number\":2'; then echo 'Parcel: {number 7}'; else printf 'Thanks.\\n```json\\n{\"input\": \"\", \"goal_achieved\": true}\\n```\\n'; fi\n";
    let project = project(&[
        ("inputs.jsonl", cases),
        ("scripts/greets.sh", greets),
        ("scripts/talks.sh", talks),
    ]);
    for script in ["greets", "talks"] {
        let path = project.folder().join(format!("scripts/{script}.sh"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (_, report, printed) = run(&project, &["-v"]);
    let status = |index: usize| report["results"][index]["status"].as_str().unwrap();
    assert_eq!(
        [status(0), status(1), status(2)],
        ["passed", "failed", "passed"],
        "{printed}"
    );
    // The second has a `value` of its own.
    assert_eq!(printed.matches("is not checked").count(), 1, "{printed}");
    assert_eq!(
        report["results"][2]["turns"][1]["input"],
        "Parcel: {number 7}"
    );
}

#[test]
fn simulated_turns_are_marked_in_every_transcript() {
    let case = r#"{"id": "talks", "input": "I want to send something back", "assert": {"type": "contains", "value": "never"}, "simulator": {"use": "customer", "goal": "Return"}}"#;
    let project = project(&[("inputs.jsonl", case)]);
    let (code, report, printed) = run(&project, &["-o", "r.xml", "-o", "r.md", "-o", "r.html"]);
    assert_eq!(code, 1);
    assert_eq!(
        report["results"][0]["turns"][1]["input_source"],
        "simulator"
    );
    let mark = "said by the simulator";
    assert!(printed.contains(mark), "{printed}");
    for file in ["r.xml", "r.md", "r.html"] {
        let text = fs::read_to_string(project.folder().join(file)).unwrap();
        assert!(text.contains(mark), "{file}");
    }
}

#[test]
fn a_goal_that_is_achieved_before_the_first_turn_is_failed() {
    let case = |id: &str, checkpoints: &str| {
        format!(
            "{{\"id\": \"{id}\", \"messages\": [{{\"role\": \"assistant\", \"content\": \"Hi\"}}], \"simulator\": {{\"use\": \"customer\"}}{checkpoints}}}\n"
        )
    };
    let checkpoint = r#", "checkpoints": [{"id": "found", "assert": {"type": "tool_called", "value": "find_parcel"}}]"#;
    let project = project(&[("inputs.jsonl", &(case("a", checkpoint) + &case("b", "")))]);
    let (code, report, printed) = run(&project, &[]);
    assert_eq!(code, 1, "{printed}");
    let results = &report["results"];
    assert_eq!(
        [&results[0]["status"], &results[1]["status"]],
        ["failed", "failed"],
        "{printed}"
    );
    assert_eq!(results[0]["error"], "missing checkpoints: found");
    assert_eq!(
        results[1]["error"],
        "the goal was achieved before the agent was asked anything"
    );
    assert_eq!(results[0]["problem"]["kind"], "conversation");
}

#[test]
fn a_skip_names_the_tool_that_asks_and_the_assertions_of_the_case() {
    let case = r#"{"id": "a", "type": "multi_turn", "input": "Confirm it with a tool", "final_assertions": [{"type": "regex", "value": "done"}]}"#;
    let project = project(&[("inputs.jsonl", case)]);
    let (_, report, printed) = run(&project, &[]);
    let reason = report["results"][0]["skip_reason"]
        .as_str()
        .unwrap_or_else(|| panic!("{printed}"));
    assert!(
        reason.contains("(tool_requires_confirmation: `ask_user({\"question\":\"Really?\"})`)"),
        "{reason}"
    );
    assert!(
        reason.contains("not checked: the assertion `regex` (inputs.jsonl:1)"),
        "{reason}"
    );
}

#[test]
fn what_the_format_takes_is_taken_and_what_it_does_not_is_refused() {
    let good = r#"{"id": "pattern", "input": "Say nothing", "assert": {"type": "regex", "value": "^$"}}
{"id": "most", "input": "Hi", "max_turns": 1, "turns": [{"input": "Hi"}, {"input": "Hi"}], "assert": {"type": "contains", "value": "Hello"}}
{"id": "never", "input": "Hi", "max_turns": 1, "skip": true}
"#;
    let project = project(&[("inputs.jsonl", good)]);
    let (code, report, printed) = run(&project, &[]);
    assert_eq!(code, 0, "{printed}");
    assert_eq!(report["summary"]["passed"], 2);
    let bad = r#"{"id": "a", "input": ["Hi"]}
{"id": "b", "input": [{"role": "user", "content": ["Hi"]}]}
{"id": "c", "turns": [{"input": {"role": "user", "content": ["Hi"]}}]}
"#;
    fs::write(project.folder().join("bad.jsonl"), bad).unwrap();
    let output = ananke(&project, &["check", "bad.jsonl"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr.matches("error[wrong-type]").count(), 3, "{stderr}");
    assert!(
        stderr.contains("expected a message, found a text in a list\n --> bad.jsonl:1:23"),
        "{stderr}"
    );
    assert!(
        stderr.contains("expected a part of a message, found a text in a list\n --> bad.jsonl:2:"),
        "{stderr}"
    );
}

#[test]
fn an_empty_path_means_the_whole() {
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: '{\"a\": [1]}' }] }] }\n";
    let cases = r#"{"id": "a", "input": "Hi", "assert": [{"type": "json_path", "path": "", "value": {"a": [1]}}, {"type": "json_path", "path": "$.", "value": {"a": [1]}}, {"type": "type", "path": "", "value": "object"}]}
"#;
    let project = Project::new(&[("ananke.config.yaml", config), ("inputs.jsonl", cases)]);
    let (code, _, printed) = run(&project, &[]);
    assert_eq!(code, 0, "{printed}");
}

#[test]
fn hints_for_a_case_name_fields_of_cases() {
    let project = project(&[(
        "inputs.jsonl",
        r#"{"id": "a", "input": "Hi", "status": 1, "timing": {}, "prompt": "x", "nmae": "y", "attachments": []}"#,
    )]);
    let output = ananke(&project, &["check", "inputs.jsonl"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        !stderr.contains("in the config") && !stderr.contains("target.assert"),
        "{stderr}"
    );
    assert!(stderr.contains("this is called `input` here"), "{stderr}");
    assert!(stderr.contains("did you mean `name`?"), "{stderr}");
}

#[test]
fn words_of_other_tools_in_a_case_are_what_a_case_calls_them() {
    let of_fields = [
        ("\"vars\": {\"x\": 1}", "write their values into `input`"),
        ("\"description\": \"b\"", "this is called `name` here"),
        ("\"query\": \"b\"", "this is called `input` here"),
        ("\"prompts\": [\"b\"]", "each prompt is a case of its own"),
        (
            "\"system_prompt\": \"b\"",
            "`\"messages\": [{\"role\": \"system\"",
        ),
        (
            "\"expected_tools\": [\"b\"]",
            "`\"assert\": [{\"type\": \"tool_called\"",
        ),
        ("\"provider\": \"b\"", "`ananke run FILE -n NAME`"),
    ];
    let of_assertions = [
        ("\"type\": \"llm-rubric\"", "`agent` asks a judge"),
        ("\"type\": \"javascript\"", "`script` runs a program"),
        ("\"type\": \"icontains\"", "`regex` can ignore case"),
        ("\"type\": \"is-json\"", "`type` without a `path`"),
        ("\"type\": \"not-contains\"", "did you mean `not_contains`?"),
        (
            "\"type\": \"contains_every_one\"",
            "the values are: `contains`",
        ),
        (
            "\"type\": \"contains\", \"rubric\": \"b\"",
            "this is called `value` here",
        ),
        (
            "\"type\": \"contains\", \"threshold\": 1",
            "say in `value` what is good enough",
        ),
        (
            "\"type\": \"agent\", \"provider\": \"b\"",
            "this is called `use` here",
        ),
    ];
    let of_fields = of_fields.map(|(field, help)| {
        (
            format!("{{\"id\": \"a\", \"input\": \"Hi\", {field}}}"),
            help,
        )
    });
    let of_assertions = of_assertions.map(|(assertion, help)| {
        let case = format!(
            "{{\"id\": \"a\", \"input\": \"Hi\", \"assert\": {{\"value\": \"x\", {assertion}}}}}"
        );
        (case, help)
    });
    for (case, help) in of_fields.into_iter().chain(of_assertions) {
        let project = project(&[("inputs.jsonl", &case)]);
        let output = ananke(&project, &["check", "inputs.jsonl"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(help), "{case}: {stderr}");
        for yaml in ["turns", "config", "judge: [", "tools:"] {
            assert!(!stderr.contains(yaml), "{case}: {stderr}");
        }
    }
}

#[test]
fn a_missing_case_file_is_named_wherever_it_would_be() {
    let project = project(&[]);
    for file in ["missing.jsonl", "/no/such/directory/inputs.jsonl"] {
        let output = ananke(&project, &["run", "-i", file]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr.starts_with(&format!(
                "error[unreadable]: `{file}` cannot be read: there is no such file"
            )),
            "{stderr}"
        );
    }
}

#[test]
fn a_message_is_in_no_file() {
    let project = project(&[]);
    let output = ananke(&project, &["run", "-i", "Hi there", "-o", "report.json"]);
    assert!(output.status.success());
    let report: Value =
        serde_json::from_slice(&fs::read(project.folder().join("report.json")).unwrap()).unwrap();
    let result = &report["results"][0];
    assert_eq!(result["file"], Value::Null);
    assert!(result.get("path").is_none(), "{result}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("per test"));
}

#[test]
fn what_can_never_fail_or_pass_is_a_warning() {
    let cases = r#"{"id": "a", "input": "Hi", "assert": {"type": "regex", "value": ".*"}}
{"id": "b", "input": "Hi", "simulator": {"use": "customer"}, "checkpoints": [{"id": "c", "assert": {"type": "regex", "value": "(?s).*"}}]}
{"id": "d", "input": "Hi", "assert": {"type": "regex", "value": "Hel+o"}}
"#;
    let yaml = r#"version: "1.4"
name: paid
assert:
  tools: { forbid: [refund] }
  whenever:
    - { call: pay, followed_by: [{ call: receipt }, { call: refund }] }
    - { call: pay, followed_by: [{ any_of: [{ call: receipt }, { call: refund }] }] }
turns: [{ user: Hi, assert: { text: { contains: Hello } } }]
"#;
    let project = project(&[("inputs.jsonl", cases), ("paid.test.yaml", yaml)]);
    let warnings = |file: &str| {
        let output = ananke(&project, &["check", file]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let stderr = String::from_utf8(output.stderr).unwrap();
        let lines = stderr.lines().filter(|line| line.starts_with("warning["));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("inputs.jsonl"),
        [
            "warning[useless-pattern]: `.*` matches every text: the rule can never fail",
            "warning[useless-pattern]: `(?s).*` matches every text: the rule can never fail",
        ]
    );
    assert_eq!(
        warnings("paid.test.yaml"),
        [
            "warning[forbidden-requirement]: `refund` must be called whenever this rule is triggered, and is forbidden: once triggered, the rule can never pass"
        ]
    );
}
