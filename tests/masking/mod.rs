//! What is masked, row by row: the table of `docs/secrets.md`, each way in which a secret enters with each form in
//! which an agent repeats it, searched for in everything that is printed and written.

mod ways;

use std::fmt::Write as _;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};
use ways::{Way, forms, ways};

/// A secret that needs escapes nearly everywhere, and one that may be a part of a URL.
const SECRET: &str = "s3cr3t/to\"ken+42";
const OF_URL: &str = "s3cr3t-to.ken_42";

/// The file of the summary of a job of GitHub Actions.
const SUMMARY: &str = "summary-of-the-job";

/// Files that are written, in addition to stdout, stderr, the recording and the summary of the job.
const REPORTS: [&str; 6] = [
    "out.xml",
    "out.html",
    "out.json",
    "out.jsonl",
    "out.md",
    "out.tap",
];

/// An agent that repeats `secret` in every form: as text, in a call, and in the error that ends its run.
fn repeating(secret: &str) -> Vec<Step> {
    let mut events = vec![json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" })];
    for (index, (name, form, _)) in forms(secret).into_iter().enumerate() {
        let (message, call) = (format!("m{index}"), format!("c{index}"));
        events.extend([
            json!({ "type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant" }),
            json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": format!("{name}: {form}, so") }),
            json!({ "type": "TEXT_MESSAGE_END", "messageId": message }),
            json!({ "type": "TOOL_CALL_START", "toolCallId": call, "toolCallName": "leak" }),
            json!({ "type": "TOOL_CALL_ARGS", "toolCallId": call, "delta": json!({ "key": form }).to_string() }),
            json!({ "type": "TOOL_CALL_END", "toolCallId": call }),
            json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("r{index}"), "toolCallId": call, "content": form }),
        ]);
    }
    let all: Vec<String> = forms(secret).into_iter().map(|(_, form, _)| form).collect();
    events.push(json!({ "type": "RUN_ERROR", "message": all.join(" ") }));
    answering(&events)
}

fn answering(events: &[Value]) -> Vec<Step> {
    let frames: Vec<String> = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let body = frames.concat();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    vec![
        Step::Expect,
        Step::Send(format!("{head}{body}").into_bytes()),
    ]
}

fn with(mut base: Value, more: Value) -> Value {
    let (Value::Object(keys), Value::Object(more)) = (&mut base, more) else {
        panic!("mappings")
    };
    keys.extend(more);
    base
}

async fn run(project: &Project, arguments: &[&str], whole: &str) -> Output {
    tokio::process::Command::new(env!("CARGO_BIN_EXE_ananke"))
        .arg("run")
        .args(arguments)
        .current_dir(project.folder())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SECRET", SECRET)
        .env("OF_URL", OF_URL)
        .env("OTHER", "0ther-pass")
        .env("WHOLE", whole)
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", project.folder().join(SUMMARY))
        .output()
        .await
        .expect("the program can be started")
}

/// Everything that one run prints and writes, each with its name.
fn written(project: &Project, output: &Output) -> Vec<(String, String)> {
    let printed = [("stdout", &output.stdout), ("stderr", &output.stderr)];
    let mut written: Vec<(String, String)> = printed
        .into_iter()
        .map(|(name, bytes)| {
            (
                name.to_owned(),
                String::from_utf8(bytes.clone()).expect("UTF-8"),
            )
        })
        .collect();
    let annotations = |line: &&str| line.starts_with("::error");
    let annotations: Vec<&str> = written[0].1.lines().filter(annotations).collect();
    written.push(("the annotations".to_owned(), annotations.join("\n")));
    for name in REPORTS.into_iter().chain([SUMMARY]) {
        let text = std::fs::read_to_string(project.folder().join(name));
        written.push((
            name.to_owned(),
            text.unwrap_or_else(|error| panic!("{name}: {error}: {output:?}")),
        ));
    }
    let recordings = walk(&project.folder().join("recordings"));
    assert_eq!(recordings.len(), 1, "one test is recorded: {output:?}");
    written.extend(
        recordings
            .into_iter()
            .map(|text| ("the recording".to_owned(), text)),
    );
    written
}

/// The text of every file below `folder`.
fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = entries.flat_map(|entry| match entry.path() {
        path if path.is_dir() => walk(&path),
        path => vec![std::fs::read_to_string(path).expect("UTF-8")],
    });
    below.collect()
}

/// An agent that names a file.
fn naming_a_file() -> Vec<Step> {
    let events = [
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": "first", "role": "assistant" }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "first", "delta": "file-1" }),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": "first" }),
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }),
    ];
    answering(&events)
}

async fn leaks_of(way: Way) -> String {
    let first = way.test.get("first").cloned();
    let before = first.iter().map(|_| naming_a_file());
    let agent = RawAgent::start(before.chain([repeating(way.secret)]).collect()).await;
    let address = agent.address.to_string();
    let whole = format!("http://{address}/agent?v=1&key={OF_URL}");
    let endpoint = match way.endpoint {
        path if path.starts_with('/') => format!("http://{address}{path}"),
        whole => whole.replace("{address}", &address),
    };
    let target = with(
        json!({ "type": "agui", "endpoint": endpoint, "agentId": "leak" }),
        way.target,
    );
    let config = with(json!({ "version": "1.3", "target": target }), way.config);
    let rules = json!({ "tools": { "forbid": ["leak"] }, "text": { "must_match": "never said" } });
    let mut turn = json!({ "user": "hi", "assert": rules });
    let mut of_test = way.test;
    if let Some(keys) = of_test.as_object_mut() {
        keys.remove("first");
    }
    if let Some(attachments) = of_test
        .as_object_mut()
        .and_then(|keys| keys.remove("attachments"))
    {
        turn["attachments"] = attachments;
    }
    let turns: Vec<Value> = first.into_iter().chain([turn]).collect();
    let test = json!({ "version": "1.3", "name": "leak", "turns": turns });
    let (config, test) = (config.to_string(), with(test, of_test).to_string());
    let given = json!({ "TOKEN": SECRET }).to_string();
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("leak.test.yaml", &test),
        ("given.json", &given),
    ]);
    let mut arguments = vec!["-v", "--debug", "--record", "recordings"];
    arguments.extend(REPORTS.iter().flat_map(|report| ["-o", *report]));
    arguments.extend(way.arguments);
    let output = run(&project, &arguments, &whole).await;
    let mut leaks = String::new();
    if output.status.code() != Some(1) {
        let _ = writeln!(leaks, "{}: the test does not fail: {output:?}", way.row);
        return leaks;
    }
    for (name, text) in written(&project, &output) {
        let mask = if name == "the recording" {
            "secret:"
        } else {
            "***"
        };
        if !text.contains(mask) {
            let _ = writeln!(leaks, "{}: {name} shows nothing masked", way.row);
        }
        for (form, _, part) in forms(way.secret) {
            if let Some(line) = text.lines().find(|line| line.contains(&part)) {
                let at = line.find(&part).unwrap_or_default();
                let from = line.floor_char_boundary(at.saturating_sub(60));
                let to = line.ceil_char_boundary(at + 60);
                let _ = writeln!(
                    leaks,
                    "{}: {name} shows it {form}: …{}…",
                    way.row,
                    &line[from..to]
                );
            }
        }
    }
    leaks
}

#[tokio::test]
async fn every_row_of_the_table_is_masked_in_every_form_and_file() {
    let mut leaks = String::new();
    for way in ways() {
        leaks += &leaks_of(way).await;
    }
    assert!(leaks.is_empty(), "{leaks}");
}

#[test]
fn the_table_of_the_documentation_is_the_one_that_is_tested() {
    let page = include_str!("../../docs/secrets.md");
    let rows = |title: &str| -> Vec<&str> {
        let section = page.split(title).nth(1).expect("the section");
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
        rows.filter_map(|row| row.split(" | ").next())
            .skip(1)
            .collect()
    };
    let known: Vec<&str> = ways().iter().map(|way| way.row).chain(APART).collect();
    assert_eq!(rows("## What is a secret"), known);
    let known: Vec<&str> = forms(SECRET).into_iter().map(|(form, ..)| form).collect();
    assert_eq!(rows("## In which forms"), known);
}

/// The rows that have tests of their own, below and in `own_servers`.
const APART: [&str; 5] = [
    "what a hook would have given that fails",
    "long words of the output of a hook that fails",
    "a literal in a file that cannot be read",
    "what passes [`record --proxy`](record.md#what-a-front-end-says)",
    "the query of a request to [`mock`](mock.md) or `record --proxy`",
];

/// What is printed about a hook that runs `script` and fails, if a header contains `TOKEN`.
#[cfg(unix)]
async fn failing_hook(script: &str, headers: Value) -> String {
    let target =
        json!({ "type": "scripted", "rules": [{ "do": [{ "say": "hi" }] }], "headers": headers });
    let config = json!({ "version": "1.3", "target": target }).to_string();
    let hooks = json!([{ "cmd": ["sh", "hook.sh"] }]);
    let test =
        json!({ "version": "1.3", "name": "leak", "hooks": hooks, "turns": [{ "user": "hi" }] })
            .to_string();
    let given = json!({ "TOKEN": SECRET, "bad name": 1 }).to_string();
    let project = Project::new(&[
        ("ananke.config.yaml", config.as_str()),
        ("leak.test.yaml", &test),
        ("given.json", &given),
        ("hook.sh", script),
    ]);
    let mut arguments = vec!["-v", "--record", "recordings"];
    arguments.extend(REPORTS.iter().flat_map(|report| ["-o", *report]));
    let output = run(&project, &arguments, "").await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    written(&project, &output)
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_hook_would_have_given_that_fails_is_masked() {
    let bearer = || json!({ "authorization": "Bearer ${TOKEN}" });
    for script in [
        "cat given.json; cat given.json >&2; exit 3",
        "cat given.json; cat given.json >&2",
    ] {
        let shown = failing_hook(script, bearer()).await;
        assert!(
            shown.contains("***") && !shown.contains("s3cr3t"),
            "{script}: {shown}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn long_words_of_the_output_of_a_hook_that_fails_are_masked() {
    let script = "echo login as abcdef-123456; echo NoSuchElement: abcdef-123456 is refused >&2";
    let shown = failing_hook(script, json!({})).await;
    assert!(
        shown.contains("login as ***") && shown.contains("NoSuchElement: *** is refused"),
        "{shown}"
    );
    assert!(!shown.contains("abcdef"), "{shown}");
}

#[tokio::test]
async fn what_debug_shows_is_masked_and_bounded_also_a_secret_in_pieces() {
    let (first, second) = OF_URL.split_at(7);
    let content =
        |delta: &str| json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta });
    let long = format!("long {}", "0123456789".repeat(1000));
    let events = [
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant" }),
        content("it begins "),
        content(first),
        content(second),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": "m" }),
        json!({ "type": "CUSTOM", "name": "whole", "value": OF_URL }),
        json!({ "type": "CUSTOM", "name": "long", "value": long }),
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }),
    ];
    let frames: Vec<String> = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nset-cookie: sid=of-the-server\r\n\
                x-own: shown\r\nconnection: close\r\n\r\n";
    let answer = format!("{head}{}", frames.concat()).into_bytes();
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(answer)]]).await;
    let verdict = [
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "v", "role": "assistant", "delta": "PASS: fine" }),
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }),
    ];
    let frames: Vec<String> = verdict
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let answer = format!("{head}{}", frames.concat()).into_bytes();
    let judge = RawAgent::start(vec![vec![Step::Expect, Step::Send(answer)]]).await;
    let target = json!({ "type": "agui", "endpoint": format!("http://{}/agent", agent.address), "agentId": "a",
        "headers": { "x-tenant": "${ENV.OF_URL}", "x-plain": "visible" } });
    let strict = json!({ "type": "agui", "endpoint": format!("http://{}/judge", judge.address), "agentId": "b" });
    let config =
        json!({ "version": "1.3", "target": target, "targets": { "strict": strict } }).to_string();
    let rules = json!({ "judge": [{ "agent": "strict", "criteria": "short" }] });
    let turn = json!({ "user": format!("say {OF_URL}"), "assert": rules });
    let test = json!({ "version": "1.3", "name": "leak", "turns": [turn] });
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("leak.test.yaml", &test.to_string()),
    ]);
    let output = run(&project, &["--debug"], "").await;
    let shown = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{shown}");
    for part in [first, second, "of-the-server"] {
        assert!(!shown.contains(part), "{part} is shown: {shown}");
    }
    for part in [
        &format!(
            "leak.test.yaml::leak  → POST http://{}/agent\n",
            agent.address
        ),
        "→ x-tenant: ***\n",
        "→ x-plain: visible\n",
        "say ***",
        "← HTTP 200\n",
        "← set-cookie: ***\n",
        "← x-own: shown\n",
        "← {\"type\":\"RUN_STARTED\"",
        "← (part of a secret)\n",
        "\"name\":\"whole\",\"value\":\"***\"",
        "← {\"type\":\"RUN_FINISHED\"",
        "the exchange is over\n",
        &format!(
            "leak.test.yaml::leak judge.1  → POST http://{}/judge\n",
            judge.address
        ),
        "leak.test.yaml::leak judge.1  ← {\"type\":\"TEXT_MESSAGE_CHUNK\"",
    ] {
        assert!(shown.contains(part), "{part} is not shown: {shown}");
    }
    assert!(
        shown.lines().all(|line| line.chars().count() < 4200),
        "a line is longer: {shown}"
    );
}

#[tokio::test]
async fn a_literal_in_a_file_that_cannot_be_read_is_masked() {
    for target in [
        "  headers: { authorization: \"Bearer s3cr3t-token\", x-api-key: [ }\n",
        "  headers: { x-functions-key: s3cr3t-token\n",
        "  headers:\n    cookie: \"sid=s3cr3t-token; a: b\n",
        "  headers: [\"authorization: Bearer s3cr3t-token\"]\n",
        "  headers:\n    x-auth: { scheme: Bearer, token: s3cr3t-token }\n",
        "  endpoint: \"http://me:s3cr3t-token@host/ : ]\n",
        "  headers: { password: s3cr3t-token, password: s3cr3t-token }\n",
    ] {
        let config = format!("version: \"1.3\"\ntarget:\n  type: agui\n  agentId: x\n{target}");
        let project = Project::new(&[("ananke.config.yaml", &config)]);
        let output = run(&project, &[], "").await;
        let shown = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(0), "{shown}");
        assert!(!shown.contains("s3cr3t"), "{target}: {shown}");
    }
}

/// The report of a run of one test in which an agent says a secret that only the environment of a program has.
#[cfg(unix)]
fn report_with(keys: &Value) -> String {
    let mut config = json!({
        "version": "1.4",
        "target": { "type": "scripted", "rules": [{ "do": [{ "say": "it is env-5ecret-0001" }] }] },
    });
    for (key, value) in keys.as_object().expect("keys") {
        config[key] = value.clone();
    }
    let test = "version: \"1.4\"\nname: a\nturns: [{ user: hi }]\nassert: { text: { must_not_match: nothing } }\n";
    let says = [
        json!({ "type": "RUN_STARTED", "threadId": "t", "runId": "r" }),
        json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "it is env-5ecret-0001" }),
        json!({ "type": "RUN_FINISHED", "threadId": "t", "runId": "r" }),
    ]
    .map(|event| event.to_string())
    .join("\n");
    let project = Project::new(&[
        ("ananke.config.yaml", &config.to_string()),
        ("a.test.yaml", test),
        ("says.jsonl", &(says + "\n")),
    ]);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--json"])
        .current_dir(project.folder())
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[cfg(unix)]
#[test]
fn secrets_in_the_environment_of_any_program_are_masked() {
    let secret = "env-5ecret-0001";
    assert!(
        report_with(&json!({})).contains(secret),
        "without a program"
    );
    for keys in [
        json!({ "scripts": { "check": { "cmd": ["true"], "env": { "ACCESS_KEY": secret } } } }),
        json!({ "setup": [{ "cmd": ["echo", "{}"], "env": { "DB_PASSWORD": secret } }] }),
        json!({ "teardown": [{ "cmd": ["true"], "env": { "CLIENT_SECRET": secret } }] }),
        json!({ "server": {
            "cmd": ["sh", "-c", "echo up; exec sleep 60"], "ready": { "stdout": "up" }, "env": { "SERVER_TOKEN": secret },
        } }),
        json!({ "target": {
            "type": "command", "agentId": "a", "cmd": ["sh", "-c", "read line; cat says.jsonl"], "env": { "AGENT_API_KEY": secret },
        } }),
    ] {
        let report = report_with(&keys);
        assert!(
            report.contains("it is ***") && !report.contains(secret),
            "{keys}: {report}"
        );
    }
    let page_token =
        json!({ "scripts": { "check": { "cmd": ["true"], "env": { "PAGE_TOKEN": secret } } } });
    assert!(
        report_with(&page_token).contains(secret),
        "the name counts something"
    );
}
