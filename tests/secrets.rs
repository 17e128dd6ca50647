//! No secret leaves the program in a report: planted in the environment, in a header and in what the agent says.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use ananke::context::Colouring;
use ananke::report::file::junit::JunitReport;
use ananke::report::file::{FileOptions, FileReport};
use ananke::report::terminal::{ConsoleOptions, ConsoleReport, Verbosity};
use ananke::report::{Reporter, deliver};
use ananke::run::{Options, event_channel, run};

use serde_json::{Value, json};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

const SECRET: &str = "s3cr3t/to\"ken+42";

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An agent that repeats the key that it received, in its text, its arguments, its result and its error.
fn leaking() -> Vec<Step> {
    let secret = serde_json::Value::from(SECRET).to_string();
    let inner = serde_json::Value::from(serde_json::json!({ "key": SECRET }).to_string());
    let body = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m"}"#.to_owned(),
        format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":{secret}}}"#),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"leak"}"#.to_owned(),
        format!(r#"{{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":{inner}}}"#),
        r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#.to_owned(),
        format!(
            r#"{{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c","content":{inner}}}"#
        ),
        format!(r#"{{"type":"RUN_ERROR","message":{secret}}}"#),
    ];
    let events = format!("data: {}\n\n", body.join("\n\ndata: "));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    vec![
        Step::Expect,
        Step::Send(format!("{head}{events}").into_bytes()),
    ]
}

#[tokio::test]
async fn no_report_tells_a_secret() {
    tells_no_secret("ENV.KEY", "").await;
}

#[cfg(unix)]
#[tokio::test]
async fn no_report_tells_what_a_hook_puts_into_a_header() {
    tells_no_secret("LOGIN.key", "hooks: [{ cmd: [cat, key.json] }]\n").await;
}

/// Runs a test whose header contains the secret through `reference`, and searches for it in every report.
async fn tells_no_secret(reference: &str, hooks: &str) {
    let agent = RawAgent::start(vec![leaking()]).await;
    let config = format!(
        "version: \"1.0\"\ntarget:\n  type: agui\n  endpoint: \"{}\"\n  agentId: leak\n  headers: {{ authorization: \"Bearer ${{{reference}}}\" }}\n",
        agent.url()
    );
    let test = format!(
        "version: \"1.0\"\nname: leak\n{hooks}turns:\n  - user: hi\n    assert:\n      tools: {{ forbid: [leak] }}\n      text: {{ must_not_match: \"t/to.*\" }}\n"
    );
    let key = serde_json::json!({ "LOGIN": { "key": SECRET } }).to_string();
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("leak.test.yaml", &test),
        ("key.json", &key),
    ])
    .with_environment("KEY", SECRET);
    let plan = project.plan().plan.unwrap();
    let console = Shared::default();
    let junit = project.folder().join("report/junit.xml");
    let options = ConsoleOptions {
        verbosity: Verbosity::Verbose,
        ..ConsoleOptions::default()
    };
    let reporters: Vec<Box<dyn Reporter>> = vec![
        Box::new(ConsoleReport::new(Box::new(console.clone()), options)),
        Box::new(JunitReport::create(&junit, &FileOptions::default()).unwrap()),
    ];
    let (sender, receiver) = event_channel(8);
    let telling = tokio::task::spawn_blocking(move || deliver(receiver, reporters));
    let verdict = run(project.shared(Options::default(), sender), plan).await;
    telling.await.unwrap().unwrap();
    assert_eq!(verdict.totals.error, 1);

    let sent = agent.requests().await;
    assert!(
        sent[0].head.contains(SECRET),
        "the agent gets the key itself: {}",
        sent[0].head
    );
    let console = String::from_utf8(console.0.lock().unwrap().clone()).unwrap();
    let junit = std::fs::read_to_string(junit).unwrap();
    for (name, text) in [("console", console), ("junit", junit)] {
        assert!(
            text.contains("***"),
            "{name} shows that something was masked:\n{text}"
        );
        for part in ["s3cr3t", "ken+42"] {
            assert!(!text.contains(part), "{name} tells `{part}`:\n{text}");
        }
    }
}

#[test]
fn a_problem_beside_a_secret_does_not_tell_it() {
    let config = "version: \"1.0\"\ntarget: { type: agui, endpoint: nowhere, agentId: x, headers: { x-token: hunter22 } }\n";
    let broken = config.replace("agentId: x", "agentld: x");
    let test = "version: \"1.0\"\nname: x\nturns: [{ user: hi }]\n";
    for config in [config, &broken] {
        let project = Project::new(&[("ananke.config.yaml", config), ("x.test.yaml", test)]);
        let planned = project.plan();
        assert!(planned.plan.is_none());
        let shown = ananke::diagnostic::render::human(
            &planned.problems,
            ananke::diagnostic::render::RenderStyle::default(),
        );
        assert!(shown.contains("hunter22"), "the line is shown: {shown}");
        let told = project.redactor.text(&shown);
        assert!(
            told.contains("x-token: ***") && !told.contains("hunter"),
            "{told}"
        );
    }
}

/// A second one, written into the config itself.
const API_KEY: &str = "k3y-of-the-shop";

/// Pieces that no escaping changes: nothing that is printed or written may contain one.
const PIECES: &[&str] = &[
    "s3cr3t",
    "ken+42",
    "k3y-of-the-shop",
    "3y-of-the-sh",
    "czNjcjN0",
    "u0073",
];

/// An answer that begins `head` and ends `body`.
fn answer(head: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let whole =
        format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    vec![Step::Expect, Step::Send(whole.into_bytes())]
}

fn stream(events: &[Value]) -> Vec<Step> {
    let body: Vec<String> = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    answer("200 OK\r\ncontent-type: text/event-stream", &body.concat())
}

/// Every place of a response that can contain what an agent received, each with its name.
fn leaks() -> Vec<(&'static str, Vec<Step>)> {
    let keys = format!("{SECRET} and {API_KEY}");
    // As an agent in another language may write it: characters that need no escape escaped, JSON inside of JSON.
    let escaped = r#"{"key": "\u0073\u0033cr3t\/to\"ken\u002b42", "id": 1}"#;
    let nested =
        json!({ "body": json!({ "key": json!({ "key": SECRET }).to_string() }).to_string() })
            .to_string();
    let started = json!({ "type": "RUN_STARTED", "threadId": keys, "runId": keys });
    let finished = json!({ "type": "RUN_FINISHED", "threadId": keys, "runId": keys });
    let says = |id: &str, text: &str| {
        [
            json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" }),
            json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }),
            json!({ "type": "TEXT_MESSAGE_END", "messageId": id }),
        ]
    };
    let calls = |id: &str, name: &str, args: &str, result: &str| {
        [
            json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name }),
            json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args }),
            json!({ "type": "TOOL_CALL_END", "toolCallId": id }),
            json!({ "type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": id, "content": result }),
        ]
    };
    let in_a_run = |inside: Vec<Value>| {
        let events = [started.clone()]
            .into_iter()
            .chain(inside)
            .chain([finished.clone()]);
        stream(&events.collect::<Vec<_>>())
    };
    let encoded = |text: &str| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(text)
    };
    let page = SECRET.replace('"', "&quot;");
    // The truncation of the quoted start is inside the key.
    let cut = format!("{}{SECRET}{}", "x".repeat(190), "y".repeat(9000));
    let long = format!("{}{SECRET}{}", "x".repeat((16 << 10) - 9), "y".repeat(9000));
    vec![
        ("text", in_a_run(says("m", &keys).into())),
        (
            "ids",
            in_a_run([says(&keys, "hello"), says(API_KEY, "again")].concat()),
        ),
        ("long text", in_a_run(says("m", &long).into())),
        (
            "encoded",
            in_a_run(says("m", &format!("{} {}", encoded(SECRET), encoded(&keys))).into()),
        ),
        ("tool", in_a_run(calls(&keys, &keys, &keys, &keys).into())),
        (
            "escaped",
            in_a_run(calls("c", "pay", escaped, escaped).into()),
        ),
        (
            "nested",
            in_a_run(calls("c", "pay", &nested, &nested).into()),
        ),
        (
            "long call",
            in_a_run(calls("c", "pay", &long, &long).into()),
        ),
        (
            "error",
            stream(&[
                started.clone(),
                json!({ "type": "RUN_ERROR", "message": keys, "code": keys }),
            ]),
        ),
        (
            "not an event",
            stream(&[started.clone(), json!({ "type": keys, "key": keys })]),
        ),
        (
            "call of nobody",
            in_a_run(vec![json!({ "type": "TOOL_CALL_END", "toolCallId": keys })]),
        ),
        ("event without a kind", stream(&[json!(keys)])),
        (
            "page",
            answer(
                "200 OK\r\ncontent-type: text/html",
                &format!("<p>no {page} here</p>"),
            ),
        ),
        (
            "refusal",
            answer(
                "401 Unauthorized\r\ncontent-type: text/plain",
                &format!("bad key {keys}"),
            ),
        ),
        (
            "refusal in JSON",
            answer("403 Forbidden", &json!({ "error": keys }).to_string()),
        ),
        ("cut refusal", answer("500 Internal Server Error", &cut)),
        (
            "content type",
            answer(&format!("200 OK\r\ncontent-type: text/{API_KEY}"), &keys),
        ),
        (
            "redirect",
            answer(
                &format!("302 Found\r\nlocation: http://127.0.0.1:9/?key={API_KEY}"),
                "",
            ),
        ),
        (
            "no HTTP",
            vec![
                Step::Expect,
                Step::Send(format!("{keys}\r\n\r\n").into_bytes()),
            ],
        ),
    ]
}

/// Every string below `value`, keys as well.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(entries) => {
            for (key, value) in entries {
                found.push(key.clone());
                strings(value, found);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn the_program_tells_no_secret_in_any_byte() {
    let runs: &[&[&str]] = &[
        &["-v", "-o", "out.xml", "-o", "out.jsonl"],
        &["--junit-profile", "strict", "--junit", "strict.xml"],
        &["--quiet", "--color", "always"],
        &["--json"],
    ];
    let scripts: Vec<Vec<Step>> = leaks().into_iter().map(|(_, steps)| steps).collect();
    let all = std::iter::repeat_n(scripts, runs.len()).flatten().collect();
    let agent = RawAgent::start(all).await;
    let config = json!({
        "version": "1.0",
        "target": {
            "type": "agui", "endpoint": agent.url(), "agentId": "leak", "timeout_ms": 5000,
            "headers": { "authorization": "Bearer ${ENV.KEY}", "x-api-key": API_KEY },
        },
    });
    let rules = json!({
        "tools": { "forbid": ["pay"], "require": [{ "name": "pay", "args_match": { "key": "^never$" } }] },
        "text": { "must_not_match": "t/to.*", "must_match": "never said" },
    });
    let mut files = vec![("ananke.config.yaml".to_owned(), config.to_string())];
    for (number, (name, _)) in leaks().into_iter().enumerate() {
        let test = json!({
            "version": "1.0", "name": name, "turns": [{ "user": "hi", "assert": rules }],
        });
        files.push((format!("t{number:02}.test.yaml"), test.to_string()));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let project = Project::new(&files);

    let mut told = Vec::new();
    for arguments in runs {
        let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_ananke"))
            .arg("run")
            .args(*arguments)
            .current_dir(project.folder())
            .env_clear()
            .env("KEY", SECRET)
            .output()
            .await
            .expect("the program can be started");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        for (stream, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            told.push((
                format!("{stream} of {arguments:?}"),
                String::from_utf8(bytes).expect("UTF-8"),
            ));
        }
    }
    for name in ["out.xml", "strict.xml", "out.jsonl"] {
        told.push((
            name.to_owned(),
            std::fs::read_to_string(project.folder().join(name)).expect("UTF-8"),
        ));
    }
    let sent = agent.requests().await;
    assert_eq!(sent.len(), runs.len() * leaks().len());
    assert!(
        sent.iter()
            .all(|request| request.head.contains(SECRET) && request.head.contains(API_KEY))
    );
    for (name, text) in &told {
        assert!(
            text.contains("***") || name.starts_with("stderr"),
            "{name}:\n{text}"
        );
        for piece in PIECES {
            let line = text
                .lines()
                .find(|line| line.contains(piece))
                .unwrap_or_default();
            assert!(line.is_empty(), "{name} tells `{piece}`: {line}");
        }
    }
    let (_, lines) = told.last().expect("the lines");
    let mut found = Vec::new();
    for line in lines.lines() {
        strings(&serde_json::from_str(line).expect("JSON"), &mut found);
    }
    let leaking = found
        .iter()
        .find(|text| PIECES.iter().any(|piece| text.contains(piece)));
    assert_eq!(leaking, None);
}

#[test]
fn a_broken_config_does_not_tell_what_is_cut() {
    // The quoted line is truncated at both ends: wherever the key is, no piece of it is shown.
    let test = "version: \"1.0\"\nname: x\nturns: [{ user: hi }]\n";
    let pieces: Vec<&str> = (0..API_KEY.len() - 4)
        .map(|at| &API_KEY[at..at + 5])
        .collect();
    for distance in (20..110).step_by(3).chain((2020..2060).step_by(4)) {
        let key = format!("headers: {{ x-api-key: {API_KEY} }}");
        let (near, far) = ("p".repeat(distance), "p".repeat(5000));
        for target in [
            format!("{key}, state: {{ pad: {near} }}, endpoint: nowhere, agentId: {far}"),
            format!("agentId: {far}, endpoint: nowhere, state: {{ pad: {near} }}, {key}"),
            format!("{key}, agentId: {near}, endpoint: nowhere"),
        ] {
            let config = format!("{{ version: \"1.0\", target: {{ type: agui, {target} }} }}\n");
            let project = Project::new(&[("ananke.config.yaml", &config), ("x.test.yaml", test)]);
            let planned = project.plan();
            assert!(planned.plan.is_none());
            for colour in [Colouring::Plain, Colouring::Coloured] {
                let look = ananke::diagnostic::render::RenderStyle {
                    colour,
                    ..Default::default()
                };
                let shown = ananke::diagnostic::render::human(
                    &project.redactor.problems(&planned.problems, 90),
                    look,
                );
                let told = project.redactor.text(&shown);
                let piece = pieces.iter().find(|piece| told.contains(**piece));
                assert_eq!(
                    piece,
                    None,
                    "at a distance of {distance}:\n{}",
                    &told[..told.len().min(600)]
                );
            }
        }
    }
}

/// The outcome of a test whose agent says `words`, which the test forbids from `forbidden` on.
async fn outcome_of(words: &str, forbidden: &str) -> String {
    let config = format!(
        "version: \"1.3\"\ntarget:\n  type: scripted\n  headers: {{ authorization: \"Bearer ${{ENV.TOKEN}}\" }}\n  rules: [{{ do: [{{ say: \"{words}\" }}] }}]\n"
    );
    let test = format!(
        "version: \"1.0\"\nname: bear\nturns: [{{ user: hi, assert: {{ text: {{ must_not_match: \"{forbidden}\" }} }} }}]\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("bear.test.yaml", &test)])
        .with_environment("TOKEN", "hunter22-and-more");
    format!("{:?}", project.run().await)
}

#[tokio::test]
async fn an_ordinary_word_is_not_masked() {
    let outcome = outcome_of("Yogi is a Bear", "Bear").await;
    assert!(
        outcome.contains("Yogi is a Bear") && outcome.contains("the agent said `Bear`"),
        "{outcome}"
    );
}

#[tokio::test]
async fn no_part_of_a_secret_is_shown_where_a_text_is_truncated() {
    for before in 0..40 {
        let words = format!(
            "{}hunter22-and-more{}",
            "x".repeat(180 - before),
            " y".repeat(200)
        );
        for forbidden in ["x+", "x", "( y)+"] {
            let outcome = outcome_of(&words, forbidden).await;
            for part in ["hunt", "and-", "-more"] {
                assert!(
                    !outcome.contains(part),
                    "{forbidden} after {before}: {outcome}"
                );
            }
        }
    }
}

/// A project whose target has `TOKEN` in a header, and whose agent says two tokens to everyone.
fn with_tokens(tests: &str) -> Project {
    let config = "version: \"1.3\"\ntarget:\n  type: scripted\n  headers: { authorization: \"Bearer ${TOKEN}\" }\n  rules: [{ do: [{ say: \"first-token second-token\" }] }]\n";
    Project::new(&[
        ("ananke.config.yaml", config),
        ("two.test.yaml", &format!("version: \"1.3\"\n{tests}")),
    ])
}

#[tokio::test]
async fn a_secret_of_one_test_is_not_masked_in_another() {
    let rows = "name: two\ncases: [{ TOKEN: first-token }, { TOKEN: second-token }]\nturns: [{ user: hi }]\n";
    let tests = "tests:\n  - { name: one, vars: { TOKEN: first-token }, turns: [{ user: hi }] }\n  - { name: two, vars: { TOKEN: second-token }, turns: [{ user: hi }] }\n";
    for tests in [rows, tests] {
        let outcomes = with_tokens(tests).run().await;
        let said = |index: usize| format!("{:?}", outcomes[index].transcript.turns[0].lines);
        assert!(said(0).contains("*** second-token"), "{}", said(0));
        assert!(said(1).contains("first-token ***"), "{}", said(1));
    }
}

#[tokio::test]
async fn a_test_that_does_not_run_tells_no_secret_of_its_variables() {
    let tests = "name: \"with ${TOKEN}\"\nskip: \"${TOKEN} expired\"\nvars: { TOKEN: first-token }\nturns: [{ user: hi }]\n";
    let outcomes = with_tokens(tests).run().await;
    let shown = format!("{outcomes:?}");
    assert!(
        shown.contains("with ***") && !shown.contains("first-token"),
        "{shown}"
    );
}
