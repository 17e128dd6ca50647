//! Case files: what a case sends, and what happens to files that are large or change.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use ananke::outcome::Status;
use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"Fine.\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
);

/// Runs the cases of a file, all of which pass, and gives the bodies of the requests.
async fn sent(target: &str, cases: &str, requests: usize) -> Vec<Value> {
    let answers = (0..requests)
        .map(|_| vec![Step::Expect, Step::Send(ANSWER.into())])
        .collect();
    let agent = RawAgent::start(answers).await;
    let config = format!(
        "version: \"1.3\"\nspecs: \"*.jsonl\"\ntarget: {{ type: agui, endpoint: \"http://{}/\", agentId: a{target} }}\n",
        agent.address
    );
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.jsonl", cases),
        ("a.pdf", "text"),
    ]);
    for outcome in project.run().await {
        assert_eq!(outcome.status(), Status::Passed, "{outcome:?}");
    }
    let bodies = agent.requests().await.into_iter();
    bodies
        .map(|request| serde_json::from_slice(&request.body).expect("a request is JSON"))
        .collect()
}

#[tokio::test]
async fn options_and_the_caller_go_along_with_every_run() {
    let cases = r#"{"id": "a", "input": "one ${X}", "user": "ada", "team": "ops", "metadata": {"ticket": 7, "from": "case"},
  "options": {"connector": "m", "search": false, "skip": {"trace": true}, "metadata": {"from": "options"}},
  "turns": [{"input": "two", "options": {"mode": "chat", "connector": "n"}}], "expected": "Fine."}"#;
    let target = ", forwardedProps: { a: 1, options: { connector: k, other: 2 } }, context: [{ description: d, value: v }]";
    let bodies = sent(target, cases, 2).await;
    let context = json!([
        { "description": "d", "value": "v" },
        { "description": "user", "value": "ada" },
        { "description": "team", "value": "ops" },
        { "description": "locale", "value": "en-us" },
        { "description": "client_type", "value": "test" },
        { "description": "ip", "value": "127.0.0.1" },
        { "description": "referer", "value": "agent-test" },
    ]);
    let metadata = json!({ "ticket": 7, "from": "options" });
    for (body, connector) in bodies.iter().zip(["m", "n"]) {
        assert_eq!(body["context"], context);
        let options = &body["forwardedProps"]["options"];
        assert_eq!(
            (&body["forwardedProps"]["a"], &options["connector"]),
            (&json!(1), &json!(connector))
        );
        assert_eq!(
            (&options["metadata"], &options["search"]),
            (&metadata, &json!(false))
        );
        assert_eq!(
            (&options["skip"], &options["other"]),
            (&json!({"trace": true}), &json!(2))
        );
    }
    assert_eq!(bodies[0]["messages"][0]["content"], "one ${X}");
    assert_eq!(bodies[1]["forwardedProps"]["options"]["mode"], "chat");
}

#[tokio::test]
async fn parts_are_read_in_the_spellings_of_several_systems() {
    let cases = r#"{"id": "a", "expected": "Fine.", "turns": [{"input": {"content": [{"type": "text", "text": "look"},
  {"type": "image_url", "image_url": {"url": "https://a.example/x.png"}}, {"type": "image", "url": "data:image/png;base64,AAAA"},
  {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}, {"type": "audio", "data": "AAAA", "format": "wav"},
  {"type": "file", "source": "file://a.pdf", "name": "b.pdf"}, {"type": "file", "file": {"url": "https://a.example/c.txt", "filename": "c"}}]},
  "attachments": {"type": "file", "source": "a.pdf"}}]}"#;
    let bodies = sent("", cases, 1).await;
    let data = |kind: &str, mime: &str| json!({"type": kind, "source": {"type": "data", "value": "AAAA", "mimeType": mime}});
    let pdf = json!({"type": "data", "value": "dGV4dA==", "mimeType": "application/pdf"});
    assert_eq!(
        bodies[0]["messages"][0]["content"],
        json!([
            {"type": "text", "text": "look"},
            {"type": "image", "source": {"type": "url", "value": "https://a.example/x.png"}},
            data("image", "image/png"),
            data("audio", "audio/mpeg"),
            data("audio", "audio/wav"),
            {"type": "document", "source": pdf, "metadata": {"filename": "b.pdf"}},
            {"type": "document", "source": {"type": "url", "value": "https://a.example/c.txt"}, "metadata": {"filename": "c"}},
            {"type": "document", "source": pdf},
        ])
    );
    let older = sent(", protocolVersion: \"0.x\"", cases, 1).await;
    assert_eq!(older[0]["messages"][0]["content"][5]["filename"], "b.pdf");
}

#[tokio::test]
async fn a_history_may_end_with_the_result_of_a_tool() {
    let cases = r#"{"id": "a", "input": [{"content": "Weather?"}, {"role": "assistant", "content": null,
  "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "sunny"}], "assert": {"type": "contains", "value": "Fine"}}
{"id": "b", "input": [{"role": "system", "content": [{"type": "text", "text": "Be brief."}]}, {"content": "Hi", "name": "ada"}], "expected": "Fine."}"#;
    for target in ["", ", history: last"] {
        let bodies = sent(target, cases, 2).await;
        let messages: Vec<(&Value, &Value)> = bodies
            .iter()
            .flat_map(|body| body["messages"].as_array().expect("messages"))
            .map(|message| (&message["role"], &message["content"]))
            .collect();
        let expected = json!([
            ["user", "Weather?"],
            ["assistant", null],
            ["tool", "sunny"],
            ["system", "Be brief."],
            ["user", "Hi"]
        ]);
        assert_eq!(json!(messages), expected, "{target}");
        assert_eq!(bodies[1]["messages"][1]["name"], "ada");
    }
}

#[tokio::test]
async fn a_case_that_changes_after_the_check_is_an_error_of_its_test_alone() {
    let config = "version: \"1.3\"\nspecs: \"*.jsonl\"\ntarget: { type: scripted, rules: [{ do: [{ say: yes }] }] }\n";
    let mut cases = String::new();
    for number in 0..50 {
        let _ = writeln!(
            cases,
            "{{\"id\": \"{number}\", \"input\": \"{number}\", \"expected\": \"yes\"}}"
        );
    }
    let project = Project::new(&[("ananke.config.yaml", config), ("a.jsonl", &cases)]);
    let plan = project.plan().plan.expect("a good plan");
    let changed = cases.replace(
        "\"id\": \"7\", \"input\": \"7\"",
        "\"id\": \"7\", \"input\": \"8\"",
    );
    std::fs::write(project.folder().join("a.jsonl"), changed).expect("the file can be written");
    let outcomes = project.run_plan(plan).await;
    let wrong: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome.status() != Status::Passed)
        .map(|outcome| outcome.test.id.as_str())
        .collect();
    assert_eq!((outcomes.len(), wrong.as_slice()), (50, &["7"][..]));
    let problem = outcomes[7]
        .first_problem()
        .map(|(_, problem)| problem.message.as_str());
    assert_eq!(problem, Some("the file changed since the run began"));
}

/// What a run of a test file of the project came to, test by test: statuses, texts and rules, without places and times.
fn verdicts(folder: &Path, file: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--json", file])
        .current_dir(folder)
        .output()
        .expect("the program can be started");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let rules = |rules: &Value| -> Vec<Value> {
        let rules = rules.as_array().into_iter().flatten();
        let rules = rules.filter(|rule| rule["level"] != "target");
        rules
            .map(|rule| {
                json!([
                    rule["rule"]["kind"],
                    rule["passed"],
                    rule["expected"],
                    rule["message"]
                ])
            })
            .collect()
    };
    let turn = |turn: &Value| {
        json!([
            turn["input"],
            turn["output"],
            turn["status"],
            rules(&turn["assertions"])
        ])
    };
    lines
        .filter(|line| line["type"] == "result")
        .map(|line| {
            let turns: Vec<Value> = line["turns"]
                .as_array()
                .expect("turns")
                .iter()
                .map(turn)
                .collect();
            let id = &line["id"];
            json!([
                id,
                line["name"],
                line["status"],
                line["skip_reason"],
                turns,
                rules(&line["final_assertions"])
            ])
        })
        .collect()
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a folder can be made");
        for entry in std::fs::read_dir(from)
            .expect("a folder can be read")
            .flatten()
        {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).expect("a file can be copied");
    }
}

#[test]
fn converted_cases_have_the_verdicts_that_they_had() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shop = root.join("specs/shop");
    let failing = root.join("tests/cases/fail/jsonl");
    for (from, parts, cases, status) in [
        (
            &shop,
            ["scripts", "cases.jsonl"].as_slice(),
            "cases.jsonl",
            "passed",
        ),
        (
            &failing,
            &["scripts", "failing.jsonl"],
            "failing.jsonl",
            "failed",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["ananke.config.yaml"].iter().chain(parts) {
            copy(&from.join(part), &folder.path().join(part));
        }
        let yaml = cases.replace(".jsonl", ".yaml");
        let arguments = ["convert", cases, "-o", &yaml];
        let ananke = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .args(arguments)
            .current_dir(&folder)
            .output();
        let ananke = ananke.expect("the program can be started");
        let stderr = String::from_utf8_lossy(&ananke.stderr);
        assert!(ananke.status.success() && stderr.is_empty(), "{stderr}");
        let before = verdicts(folder.path(), cases);
        assert_eq!(before, verdicts(folder.path(), &yaml));
        assert!(
            before.iter().filter(|case| case[2] == status).count() >= 6,
            "{before:?}"
        );
    }
}

/// The exit code and the output of a run of the one case that an agent or a script makes.
fn generated(case: &str, generator: &str, arguments: &[&str]) -> (i32, String) {
    let cases =
        json!({ "cases": [serde_json::from_str::<Value>(case).expect("a case")] }).to_string();
    let config = json!({
        "version": "1.4",
        "target": { "type": "scripted", "rules": [{ "do": [{ "say": "hi" }] }] },
        "targets": { "writer": { "type": "scripted", "rules": [{ "do": [{ "say": cases }] }] } },
        "scripts": {
            "deploy": { "cmd": ["sh", "-c", "touch ran; echo true"] },
            "writer": { "cmd": ["cat", "cases.json"] },
        },
    });
    let project = Project::new(&[
        ("ananke.config.yaml", &config.to_string()),
        ("cases.json", &cases),
        ("private.txt", "what nobody may read"),
    ]);
    let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .args(["run", "-v", "-i", generator])
        .args(arguments)
        .output()
        .expect("the program");
    let printed = [output.stdout, output.stderr].concat();
    let mut printed = String::from_utf8(printed).expect("UTF-8");
    if project.folder().join("ran").exists() {
        printed.push_str("the script ran");
    }
    (output.status.code().expect("an exit code"), printed)
}

#[test]
fn cases_of_an_agent_reach_no_file_no_script_and_no_url() {
    let part = |part: &str| {
        format!(r#"{{"id": "a", "input": [{{"role": "user", "content": [{part}]}}]}}"#)
    };
    let script = |what: &str| format!(r#"{{"id": "a", "input": "x", {what}}}"#);
    for (case, named) in [
        (
            part(r#"{"type": "file", "source": "private.txt"}"#),
            "the file `private.txt`",
        ),
        (
            part(r#"{"type": "image", "source": "file:///etc/passwd"}"#),
            "the file `file:///etc/passwd`",
        ),
        (
            part(r#"{"type": "image", "url": "https://h.invalid/x"}"#),
            "the URL `https://h.invalid/x`",
        ),
        (
            part(r#"{"type": "image_url", "image_url": {"url": "http://h.invalid/x"}}"#),
            "the URL `http://h.invalid/x`",
        ),
        (
            script(r#""assert": {"type": "script", "script": "scripts.deploy"}"#),
            "the script `deploy`",
        ),
        (
            script(
                r#""turns": [{"input": "y", "assertions": [{"type": "script", "use": "scripts.deploy"}]}]"#,
            ),
            "the script `deploy`",
        ),
        (
            script(
                r#""turns": [{"input": "y", "attachments": [{"type": "file", "source": "private.txt"}]}]"#,
            ),
            "the file `private.txt`",
        ),
        (
            script(r#""simulator": {"use": "scripts:deploy"}"#),
            "the script `deploy`",
        ),
    ] {
        let (code, printed) = generated(&case, "agents:writer?count=1", &[]);
        let expected = format!("a case that an agent made names {named}");
        assert!(
            code == 1 && printed.contains(&expected),
            "{case}: {printed}"
        );
        assert!(
            !printed.contains("nobody may read") && !printed.contains("the script ran"),
            "{printed}"
        );
    }
    for (case, allowed) in [
        (
            part(r#"{"type": "image", "source": "data:image/png;base64,AAAA"}"#),
            &[][..],
        ),
        (
            script(r#""assert": {"type": "contains", "value": "hi"}"#),
            &[],
        ),
        (
            part(r#"{"type": "file", "source": "private.txt"}"#),
            &["--allow", "file"],
        ),
        (
            script(r#""assert": {"type": "script", "script": "scripts.deploy"}"#),
            &["--allow", "script"],
        ),
    ] {
        let (code, printed) = generated(&case, "agents:writer?count=1", allowed);
        assert_eq!(code, 0, "{case}: {printed}");
    }
    let (code, printed) = generated(
        &part(r#"{"type": "file", "source": "private.txt"}"#),
        "scripts:writer",
        &[],
    );
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed
            .contains("warning[bad-value]: a case that a script made names the file `private.txt`"),
        "{printed}"
    );
}

#[test]
fn what_a_dry_run_prints_is_escaped() {
    let case = "{\"id\": \"one\\n::warning::two \\u001b]2;title\\u0007\", \"input\": \"x\"}";
    let (code, printed) = generated(case, "agents:writer?count=1", &["--dry-run"]);
    assert_eq!(code, 0, "{printed}");
    assert!(
        !printed.contains('\u{1b}') && !printed.contains('\u{7}'),
        "{printed:?}"
    );
    assert!(
        !printed
            .lines()
            .any(|line| line.trim_start().starts_with("::")),
        "{printed:?}"
    );
}
