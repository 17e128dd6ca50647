//! `ananke coverage`: its gate, its files and its bad input.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const CONFIG: &str = r##"version: "1.4"
target:
  type: scripted
  client_tools:
    - name: pick
      parameters: { properties: { colour: { $ref: "#/$defs/Colour" } }, $defs: { Colour: { enum: [red, "$${x}"] } } }
      mock: { when: [{ args_match: { colour: red }, result: ok }, { args_match: { colour: "." }, error: no }] }
  rules:
    - when: { user: "pick" }
      do: [{ call: { tool: pick, args: { colour: red } } }, { say: done }]
    - when: { user: "wrong" }
      do: [{ call: { tool: pick, args: { colour: green } } }, { call: { tool: pick, args: { colour: red } } }]
    - when: { user: "odd" }
      do:
        - call: { tool: "<b>\u001b[31m$${NOBODY}: #\n", args: { a: [1] }, result: no, failure: denied }
        - call: { tool: open }
    - when: { user: "nothing" }
      do: [{ say: done }]
"##;

fn project(user: &str) -> TempDir {
    project_with(user, "tools: { max_calls: 9 }")
}

fn project_with(user: &str, rules: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("ananke.config.yaml"), CONFIG).unwrap();
    let test = format!(
        "version: \"1.4\"\nname: one\nturns: [{{ user: \"{user}\" }}]\nassert: {{ {rules} }}\n"
    );
    std::fs::write(folder.path().join("one.test.yaml"), test).unwrap();
    folder
}

fn coverage(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .arg("coverage")
        .args(arguments)
        .current_dir(folder.path());
    command.env_clear().output().unwrap()
}

fn report(folder: &TempDir) -> Value {
    let output = coverage(folder, &["--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn what_happens_is_exercised_and_nothing_else() {
    let found = report(&project("wrong"));
    let outcomes =
        json!({ "ok": "exercised", "error": "exercised", "denied": "never", "pending": "never" });
    assert_eq!(
        found["tools"],
        json!([{ "name": "pick", "declared": true, "outcomes": outcomes }])
    );
    assert_eq!(
        found["transitions"],
        json!([{ "from": "pick", "to": "pick", "state": "exercised" }])
    );
    assert_eq!(
        found["arguments"],
        json!([
            { "tool": "pick", "path": "colour", "value": "${x}", "state": "never" },
            { "tool": "pick", "path": "colour", "value": "red", "state": "exercised" },
        ])
    );
    assert_eq!(found["interrupts"], json!([]));
    assert_eq!(
        found["summary"]["outcomes"],
        json!({ "total": 4, "exercised": 2, "asserted": 0 })
    );
    assert_eq!(found["summary"]["exercised_percent"], 50.0);
}

#[test]
fn what_rules_notice_a_change_of_is_asserted_and_nothing_else() {
    for (rules, outcome, value) in [
        ("tools: { max_calls: 9 }", "exercised", "exercised"),
        ("tools: { require: [pick] }", "asserted", "exercised"),
        (
            "tools: { require: [{ name: pick, args: { colour: red } }] }",
            "asserted",
            "asserted",
        ),
        (
            "tools: { forbid_calls: [{ name: pick, args_not_match: { colour: red } }] }",
            "exercised",
            "asserted",
        ),
        ("text: { contains: done }", "exercised", "exercised"),
        ("tools: { forbid: [pick] }", "exercised", "exercised"),
    ] {
        let output = coverage(&project_with("pick", rules), &["--json"]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["tools"][0]["outcomes"]["ok"], outcome, "{rules}");
        assert_eq!(found["arguments"][1]["state"], value, "{rules}: {found}");
    }
}

#[test]
fn too_little_is_exit_code_1() {
    let folder = project("wrong");
    assert_eq!(
        coverage(&folder, &["--fail-under", "50"]).status.code(),
        Some(0)
    );
    let missed = coverage(&folder, &["--fail-under", "50.1%"]);
    assert_eq!(missed.status.code(), Some(1));
    let stdout = String::from_utf8(missed.stdout).unwrap();
    assert!(
        stdout.ends_with("✗ coverage: 50 % is exercised, and `--fail-under` demands 50.1 %\n"),
        "{stdout}"
    );
    assert!(
        stdout.starts_with("coverage of 1 tool\n"),
        "what is covered is printed all the same"
    );
    let asserted = coverage(&folder, &["--fail-under", "1", "--count", "asserted"]);
    let stdout = String::from_utf8(asserted.stdout).unwrap();
    assert!(stdout.contains("✗ coverage: 0 % is asserted"), "{stdout}");
    for wrong in ["101", "-1", "NaN", "much", ""] {
        assert_eq!(
            coverage(&folder, &["--fail-under", wrong]).status.code(),
            Some(2),
            "{wrong}"
        );
    }
    assert_eq!(
        coverage(&folder, &["--count", "asserted"]).status.code(),
        Some(2),
        "of no gate"
    );
    assert_eq!(
        coverage(&folder, &["-o", "coverage.pdf"]).status.code(),
        Some(2)
    );
    let nothing = coverage(&folder, &["--replay", "recordings"]);
    assert_eq!(nothing.status.code(), Some(1), "there is no such directory");
}

#[test]
fn names_of_an_agent_are_text_everywhere() {
    let folder = project("odd");
    let output = coverage(&folder, &["-o", "page.html", "-o", "holes.test.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\u{1b}') && text.contains("<b>"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(
        !page.contains("<b>") && page.contains("&lt;b&gt;"),
        "{page}"
    );
    let stubs = std::fs::read_to_string(folder.path().join("holes.test.yaml")).unwrap();
    assert!(stubs.contains("$${NOBODY}"), "{stubs}");
    let mut check = Command::new(env!("CARGO_BIN_EXE_ananke"));
    let checked = check
        .args(["check", "--deny-warnings"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(
        checked.status.code(),
        Some(0),
        "{}{stubs}",
        stderr(&checked)
    );
    let again = coverage(&folder, &["-o", "holes.test.yaml"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        stderr(&again).contains("`holes.test.yaml` is a file that this command reads"),
        "{}",
        stderr(&again)
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("holes.test.yaml")).unwrap(),
        stubs
    );
}

#[test]
fn a_test_that_fails_covers_something_and_fails_the_command() {
    let folder = project("pick");
    let failing = "version: \"1.4\"\nname: one\nturns: [{ user: pick }]\nassert: { tools: { forbid: [pick] } }\n";
    std::fs::write(folder.path().join("one.test.yaml"), failing).unwrap();
    let output = coverage(&folder, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("`pick`"), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        report["tools"][0]["outcomes"]["ok"], "exercised",
        "{report}"
    );
}

#[test]
fn of_an_agent_without_tools_nothing_is_covered() {
    let folder = project("nothing");
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: done }] }] }\n";
    std::fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
    let output = coverage(&folder, &["--fail-under", "1"]);
    assert_eq!(
        output.status.code(),
        Some(1),
        "a gate over nothing is no pass"
    );
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .starts_with("no tool is declared or called")
    );
}
