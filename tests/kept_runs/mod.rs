//! Kept runs, from outside: `.ananke/runs`, `ananke show` and `ananke run --again`.

mod again;
mod store;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::support::project::Project;

/// An agent on loopback that says the same words to every request, one event for each.
struct Agent {
    address: SocketAddr,
    words: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    fn saying(words: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let (words, asked) = (Arc::new(Mutex::new(words)), Arc::new(AtomicUsize::new(0)));
        let is_over = Arc::new(AtomicBool::new(false));
        let (said, count, end) = (Arc::clone(&words), Arc::clone(&asked), Arc::clone(&is_over));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Relaxed) {
                    return;
                }
                let words: Vec<String> = said.lock().unwrap().clone();
                count.fetch_add(1, Ordering::Relaxed);
                // A client that goes away gets nothing.
                let _left = stream.and_then(|stream| answer(stream, &words));
            }
        });
        Self {
            address,
            words,
            asked,
            is_over,
            thread: Some(thread),
        }
    }

    fn say(&self, words: &[&str]) {
        *self.words.lock().unwrap() = words.iter().map(|word| (*word).to_owned()).collect();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn config(&self, more: &str) -> String {
        let address = self.address;
        format!(
            "version: \"1.4\"\ntarget: {{ type: agui, endpoint: \"http://{address}/\" }}\n{more}"
        )
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _wakes_it = TcpStream::connect(self.address);
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

fn answer(mut stream: TcpStream, words: &[String]) -> std::io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while request.read_line(&mut line)? > 2 {
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    request.read_exact(&mut vec![0; length])?;
    let event = |json: &str| format!("data: {json}\n\n");
    let mut body = event(r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#)
        + &event(r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#);
    for word in words {
        let word =
            serde_json::json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": word});
        body += &event(&word.to_string());
    }
    body += &event(r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#);
    body += &event(r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
    write!(
        stream,
        "{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn test(name: &str, wanted: &str) -> String {
    format!(
        "version: \"1.4\"\nname: {name}\nturns: [{{ user: hi, assert: {{ text: {{ must_match: {wanted} }} }} }}]\n"
    )
}

/// One test that passes and two that fail, if the agent says `hello`.
fn project(agent: &Agent) -> Project {
    Project::new(&[
        ("ananke.config.yaml", &agent.config("")),
        ("a.test.yaml", &test("a", "hello")),
        ("b.test.yaml", &test("b", "good-bye")),
        ("c.test.yaml", &test("c", "farewell")),
    ])
}

fn ananke(project: &Project, arguments: &[&str]) -> Output {
    with(project, arguments, &[])
}

fn with(project: &Project, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .current_dir(project.folder())
        .env_clear()
        .envs(environment.iter().copied())
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The kept runs, the newest last.
fn runs(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.folder().join(".ananke/runs"));
    let paths = entries.into_iter().flatten();
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn write(project: &Project, file: &str, text: &str) {
    fs::write(project.folder().join(file), text).unwrap();
}

/// The last line of a text that is not empty.
fn last_line(text: &str) -> &str {
    text.lines()
        .rfind(|line| !line.is_empty())
        .unwrap_or_default()
}

#[test]
fn a_red_run_is_kept_and_shown_without_its_agent() {
    let agent = Agent::saying(&["hel", "lo"]);
    let project = project(&agent);
    let ran = ananke(&project, &["run"]);
    assert_eq!(ran.status.code(), Some(1), "{}", stderr(&ran));
    let ran = stdout(&ran);
    assert!(ran.contains(" · in full: ananke show 1"), "{ran}");
    assert_eq!((agent.asked(), runs(&project).len()), (3, 1));

    let shown = ananke(&project, &["show"]);
    assert_eq!(
        (shown.status.code(), stderr(&shown)),
        (Some(0), String::new())
    );
    let shown = stdout(&shown);
    assert_eq!(last_line(&shown), last_line(&ran));
    let failures = |text: &str| text[text.find("b.test.yaml").unwrap()..].to_owned();
    let without = [" · in full: ananke show 1", "  [2/3]", "  [3/3]"];
    let without = without
        .iter()
        .fold(ran, |text, part| text.replace(part, ""));
    assert_eq!(failures(&shown), failures(&without));

    for (what, name) in [
        ("1", "b"),
        ("2", "c"),
        ("b", "b"),
        ("c.test.yaml::c", "c"),
        ("a.test.yaml:2", "a"),
        ("./c.test.yaml:3:9", "c"),
    ] {
        let one = ananke(&project, &["show", what]);
        assert_eq!((one.status.code(), stderr(&one)), (Some(0), String::new()));
        let one = stdout(&one);
        assert!(
            one.starts_with(&format!("{name}.test.yaml")) && one.contains("hello"),
            "{one}"
        );
        assert!(!one.contains("passed,"), "no counts: {one}");
    }
    let turn = stdout(&ananke(&project, &["show", "1", "--turn", "1"]));
    assert!(
        turn.contains("events of turn 1: 6\n") && turn.contains("\"delta\":\"hel\""),
        "{turn}"
    );
    assert_eq!(agent.asked(), 3, "nothing was asked again");

    let written = ananke(&project, &["show", "-o", "all.json", "-o", "all.xml"]);
    assert_eq!(
        (written.status.code(), stderr(&written)),
        (Some(0), String::new())
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(project.folder().join("all.json")).unwrap()).unwrap();
    assert_eq!(json["results"].as_array().unwrap().len(), 3);
    assert_eq!(json["summary"]["failed"], 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(runs(&project)[0].clone()), 0o600);
        assert_eq!(mode(project.folder().join(".ananke/runs")), 0o700);
    }
}

#[test]
fn what_is_not_there_is_named() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    let says = |arguments: &[&str], code: i32, expected: &str| {
        let output = ananke(&project, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    };
    says(
        &["show"],
        1,
        "error: no run is kept yet\nhelp: `ananke run` keeps",
    );
    says(
        &["run", "--again"],
        1,
        "error: no run is kept whose answers can be evaluated\nhelp: ",
    );
    ananke(&project, &["run"]);
    says(
        &["show", "99"],
        1,
        "error: there is no failure 99: this run has 1 to 2\n",
    );
    says(
        &["show", "--config", "nope.yaml"],
        1,
        "error: `nope.yaml` cannot be read: there is no such file\nhelp: ",
    );
    says(
        &["show", "--config", ".ananke"],
        1,
        "error: `.ananke` cannot be read: it is a directory\nhelp: ",
    );
    says(
        &["show", "0"],
        1,
        "error: there is no failure 0: this run has 1 to 2\n",
    );
    says(
        &["show", "--run", "99"],
        1,
        "error: there is no run 99: 1 run is kept\n",
    );
    says(&["show", "--run", "0"], 2, "--run");
    says(
        &["show", "b.test.yaml::bb"],
        1,
        "error: no test of this run is called `b.test.yaml::bb`\nhelp: did you mean `b.test.yaml::b`?\n",
    );
    says(
        &["show", "d.test.yaml:3"],
        1,
        "error: this run has no test of the file `d.test.yaml`\n",
    );
    says(
        &["show", "b.test.yaml:1"],
        1,
        "error: this run has no test at `b.test.yaml:1`\n",
    );
    says(
        &["show", "1", "--turn", "7"],
        1,
        "error: `b.test.yaml::b` has no turn 7: it has 1\n",
    );
    says(
        &["show", "-o", "a.test.yaml"],
        2,
        "the file extension names the format",
    );
    says(
        &["show", "-o", "no/such/r.txt"],
        2,
        "the file extension names the format",
    );
    write(&project, "taken.json", "{}");
    says(
        &["show", "-o", "taken.json"],
        1,
        "`taken.json` exists already",
    );
    write(&project, "b.test.yaml", &test("b", "hello"));
    says(
        &["show", "1"],
        0,
        "note: `b.test.yaml` changed since this run\n",
    );
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    says(
        &["show", "c"],
        0,
        "note: `c.test.yaml` is not there any more\n",
    );
    let shown = stdout(&ananke(&project, &["show", "c"]));
    assert!(shown.contains("hello"), "{shown}");
}

#[test]
fn a_run_that_is_refused_is_not_kept() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let before = runs(&project);
    write(&project, "foreign.json", "{\"a\": 1}\n");
    for arguments in [
        &["run", "-o", "foreign.json"][..],
        &["run", "-o", "one.json", "-o", "one.json"],
        &["run", "-o", "a.test.yaml", "--force"],
    ] {
        let output = ananke(&project, arguments);
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(runs(&project), before, "{arguments:?}");
    }
    assert_eq!(agent.asked(), 3, "nothing was sent");
}

#[test]
fn no_report_replaces_a_kept_run_or_the_history() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let kept = runs(&project)[0].clone();
    let kept = kept.strip_prefix(project.folder()).unwrap();
    let kept = kept.to_str().unwrap();
    for file in [kept, ".ananke/history.jsonl"] {
        let path = project.folder().join(file);
        let before = fs::read(&path).unwrap();
        for command in ["show", "run"] {
            let output = ananke(&project, &[command, "-o", file, "--force"]);
            let text = stderr(&output);
            assert!(
                text.contains("what it knows of earlier runs"),
                "{command} {file}: {text}"
            );
            assert_eq!(fs::read(&path).unwrap(), before, "{command} {file}");
        }
    }
}

#[test]
fn a_kept_run_that_is_not_as_it_was_is_named() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let file = runs(&project).remove(0);
    let whole = fs::read_to_string(&file).unwrap();
    let shown = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).unwrap();
        let output = ananke(&project, arguments);
        let code = output.status.code().unwrap();
        (code, stdout(&output), stderr(&output))
    };
    // Another version of the program, and of the format.
    let version = env!("CARGO_PKG_VERSION");
    for (from, to) in [
        (format!("\"ananke\":\"{version}\""), "\"ananke\":\"99.1.0\""),
        ("\"version\":\"1.1\"".to_owned(), "\"version\":\"2.0\""),
    ] {
        let by = if to.contains("99") { "99.1.0" } else { version };
        let why = format!("was kept by ananke {by}, and ananke {version} cannot read it\n");
        let (code, _, error) = shown(&whole.replace(&from, to), &["show"]);
        assert!(
            code == 1 && error.starts_with("error: `.ananke/runs/"),
            "{error}"
        );
        assert!(
            error.ends_with(&format!("{why}help: `ananke run` keeps a new one\n")),
            "{error}"
        );
        let (code, _, error) = shown(&whole.replace(&from, to), &["run", "--again"]);
        assert!(
            code == 1 && error.starts_with("warning: `.ananke/runs/"),
            "{error}"
        );
        assert!(
            error.contains(&format!("{why}error: no run is kept whose answers")),
            "{error}"
        );
    }
    // Not a kept run at all.
    for text in ["", "nonsense", "{}\n{}\n", "\u{0}\n"] {
        let (code, _, error) = shown(text, &["show"]);
        assert!(
            code == 1 && error.contains(".jsonl` is not a kept run\nhelp: "),
            "{error}"
        );
    }
    // Truncated anywhere: what is there is shown.
    let lines: Vec<&str> = whole.lines().collect();
    for count in 1..lines.len() {
        let part = lines[..count].join("\n") + "\n" + &lines[count][..lines[count].len() / 2];
        let (code, _, error) = shown(&part, &["show"]);
        assert!(
            code == 0 && error.contains("ends in the middle"),
            "{count}: {error}"
        );
    }
    let before_last = whole.find("{\"record\":\"index\"").unwrap();
    let (code, out, _) = shown(&whole[..before_last], &["show", "2"]);
    assert!(code == 0 && out.starts_with("c.test.yaml"), "{out}");
    // What is lost is not said to have passed.
    let first_record = whole.find("{\"record\"").unwrap();
    let (code, _, error) = shown(&whole[..first_record], &["show", "1"]);
    assert!(
        code == 1
            && error.contains("ends in the middle")
            && error.ends_with("\nerror: there is no failure 1: this run has none\n"),
        "{error}"
    );
    let (code, out, error) = shown(&whole[..before_last], &["run", "--again"]);
    assert!(code == 1 && out.contains("2 failed"), "{out}{error}");
    // Edited: an outcome, a recording, the index, the last line.
    let edited = whole.replacen("hello", "jello", 1);
    let (_, out, error) = shown(&edited, &["run", "--again", "a"]);
    assert!(out.contains("was changed after the run"), "{out}{error}");
    let at = whole.find("{\"record\":\"outcome\",\"id\":\"b").unwrap();
    let edited = whole[..at].to_owned() + &whole[at..].replacen("hello", "jello", 1);
    let (code, _, error) = shown(&edited, &["show", "1"]);
    assert!(
        code == 1
            && error.contains(
                "was changed after the run: `b.test.yaml::b` is lost\nhelp: `ananke run`"
            ),
        "{error}"
    );
    let (code, out, error) = shown(&edited, &["show"]);
    assert!(
        code == 1 && out.contains("c.test.yaml") && error.contains("`b.test.yaml::b` is lost"),
        "{out}{error}"
    );
    let edited = whole.replacen("\"fails_the_run\":true", "\"fails_the_run\":null", 1);
    let (code, out, error) = shown(&edited, &["show"]);
    assert!(
        code == 0 && out.contains("b.test.yaml") && error.contains("ends in the middle"),
        "{error}"
    );
    let edited = whole[..whole.len() - 33].to_owned() + "{\"index\":\"99999999999999999999\"}\n";
    let (code, out, _) = shown(&edited, &["show"]);
    assert!(code == 0 && out.contains("b.test.yaml"), "{out}");
    // From another project.
    let folder = project.folder().display().to_string();
    let (code, out, error) = shown(&whole.replace(&folder, "/elsewhere"), &["show", "1"]);
    assert!(code == 0 && out.contains("hello"), "{out}{error}");
    assert!(
        error.contains("kept in another directory: `/elsewhere`"),
        "{error}"
    );
}

#[test]
fn secrets_are_masked_and_what_comes_in_pieces_is_not_kept() {
    let agent = Agent::saying(&["the key is hunter2-and-more"]);
    let secret = "headers: { authorization: \"Bearer ${ENV.TOKEN}\" }";
    let config = agent
        .config("")
        .replace(" }\n", &format!(", {secret} }}\n"));
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test("a", "nothing")),
    ]);
    let environment = [("TOKEN", "hunter2-and-more")];
    with(&project, &["run"], &environment);
    let text = fs::read_to_string(&runs(&project)[0]).unwrap();
    assert!(
        !text.contains("hunter2") && text.contains("the key is"),
        "{text}"
    );
    let again = with(&project, &["run", "--again"], &environment);
    assert_eq!(
        again.status.code(),
        Some(1),
        "{}{}",
        stdout(&again),
        stderr(&again)
    );

    agent.say(&["the key is hunt", "er2-and-", "more"]);
    with(&project, &["run"], &environment);
    let text = fs::read_to_string(runs(&project).last().unwrap()).unwrap();
    assert!(
        !text.contains("er2-and-") && text.contains("\"outcome\""),
        "{text}"
    );
    let shown = with(&project, &["show", "1"], &environment);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    let again = with(&project, &["run", "--again"], &environment);
    assert_eq!(again.status.code(), Some(4), "{}", stdout(&again));
    assert!(stdout(&again).contains("in pieces"), "{}", stdout(&again));
}
