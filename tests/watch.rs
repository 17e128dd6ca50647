//! `ananke watch`: a run, and another of what each change touches.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::project::Project;

const CONFIG: &str = "version: \"1.3\"\nreports: [out/report.json]\nvars: { WHO: Ada }\n\
    scripts: { check: { cmd: [sh, check.sh] } }\n\
    target: { type: scripted, rules: [{ do: [{ say: \"hello ${WHO}\" }] }] }\n";

fn test(name: &str, more: &str) -> String {
    format!(
        "version: \"1.3\"\nname: {name}\n{more}turns: [{{ user: hi, assert: {{ text: {{ must_match: hello }} }} }}]\n"
    )
}

/// Writes a file as editors do: it is there as a whole at once.
fn write(folder: &Path, name: &str, text: &str) {
    let new = folder.join(".new");
    fs::write(&new, text).unwrap();
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    fs::rename(new, folder.join(name)).unwrap();
}

struct Watching {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Watching {
    fn start(project: &Project) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
        command
            .current_dir(project.folder())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .arg("watch");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// What is printed until the program waits for changes.
    fn run(&mut self) -> String {
        let mut text = String::new();
        loop {
            let start = text.len();
            assert_ne!(
                self.stdout.read_line(&mut text).unwrap(),
                0,
                "it ended: {text}"
            );
            if text[start..].starts_with("watching ") {
                return text;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn a_change_runs_what_it_touches() {
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test("first", "")),
        (
            "b.test.yaml",
            &test("second ${x}", "cases: rows.csv\n").replace("second ${x}", "second"),
        ),
        ("rows.csv", "x\n1\n"),
        ("check.sh", "echo"),
    ]);
    let folder = project.folder();
    let mut watching = Watching::start(&project);
    let shown = watching.run();
    assert!(shown.contains("2 tests: 2 passed"), "{shown}");

    write(folder, "a.test.yaml", &test("changed", ""));
    let shown = watching.run();
    assert!(
        shown.contains("changed: a.test.yaml\n") && shown.contains("1 test: 1 passed"),
        "{shown}"
    );

    write(folder, "rows.csv", "x\n1\n2\n");
    let shown = watching.run();
    assert!(
        shown.contains("changed: rows.csv\n") && shown.contains("2 tests: 2 passed"),
        "{shown}"
    );
    assert!(!shown.contains("a.test.yaml"), "{shown}");

    write(folder, "check.sh", "echo 2");
    let shown = watching.run();
    assert!(
        shown.contains("changed: check.sh\n") && shown.contains("3 tests: 3 passed"),
        "{shown}"
    );

    // These files concern no test, and neither does the report that each run writes.
    write(folder, "notes.txt", "later");
    write(folder, "out/other.json", "{}");
    write(folder, "sub/new.test.yaml", &test("new", ""));
    let shown = watching.run();
    assert!(
        shown.contains("sub/new.test.yaml\n") && shown.contains("1 test: 1 passed"),
        "{shown}"
    );

    write(
        folder,
        "ananke.config.yaml",
        &CONFIG.replace("hello", "bye"),
    );
    let shown = watching.run();
    assert!(shown.contains("4 tests: 4 failed"), "{shown}");

    write(folder, "a.test.yaml", "version: \"1.3\"\nname: broken\n");
    watching.run();
    write(
        folder,
        "a.test.yaml",
        &test("whole", "").replace("hello", "bye"),
    );
    let shown = watching.run();
    assert!(shown.contains("1 test: 1 passed"), "{shown}");

    kill_process(Pid::from_child(&watching.child), Signal::INT).unwrap();
    assert_eq!(watching.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_project_in_which_nothing_can_be_kept_is_watched_all_the_same() {
    let config = CONFIG.replace("reports: [out/report.json]\n", "");
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test("a", "")),
    ]);
    let folder = project.folder();
    // The directory of ananke itself is none of the project, and without it watching goes on.
    for own in ["none", "file"] {
        if own == "file" {
            fs::remove_dir_all(folder.join(".ananke")).unwrap();
            fs::write(folder.join(".ananke"), "mine").unwrap();
        }
        let mut watching = Watching::start(&project);
        let text = watching.run();
        assert!(
            text.contains("\nwatching 1 directory for changes; Ctrl-C ends\n"),
            "{own}: {text}"
        );
        write(folder, "a.test.yaml", &test("changed", ""));
        assert!(watching.run().contains("1 test: 1 passed"), "{own}");
        write(folder, "a.test.yaml", &test("a", ""));
    }
    assert_eq!(fs::read_to_string(folder.join(".ananke")).unwrap(), "mine");
}

#[test]
fn without_a_config_there_is_nothing_to_watch() {
    let project = Project::new(&[]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    let output = command
        .current_dir(project.folder())
        .arg("watch")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("error[config-missing]"),
        "{output:?}"
    );
}

#[test]
fn the_last_line_names_what_still_fails() {
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &test("first", "")),
        ("b.test.yaml", &test("second", "").replace("hello", "bye")),
        ("c.test.yaml", &test("third", "").replace("hello", "bye")),
    ]);
    let mut watching = Watching::start(&project);
    let last_line = |watching: &mut Watching| {
        let mut line = String::new();
        watching.stdout.read_line(&mut line).unwrap();
        line
    };
    let shown = watching.run();
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert_eq!(
        last_line(&mut watching),
        "still failing: b.test.yaml::second, c.test.yaml::third\n"
    );
    write(project.folder(), "a.test.yaml", &test("changed", ""));
    let shown = watching.run();
    assert!(shown.contains("1 test: 1 passed"), "{shown}");
    assert_eq!(
        last_line(&mut watching),
        "still failing: b.test.yaml::second, c.test.yaml::third\n"
    );
    write(project.folder(), "b.test.yaml", &test("second", ""));
    watching.run();
    assert_eq!(
        last_line(&mut watching),
        "still failing: c.test.yaml::third\n"
    );
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    write(project.folder(), "b.test.yaml", &test("renamed", ""));
    let shown = watching.run();
    assert!(shown.contains("1 test: 1 passed"), "{shown}");
}

/// Answers one request of AG-UI with `hello`.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
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
    let events = [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"hello"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#,
        r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    ];
    let body = events
        .map(|event| ["data: ", event, "\n\n"].concat())
        .concat();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
    write!(
        stream,
        "{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn rules_that_change_are_evaluated_on_kept_answers() {
    const KEPT: &str = "only rules changed: the kept answers are evaluated, nothing is sent\n";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // It ends with the test run: nothing else waits for it.
    thread::spawn(move || {
        for stream in listener.incoming() {
            count.fetch_add(1, Ordering::Relaxed);
            // A client that goes away gets nothing.
            let _gone = stream.and_then(answer);
        }
    });
    let config =
        format!("version: \"1.4\"\ntarget: {{ type: agui, endpoint: \"http://{address}/\" }}\n");
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", &test("first", "")),
        ("b.test.yaml", &test("second", "")),
    ]);
    let mut watching = Watching::start(&project);
    let shown = watching.run();
    assert!(shown.contains("2 tests: 2 passed"), "{shown}");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    let requires = |text: &str| test("second", "").replace("hello", text);
    let last_line = |watching: &mut Watching| {
        let mut line = String::new();
        watching.stdout.read_line(&mut line).unwrap();
        line
    };

    write(project.folder(), "b.test.yaml", &requires("bye"));
    let shown = watching.run();
    assert!(
        shown.contains(KEPT) && shown.contains("1 test: 1 failed"),
        "{shown}"
    );
    assert_eq!(
        last_line(&mut watching),
        "still failing: b.test.yaml::second\n"
    );
    // What the kept answers came to counts until the agent is asked.
    write(
        project.folder(),
        "a.test.yaml",
        &test("first", "").replace("hello", "hel+o"),
    );
    let shown = watching.run();
    assert!(
        shown.contains(KEPT) && shown.contains("1 test: 1 passed"),
        "{shown}"
    );
    assert_eq!(
        last_line(&mut watching),
        "still failing: b.test.yaml::second\n"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 2);

    let asks_more = requires("hello").replace("user: hi", "user: hi again");
    write(project.folder(), "b.test.yaml", &asks_more);
    let shown = watching.run();
    assert!(
        !shown.contains(KEPT) && shown.contains("1 test: 1 passed"),
        "{shown}"
    );
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    // No test fails now, and nothing of the evaluation is left.
    write(
        project.folder(),
        "b.test.yaml",
        &requires("hello").replace("user: hi", "user: hi again "),
    );
    let shown = watching.run();
    assert!(!shown.contains("still failing"), "{shown}");
    assert!(!project.folder().join(".ananke/watch.jsonl").exists());
}
