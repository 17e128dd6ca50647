//! `ananke init`: the project that it writes passes at once, and nothing is overwritten.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::mocks::server::{Serving, embedded, project as scripted};
use crate::support::answering_server::AnsweringServer;
use crate::support::project::Project;
use crate::support::raw_agent::{Captured, Step};

pub(crate) fn ananke(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(folder)
        .env_clear()
        .args(arguments)
        .stdin(Stdio::null());
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program can be started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

/// The files of a directory with their texts, without those that a run keeps.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() && name != ".ananke" {
                folders.push(path);
            } else if path.is_file() {
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_first_project_is_green_and_stays_as_it_is() {
    let project = Project::new(&[]);
    let (code, stdout, stderr) = ananke(project.folder(), &["init"]);
    assert_eq!((code, &*stderr), (Some(0), ""), "{stdout}");
    assert!(stdout.ends_with("\nNext: ananke run\n"), "{stdout}");
    let written = files(project.folder());
    let names: Vec<&str> = written.keys().map(String::as_str).collect();
    let expected = [
        "ananke.config.yaml",
        "checkout.test.yaml",
        "schemas/ananke.config.schema.json",
        "schemas/ananke.test.schema.json",
    ];
    assert_eq!(names, expected);
    assert!(
        names
            .iter()
            .all(|name| stdout.contains(&format!("wrote {name} "))),
        "{stdout}"
    );
    for name in &names[..2] {
        let modeline = written[*name].lines().next().unwrap();
        let schema = modeline
            .strip_prefix("# yaml-language-server: $schema=")
            .unwrap();
        assert!(written.contains_key(schema), "{modeline}");
    }
    for arguments in [
        &["run"][..],
        &["check", "--deny-warnings"],
        &["run", "--deny-warnings", "-v"],
    ] {
        let (code, stdout, stderr) = ananke(project.folder(), arguments);
        assert_eq!((code, &*stderr), (Some(0), ""), "{arguments:?}: {stdout}");
    }
    let (code, stdout, stderr) = ananke(project.folder(), &["init"]);
    assert_eq!((code, &*stdout), (Some(1), ""));
    assert!(
        stderr.contains("`checkout.test.yaml`") && stderr.contains("nothing was written"),
        "{stderr}"
    );
    assert_eq!(files(project.folder()), written);
}

#[test]
fn one_existing_file_is_enough_to_write_nothing() {
    let project = Project::new(&[("sub/checkout.test.yaml", "mine")]);
    let (code, _, stderr) = ananke(project.folder(), &["init", "sub"]);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains("`sub/checkout.test.yaml` exists already"),
        "{stderr}"
    );
    assert_eq!(files(project.folder()).len(), 1);
    let (code, stdout, _) = ananke(project.folder(), &["init", "new/project"]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(
        stdout.ends_with("\nNext: ananke run new/project\n"),
        "{stdout}"
    );
    assert_eq!(ananke(project.folder(), &["run", "new/project"]).0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_recognised_and_tried_at_once() {
    let agent = scripted("    - { do: [{ say: Good day }] }\n");
    let server = Serving::start(embedded(&agent)).await;
    let address = format!("127.0.0.1:{}", server.port);
    let project = Project::new(&[]);
    let (folder, place) = (project.folder().to_owned(), format!("{address}/shop"));
    let ran = tokio::task::spawn_blocking(move || {
        let arguments = ["init", &place, "-H", "authorization: Bearer of-this-test"];
        let first = ananke(&folder, &arguments);
        // What is there is not overwritten, and nothing is sent.
        (first, ananke(&folder, &["init", &place]))
    });
    let ((code, stdout, stderr), (again, _, refused)) = ran.await.expect("the program ran");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(
        stdout.contains("agent:   Good day") && stdout.contains("1 test: 1 passed"),
        "{stdout}"
    );
    assert!(
        stderr.contains("This is sent:") && stderr.contains("AGENT_AUTHORIZATION"),
        "{stderr}"
    );
    let config = &files(project.folder())["ananke.config.yaml"];
    for expected in [
        "type: agui",
        &format!("endpoint: \"http://{address}/shop\""),
        "authorization: \"${ENV.AGENT_AUTHORIZATION}\"",
    ] {
        assert!(config.contains(expected), "{expected}: {config}");
    }
    let all = format!("{stdout}{stderr}{config}");
    assert!(!all.contains("of-this-test"), "{all}");
    assert_eq!(again, Some(1));
    assert!(
        refused.contains("`ananke.config.yaml` exists already") && !refused.contains("Asking"),
        "{refused}"
    );
}

/// A server of MCP with a tool that reads and one that pays; it notes each call in the file `$CALLS`.
const SERVER: &str = r#"
id_of() { id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}; }
answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while IFS= read -r line; do
  case $line in
    *'"method":"initialize"'*) id_of; answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*) id_of; answer '{"tools":[{"name":"look","description":"Looks","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"pay","description":"Pays","inputSchema":{"type":"object","required":["to"],"properties":{"to":{"const":"${ENV.HOME}"}}}}]}' ;;
    *'"method":"tools/call"'*) id_of; echo "$line" >> "$CALLS"; answer '{"content":[]}' ;;
    *) id_of; echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}" ;;
  esac
done
"#;

#[test]
fn a_program_is_recognised_and_its_tools_are_not_called_unasked() {
    let project = Project::new(&[("server.sh", SERVER)]);
    let calls = project.folder().join("calls");
    let calls_to = |name: &str| {
        let text = std::fs::read_to_string(&calls).unwrap_or_default();
        text.matches(&format!("\"name\":\"{name}\"")).count()
    };
    let variable = format!("CALLS={}", calls.display());
    let program = ["--", "env", &variable, "sh", "server.sh"];
    let run = |arguments: &[&str]| ananke(project.folder(), &[arguments, &program[..]].concat());
    let (_, stdout, stderr) = run(&["tools"]);
    assert!(
        stdout.contains("look()  changes nothing") && stdout.contains("pay(to)  may change data"),
        "{stdout}{stderr}"
    );
    assert_eq!((calls_to("look"), calls_to("pay")), (0, 0));
    let (code, stdout, stderr) = run(&["init", "below"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("not called: pay"), "{stdout}");
    assert_eq!((calls_to("look"), calls_to("pay")), (1, 0));
    let written = files(&project.folder().join("below"));
    assert!(written["ananke.config.yaml"].contains("cwd: \"..\""));
    let tests = &written["tools.test.yaml"];
    assert!(
        tests.contains("skip: may change data") && tests.contains("to: \"$${ENV.HOME}\""),
        "{tests}"
    );
    assert_eq!(run(&["init", "other", "--call", "pay"]).0, Some(0));
    assert_eq!((calls_to("look"), calls_to("pay")), (2, 1));
    let (_, stdout, _) = run(&["audit", "--tool", "pay"]);
    assert!(
        stdout.contains("pay  not called: it may change data"),
        "{stdout}"
    );
    assert_eq!(calls_to("pay"), 1);
}

/// What an answer says of the protocols of a URL is not more than it says.
#[tokio::test(flavor = "multi_thread")]
async fn an_api_is_recognised_by_what_it_does() {
    const KEYLESS: &str = r#"{"error":{"message":"no key","type":"invalid_request_error"}}"#;
    const RESPONSE: &str = r#"{"object":"response","output":[]}"#;
    const PAGE: &str = "<!DOCTYPE html><p>What?";
    const WHOLE: &str =
        "{\n  \"id\": \"x\",\n  \"object\": \"chat.completion\",\n  \"choices\": [{}]\n}";
    const WHOLE_BEGINS_WITH_CHOICES: &str =
        r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]}"#;
    const FIELD_REQUIRED: &str =
        r#"{"detail":[{"loc":["body","message"],"msg":"field required"}]}"#;
    const CHAT: &str = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (answers, code, expected) in [
        // Every API of OpenAI refuses so.
        (&[("", 401, KEYLESS)][..], 1, "it asks who you are"),
        // It has both, and lists no models: chat completions have a type.
        (
            &[
                ("/v1/responses", 200, RESPONSE),
                ("/v1/chat/completions", 200, CHAT),
            ],
            0,
            "",
        ),
        (
            &[("/v1/responses", 200, RESPONSE)],
            1,
            "speaks the Responses API",
        ),
        (&[("/v1/responses", 400, KEYLESS)], 1, "speaks no protocol"),
        // It speaks the protocol, and answers with a document. What a GET gets says nothing about POSTs.
        (
            &[("GET ", 501, PAGE), ("/v1/chat/completions", 200, WHOLE)],
            1,
            "speaks OpenAI chat completions, but the server does not stream: ",
        ),
        (
            &[("/v1/chat/completions", 200, WHOLE_BEGINS_WITH_CHOICES)],
            1,
            "`ananke init --for python`",
        ),
        (
            &[("GET ", 200, PAGE), ("", 422, FIELD_REQUIRED)],
            1,
            "seems to be an API that answers in JSON, and speaks no protocol",
        ),
        (
            &[("", 200, PAGE)],
            1,
            "seems to be a web page, and speaks no protocol",
        ),
    ] {
        let server = AnsweringServer::start(move |captured| {
            let found = answers.iter().find(|(path, ..)| captured.head.contains(path));
            let (status, body) = found.map_or((404, "{}"), |(_, status, body)| (*status, *body));
            let kind = match body.as_bytes() {
                [b'd', ..] => "text/event-stream",
                [b'<', ..] => "text/html",
                _ => "application/json",
            };
            let text = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            vec![Step::Send(text.into())]
        })
        .await;
        let project = Project::new(&[]);
        let (folder, url) = (
            project.folder().to_owned(),
            format!("http://{}/v1", server.address),
        );
        let ran = tokio::task::spawn_blocking(move || ananke(&folder, &["init", &url]));
        let (found, stdout, stderr) = ran.await.expect("the program ran");
        assert_eq!(found, Some(code), "{answers:?}: {stdout}{stderr}");
        assert!(stderr.contains(expected), "{answers:?}: {stderr}");
        let no = stderr.matches("\n      no: ").count();
        let tried = stderr.matches("\n  ").count() - stderr.matches("\n   ").count();
        // The GETs are one line; the candidate that ends the search has no line of its own.
        assert!((tried - 2..tried).contains(&no), "{answers:?}: {stderr}");
        let config = files(project.folder()).remove("ananke.config.yaml");
        let is_chat = config.is_some_and(|config| config.contains("type: openai"));
        assert_eq!(is_chat, code == 0, "{answers:?}");
    }
}

/// The URL of an app is enough: its chat route is where `useChat` looks for it.
#[tokio::test(flavor = "multi_thread")]
async fn the_chat_route_of_an_app_is_found() {
    let server = AnsweringServer::start(|captured| {
        let (status, kind, body) = if captured.head.starts_with("POST /api/chat ") {
            let chunks = "data: {\"type\":\"start\"}\n\ndata: {\"type\":\"text-start\",\"id\":\"1\"}\n\ndata: [DONE]\n\n";
            (200, "text/event-stream", chunks)
        } else if captured.head.starts_with("GET /api/chat ") {
            (405, "text/plain", "")
        } else {
            (404, "text/html", "<!DOCTYPE html><p>What?")
        };
        let text = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        vec![Step::Send(text.into())]
    })
    .await;
    let project = Project::new(&[]);
    let (folder, url) = (
        project.folder().to_owned(),
        format!("http://{}", server.address),
    );
    let ran = tokio::task::spawn_blocking(move || ananke(&folder, &["init", &url]));
    let (code, stdout, stderr) = ran.await.expect("the program ran");
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let config = files(project.folder())
        .remove("ananke.config.yaml")
        .expect("a config");
    assert!(config.contains("type: ai-sdk"), "{config}");
    assert!(config.contains("/api/chat"), "{config}");
}

/// A server that has the Messages API alone, with a list of its models or without one.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_the_messages_api_is_found() {
    const MESSAGE: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[]}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    for (models, path, model) in [
        (
            r#"{"data":[{"type":"model","id":"claude-x"}]}"#,
            "/v1",
            "claude-x",
        ),
        ("", "/v1/messages", "default"),
    ] {
        let server = AnsweringServer::start(move |captured| {
            let (status, kind, body) = if captured.head.starts_with("POST /v1/messages ") {
                (200, "text/event-stream", MESSAGE)
            } else if captured.head.starts_with("GET /v1/models ") && !models.is_empty() {
                (200, "application/json", models)
            } else {
                (404, "application/json", r#"{"type":"error","error":{"type":"not_found_error","message":"no"}}"#)
            };
            let text = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            vec![Step::Send(text.into())]
        })
        .await;
        let project = Project::new(&[]);
        let folder = project.folder().to_owned();
        let url = format!("http://{}{path}", server.address);
        let ran = tokio::task::spawn_blocking(move || ananke(&folder, &["init", &url]));
        let (code, _, stderr) = ran.await.expect("the program ran");
        assert_eq!(code, Some(0), "{path}: {stderr}");
        let config = files(project.folder())
            .remove("ananke.config.yaml")
            .unwrap_or_default();
        for line in ["type: anthropic", &format!("model: {model}")] {
            assert!(config.contains(line), "{line}: {config}");
        }
    }
}

/// A server that knows `POST /chat` alone gets few requests, and is said to be what its headers say.
#[tokio::test(flavor = "multi_thread")]
async fn an_api_of_its_own_gets_at_most_five_posts() {
    for path in ["/other", "/"] {
        let server = AnsweringServer::start(|captured| {
            let (status, body) = if captured.head.starts_with("POST /chat ") {
                (200, r#"{"answer":"Hi"}"#)
            } else {
                (404, r#"{"detail":"Not Found"}"#)
            };
            let text = format!(
                "HTTP/1.1 {status} X\r\nserver: uvicorn\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            vec![Step::Send(text.into())]
        })
        .await;
        let project = Project::new(&[]);
        let folder = project.folder().to_owned();
        let url = format!("http://{}{path}", server.address);
        let ran = tokio::task::spawn_blocking(move || ananke(&folder, &["init", &url]));
        let (code, _, stderr) = ran.await.expect("the program ran");
        assert_eq!(code, Some(1), "{path}: {stderr}");
        let seems = "seems to be an API that answers in JSON (uvicorn)";
        assert!(stderr.contains(seems), "{path}: {stderr}");
        let requests = server.requests();
        let is_post = |captured: &&Captured| captured.head.starts_with("POST ");
        let first_post = requests.iter().position(|captured| is_post(&captured));
        let posts = requests.iter().filter(is_post).count();
        assert!((1..=5).contains(&posts), "{path}: {posts} POSTs: {stderr}");
        // Every GET of the first look came before.
        let looked = stderr.lines().find(|line| line.contains("side by side"));
        let looked = looked.map(|line| 1 + line.matches(", /").count());
        assert!(first_post >= looked, "{path}: {stderr}");
        for path in requests
            .iter()
            .filter(is_post)
            .map(|captured| captured.head.split(' ').nth(1))
        {
            assert!(
                stderr.contains(path.expect("a path")),
                "{path:?} was not printed: {stderr}"
            );
        }
    }
}

#[test]
fn what_is_not_recognised_writes_nothing() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let closed = format!("http://{closed}/");
    for (arguments, expected) in [
        (&["init", &closed][..], "connection refused"),
        (&["init", "ftp://h/"], "agents are asked over `http://`"),
        (
            &["init", "shop.example.org/agent"],
            "write `http://shop.example.org/agent`",
        ),
        (
            &["init", "http://h/", "http://i/"],
            "one directory and one URL",
        ),
        (
            &["init", &closed, "--", "cat"],
            "a URL or a program, not both",
        ),
        (&["init", "-H", "a: b"], "there is none"),
        (
            &["init", "--", "sh", "-c", "echo no; exit 3"],
            "speaks no protocol that ananke knows",
        ),
        (&["init", "--", "./no-such-program"], "no-such-program"),
        (
            &["init", "--", "sh", "-c", "echo oh no >&2; exit 3"],
            "ended before it answered: nothing was written\nhelp: what it printed to stderr is above",
        ),
        (&["audit", &closed], "connection refused"),
        (&["tools", &closed], "connection refused"),
    ] {
        let project = Project::new(&[]);
        let (code, stdout, stderr) = ananke(project.folder(), arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {stdout}{stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
        assert_eq!(files(project.folder()).len(), 0, "{arguments:?}");
    }
}

#[test]
fn a_program_that_writes_no_messages_is_quoted_and_not_waited_for() {
    let framed = "printf 'Content-Length: 2\\r\\n\\r\\n{}'; while read line; do :; done";
    for (script, heard, help) in [
        (
            "while read line; do echo hello; done",
            "what the server wrote is not a message: `hello`",
            "write everything else to stderr",
        ),
        (
            framed,
            "the server writes headers before its messages: `Content-Length: 2`",
            "the Language Server Protocol",
        ),
    ] {
        let project = Project::new(&[]);
        let arguments = ["init", "--", "sh", "-c", script];
        let (code, stdout, stderr) = ananke(project.folder(), &arguments);
        assert_eq!(code, Some(1), "{script}: {stdout}{stderr}");
        for expected in [heard, help, "speaks no protocol that ananke knows"] {
            assert!(stderr.contains(expected), "{script}: {stderr}");
        }
    }
}

#[test]
fn a_shell_completes_what_the_project_has() {
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: a }] }] }\ntargets: { staging: { extends: default } }\n";
    let test = "name: pays\ntags: [smoke]\nturns: [{ user: a, assert: { text: a } }]\n";
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
    for (words, expected) in [
        (&["run", "--tag", ""][..], "smoke"),
        (&["run", "-n", "st"], "staging"),
        (&["watch", "--id", ""], "a.test.yaml::pays"),
        (&["run", "a.test.yaml::"], "a.test.yaml::pays"),
        (&["run", "a.t"], "a.test.yaml"),
        (&["aud"], "audit"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
        command
            .current_dir(project.folder())
            .env_clear()
            .env("ANANKE_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
            .env("_CLAP_IFS", "\n")
            .args(["--", "ananke"])
            .args(words)
            .stdin(Stdio::null());
        let output = command.output().expect("the program can be started");
        let found = String::from_utf8(output.stdout).expect("text");
        assert_eq!(found.trim(), expected, "{words:?}");
    }
}

#[test]
fn shells_and_man_get_their_texts() {
    let project = Project::new(&[]);
    for (arguments, expected) in [
        (
            &["completions", "bash"][..],
            "-F _clap_complete_ananke ananke",
        ),
        (&["completions", "zsh"], "#compdef ananke"),
        (&["completions", "fish"], "--command ananke"),
        (&["completions", "powershell"], "Register-ArgumentCompleter"),
        (&["completions", "elvish"], "edit:completion"),
        (&["man"], ".TH ananke 1"),
        (&["man", "run"], ".TH ananke-run 1"),
    ] {
        let (code, stdout, stderr) = ananke(project.folder(), arguments);
        assert_eq!((code, &*stderr), (Some(0), ""), "{arguments:?}");
        assert!(stdout.contains(expected), "{arguments:?}: {stdout}");
    }
    let (code, _, stderr) = ananke(project.folder(), &["man", "frobnicate"]);
    assert!(
        code == Some(2) && stderr.contains("no command `frobnicate`"),
        "{stderr}"
    );
}
