//! `ananke init`: the project that it writes passes at once, and nothing is overwritten.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::project::Project;
use crate::support::raw_agent::{RawAgent, Step};

fn ananke(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
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
fn files(folder: &Path) -> BTreeMap<String, String> {
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

/// A complete response.
const ANSWER: &str = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"Good day\"}\n\n",
    "data: {\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"}\n\n",
    "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n",
);

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_tried_at_once() {
    let agent = RawAgent::start(vec![vec![Step::Expect, Step::Send(ANSWER.into())]]).await;
    let endpoint = format!("http://{}/shop", agent.address);
    let project = Project::new(&[]);
    let (folder, url) = (project.folder().to_owned(), endpoint.clone());
    let ran = tokio::task::spawn_blocking(move || ananke(&folder, &["init", "--endpoint", &url]));
    let (code, stdout, stderr) = ran.await.expect("the program ran");
    assert_eq!((code, &*stderr), (Some(0), ""), "{stdout}");
    assert!(
        stdout.contains("agent:  Good day") && stdout.contains("1 test: 1 passed"),
        "{stdout}"
    );
    let config = &files(project.folder())["ananke.config.yaml"];
    assert!(
        config.contains(&format!("endpoint: \"{endpoint}\""))
            && config.contains("agentId: \"shop\"")
    );
}

#[test]
fn an_agent_that_cannot_be_reached_is_reported_and_a_wrong_url_writes_nothing() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let project = Project::new(&[]);
    let (code, stdout, stderr) = ananke(
        project.folder(),
        &["init", "--endpoint", &format!("http://{closed}/")],
    );
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("connection refused") && stderr.contains("the files are written"),
        "{stdout}{stderr}"
    );
    assert_eq!(files(project.folder()).len(), 4);
    let other = Project::new(&[]);
    let (code, _, stderr) = ananke(
        other.folder(),
        &["init", "--endpoint", "shop.example.org/agent"],
    );
    assert_eq!(code, Some(1));
    assert!(stderr.contains("error[bad-url]"), "{stderr}");
    assert_eq!(files(other.folder()).len(), 0);
}

#[test]
fn shells_and_man_get_their_texts() {
    let project = Project::new(&[]);
    for (arguments, expected) in [
        (&["completions", "bash"][..], "complete -F _ananke"),
        (&["completions", "zsh"], "#compdef ananke"),
        (&["completions", "fish"], "complete -c ananke"),
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
