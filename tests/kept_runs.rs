//! Kept runs, from outside: `.ananke/runs`, `ananke show` and `ananke run --again`.

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
    for file in [kept, ".ananke/history.jsonl", ".ananke/last-run.json"] {
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
fn todays_rules_are_evaluated_on_kept_answers() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let remembered = || {
        let folder = project.folder().join(".ananke");
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        (runs(&project), read("history.jsonl"), read("last-run.json"))
    };
    let before = remembered();
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    let text = stdout(&again);
    assert!(
        text.contains("1 passed") && text.contains("2 failed"),
        "{text}"
    );
    assert!(!text.contains("ananke show"), "it is not kept: {text}");
    assert!(
        !text.contains("run them again"),
        "`--last-failed` would run what failed before: {text}"
    );

    write(&project, "b.test.yaml", &test("b", "hello"));
    write(&project, "c.test.yaml", &test("c", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));

    // Another message, another turn, and a test that never ran.
    write(
        &project,
        "b.test.yaml",
        &test("b", "hello").replace("user: hi", "user: good day"),
    );
    let longer = test("c", "hello").replace(" }]", " }, { user: and now? }]");
    write(&project, "c.test.yaml", &longer);
    write(&project, "d.test.yaml", &test("d d", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    for expected in [
        "1 passed",
        "3 not shown",
        "turn 1 sends what the agent was not asked",
        "turn 2 sends what the agent was not asked",
        "it is in no kept run",
        "ananke run b.test.yaml::b`",
        "ananke run 'd.test.yaml::d d'`",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let one = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(one.status.code(), Some(0), "{}", stdout(&one));
    assert_eq!(agent.asked(), 3, "nothing was sent");
    assert_eq!(remembered(), before, "nothing is remembered of it");

    // Of each test the newest answers count.
    agent.say(&["good-bye"]);
    ananke(&project, &["run", "a"]);
    let again = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(again.status.code(), Some(1), "{}", stdout(&again));
    for other in ["--record", "--replay"] {
        assert_eq!(
            ananke(&project, &["run", "--again", other, "kept"])
                .status
                .code(),
            Some(2)
        );
    }
}

#[test]
fn retries_and_repeated_runs_are_evaluated_as_they_were_kept() {
    let agent = Agent::saying(&["hello"]);
    let project = Project::new(&[
        ("ananke.config.yaml", &agent.config("")),
        (
            "a.test.yaml",
            &test("a", "hello").replace("turns:", "runs: 3\nturns:"),
        ),
        ("b.test.yaml", &test("b", "farewell")),
    ]);
    ananke(&project, &["run", "--retries", "2"]);
    assert_eq!(agent.asked(), 6);
    write(&project, "b.test.yaml", &test("b", "hello"));
    let again = ananke(&project, &["run", "--again"]);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    let more = test("a", "hello").replace("turns:", "runs: 4\nturns:");
    write(&project, "a.test.yaml", &more);
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    assert!(text.contains("its run 4 was not made"), "{text}");
    assert_eq!(agent.asked(), 6);
}

#[test]
fn the_last_run_is_the_one_that_began_last_whatever_the_clock_said() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run", "b"]);
    let first = runs(&project).remove(0);
    // A run of an earlier version, on a machine whose clock was years ahead.
    fs::rename(&first, first.with_file_name("099999999999999-1.jsonl")).unwrap();
    ananke(&project, &["run", "c"]);
    let shows = |run| stdout(&ananke(&project, &["show", "--run", run]));
    assert!(shows("1").contains("c.test.yaml") && shows("2").contains("b.test.yaml"));
    let one = agent.config("run: { keep: 1 }\n");
    write(&project, "ananke.config.yaml", &one);
    ananke(&project, &["run", "a"]);
    let left = runs(&project);
    assert!(left.len() == 1 && left[0].ends_with("run-000002.jsonl"));
}

#[test]
fn as_many_runs_are_kept_as_the_config_says() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    for _ in 0..12 {
        ananke(&project, &["run", "a"]);
    }
    assert_eq!(runs(&project).len(), 10);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 2 }\n"),
    );
    ananke(&project, &["run", "a"]);
    assert_eq!(runs(&project).len(), 2);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 0 }\n"),
    );
    let before = runs(&project);
    let ran = ananke(&project, &["run", "b"]);
    assert!(!stdout(&ran).contains("ananke show"));
    assert_eq!(
        runs(&project),
        before,
        "it is neither kept nor are others removed"
    );

    write(&project, "ananke.config.yaml", &agent.config(""));
    let history = || fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap();
    let lines = history().lines().count();
    with(&project, &["run", "b"], &[("CI", "true")]);
    assert_eq!(runs(&project), before, "nothing is kept under CI");
    assert_eq!(history().lines().count(), lines + 1);
    assert!(history().contains("\"status\":\"failed\""), "{}", history());
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 3 }\n"),
    );
    with(&project, &["run", "b"], &[("CI", "true")]);
    assert_eq!(runs(&project).len(), 3, "unless the config says so");
    ananke(&project, &["run", "b", "--record", "kept"]);
    assert_eq!(runs(&project).len(), 3);
    let newest = runs(&project);
    ananke(&project, &["run", "b", "--replay", "kept"]);
    assert_eq!(runs(&project), newest, "a replay is not kept");
    ananke(&project, &["run", "--again", "b"]);
    write(
        &project,
        "ananke.config.yaml",
        &agent.config("run: { keep: 1001 }\n"),
    );
    assert!(stderr(&ananke(&project, &["check"])).contains("1000"));
}

#[test]
fn nothing_is_kept_of_scripted_agents() {
    let config = "version: \"1.4\"\ntarget: { type: scripted, rules: [{ when: { user: hi }, do: [{ say: hello }] }] }\n";
    let project = Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &test("a", "good-bye")),
    ]);
    let ran = ananke(&project, &["run"]);
    assert!(!stdout(&ran).contains("ananke show"));
    assert!(runs(&project).is_empty());
    assert!(stderr(&ananke(&project, &["show"])).contains("no run is kept yet"));
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
fn a_test_that_no_longer_exists_is_shown_and_not_evaluated() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    write(&project, "b.test.yaml", &test("renamed", "hello"));
    fs::remove_file(project.folder().join("c.test.yaml")).unwrap();
    let shown = ananke(&project, &["show"]);
    assert_eq!(
        (shown.status.code(), &*stderr(&shown)),
        (
            Some(0),
            "note: `b.test.yaml` changed since this run\nnote: `c.test.yaml` is not there any more\n"
        )
    );
    let shown = stdout(&shown);
    assert!(
        shown.contains("`good-bye`") && shown.contains("`farewell`"),
        "{shown}"
    );
    let again = ananke(&project, &["run", "--again"]);
    let text = stdout(&again);
    assert_eq!(again.status.code(), Some(4), "{text}");
    assert!(
        text.contains("it is in no kept run")
            && text.contains("`ananke run b.test.yaml::renamed`")
            && last_line(&text).starts_with("2 tests: 1 passed, 1 not shown in "),
        "{text}"
    );
    for (gone, what) in [
        ("b.test.yaml::b", "error[no-tests]: "),
        ("c.test.yaml", "error[unreadable]: "),
    ] {
        let again = ananke(&project, &["run", "--again", gone]);
        assert_eq!(again.status.code(), Some(1), "{gone}");
        let error = stderr(&again);
        assert!(error.starts_with(what) && error.contains(gone), "{error}");
    }
    let other = ananke(&project, &["show", "nothing-of-the-kind"]);
    let help = "\nhelp: `ananke show` prints the failures of a kept run; name a test by its number there, ";
    assert!(stderr(&other).contains(help), "{}", stderr(&other));
    assert_eq!(agent.asked(), 3, "nothing was sent");
}

/// Runs with files of at most so many blocks of 512 bytes, as on a disk that is full.
#[cfg(unix)]
fn run_with_room(project: &Project, blocks: u32) -> Output {
    let program = env!("CARGO_BIN_EXE_ananke");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} run");
    Command::new("sh")
        .current_dir(project.folder())
        .env_clear()
        .args(["-c", &script])
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_in_the_middle_ends_what_is_kept_and_not_the_run() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    ananke(&project, &["run"]);
    let history = || fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap();
    let before = runs(&project);
    let long = "hello ".repeat(50_000);
    agent.say(&[&long]);
    let why = "`.ananke/runs` cannot be written (there is no room for it)\n\
               help: is `.ananke/runs` a directory of yours, and has its disk room? \
               `run: { keep: 0 }` in the config keeps no run\n";
    for (blocks, what) in [
        (
            60,
            "this run is not kept, so that `ananke show` and `run --again` do not know it",
        ),
        (1000, "only the beginning of this run is kept"),
    ] {
        let lines = history().lines().count();
        let ran = run_with_room(&project, blocks);
        assert_eq!(ran.status.code(), Some(1), "{blocks}: {}", stderr(&ran));
        assert_eq!(stderr(&ran), format!("warning: {what}: {why}"));
        let text = stdout(&ran);
        assert!(
            text.contains("3 tests: 1 passed, 2 failed") && !text.contains("ananke show"),
            "{blocks}: the first failure may not be kept: {text}"
        );
        assert_eq!(history().lines().count(), lines + 3, "{blocks}");
    }
    // What could not be begun leaves the run before it, and what was begun is shown as far as it goes.
    let now = runs(&project);
    assert_eq!((now.len(), &now[..1]), (2, &before[..]));
    let shown = ananke(&project, &["show"]);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    assert!(
        stderr(&shown).contains("ends in the middle"),
        "{}",
        stderr(&shown)
    );
    let again = ananke(&project, &["run", "--again", "a"]);
    assert_eq!(
        again.status.code(),
        Some(0),
        "{}{}",
        stdout(&again),
        stderr(&again)
    );
}

#[test]
fn a_project_in_which_nothing_can_be_kept_runs_all_the_same() {
    let agent = Agent::saying(&["hello"]);
    for obstacle in ["file", "link", "runs"] {
        let project = project(&agent);
        let own = project.folder().join(".ananke");
        match obstacle {
            "file" => fs::write(&own, "mine").unwrap(),
            "runs" => {
                fs::create_dir(&own).unwrap();
                fs::write(own.join("runs"), "mine").unwrap();
            }
            #[cfg(unix)]
            _ => std::os::unix::fs::symlink("nowhere/at/all", &own).unwrap(),
            #[cfg(not(unix))]
            _ => continue,
        }
        let ran = ananke(&project, &["run"]);
        assert_eq!(ran.status.code(), Some(1));
        let (text, error) = (stdout(&ran), stderr(&ran));
        assert!(
            text.contains("2 failed") && !text.contains("ananke show"),
            "{text}"
        );
        let (warning, help) = match obstacle {
            "file" => (
                "warning: `.ananke` is not a directory: nothing of this run is kept, and the next",
                "help: remove or rename it",
            ),
            "link" => (
                "warning: `.ananke` is a link to something that is not a directory: nothing of",
                "help: remove the link",
            ),
            _ => (
                "warning: this run is not kept, so that `ananke show` and `run --again` do not know it: \
                 `.ananke/runs` cannot be written (something else has its name)\n",
                "help: is `.ananke/runs` a directory of yours",
            ),
        };
        assert!(
            error.starts_with(warning) && error.contains(help),
            "{obstacle}: {error}"
        );
        assert_eq!(error.lines().count(), 2, "{obstacle}: {error}");
        assert!(stderr(&ananke(&project, &["show"])).contains("no run is kept yet"));
    }
}

#[test]
fn two_runs_at_once_are_both_kept() {
    let agent = Agent::saying(&["hello"]);
    let project = project(&agent);
    let mut running: Vec<_> = (0..4)
        .map(|_| {
            Command::new(env!("CARGO_BIN_EXE_ananke"))
                .current_dir(project.folder())
                .env_clear()
                .args(["run", "--quiet"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for run in &mut running {
        assert_eq!(run.wait().unwrap().code(), Some(1));
    }
    assert_eq!(runs(&project).len(), 4);
    for number in ["1", "2", "3", "4"] {
        let shown = ananke(&project, &["show", "--run", number]);
        assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
        assert!(stdout(&shown).contains("2 failed"));
    }
    let history = fs::read_to_string(project.folder().join(".ananke/history.jsonl")).unwrap();
    assert_eq!(history.lines().count(), 12);
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
