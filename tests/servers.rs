//! Servers as processes: waited for, watched, and none left when the run is over.
#![cfg(unix)]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use ananke::project::ServerCommand;
use ananke::server::{ServerStartError, Servers};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

use crate::support::project::Project;

const TEST: &str =
    "version: \"1.0\"\nname: a\nturns: [{ user: hi, assert: { text: { must_match: hello } } }]\n";

/// A project whose config has this `server`, one for each line of `servers`.
fn project(servers: &[&str]) -> Project {
    let servers: Vec<String> = servers
        .iter()
        .map(|server| format!("  - {{ {server} }}\n"))
        .collect();
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: scripted, rules: [{{ do: [{{ say: hello }}] }}] }}\nserver:\n{}",
        servers.concat()
    );
    Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)])
        .with_environment("PATH", "/usr/bin:/bin")
}

fn commands(project: &Project) -> Vec<ServerCommand> {
    let planned = project.plan();
    let plan = planned
        .plan
        .unwrap_or_else(|| panic!("{:#?}", planned.problems));
    plan.servers
}

async fn start(project: &Project) -> Result<Servers, ServerStartError> {
    Servers::start(&commands(project), &CancellationToken::new(), |_| {}).await
}

/// The messages about servers that cannot be started, with the end of their output.
async fn failure(project: &Project) -> (String, String) {
    match start(project).await {
        Err(ServerStartError::Broken(error)) => (error.problem.message, error.printed),
        other => panic!("it should fail: {:?}", other.map(|_| ())),
    }
}

/// Whether the process whose id is in the file `name` still runs.
fn lives(folder: &Path, name: &str) -> bool {
    let process = std::fs::read_to_string(folder.join(name)).expect("the server wrote its ids");
    let process: u32 = process.trim().parse().expect("an id");
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until something is true, and returns whether that happened.
fn until(mut is_so: impl FnMut() -> bool) -> bool {
    (0..6000).any(|_| {
        let so = is_so();
        if !so {
            std::thread::sleep(Duration::from_millis(10));
        }
        so
    })
}

/// Waits until none of the processes runs, and returns whether that happened.
fn gone(folder: &Path, names: &[&str]) -> bool {
    until(|| !names.iter().any(|name| lives(folder, name)))
}

/// The program in the project, waited for.
fn ananke(project: &Project, arguments: &[&str]) -> Output {
    program(project, arguments)
        .output()
        .expect("the program can be started")
}

fn program(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .current_dir(project.folder())
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    command.args(arguments).stdin(Stdio::null());
    command
}

const STUBBORN: &str = r#"cmd: [sh, -c, "trap '' TERM; echo $$ > a; sleep 60 & echo $! > b; (sleep 60 & echo $! > c; wait) & echo $! > d; until test -s c; do sleep 0.01; done; echo ready; while true; do sleep 1; done"], ready: { stdout: ready }"#;

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_of_a_server_that_does_not_want_to_go() {
    let project = project(&[STUBBORN]);
    let servers = start(&project).await.expect("it is ready");
    assert!(lives(project.folder(), "a") && lives(project.folder(), "c"));
    // With a paused clock, five seconds pass at once.
    tokio::time::pause();
    servers.stop().await;
    assert!(gone(project.folder(), &["a", "b", "c", "d"]));
}

#[tokio::test]
async fn what_is_waited_for_is_told() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let project = project(&[
        r#"cmd: [sh, -c, "echo ready; exec sleep 60"], ready: { stdout: ready }"#,
        &format!("cmd: [sh, -c, 'exit 7'], ready: {{ port: {port} }}"),
    ]);
    let told = std::cell::RefCell::new(Vec::new());
    let waiting = |what: &str| told.borrow_mut().push(what.to_owned());
    let started = Servers::start(&commands(&project), &CancellationToken::new(), waiting).await;
    assert!(matches!(started, Err(ServerStartError::Broken(_))));
    let expected = [
        r#"waiting for a line that says that it is ready: server 1 `["sh", "-c", "echo ready; exec sleep 60"]`"#.to_owned(),
        format!(r#"waiting for port {port} to answer: server 2 `["sh", "-c", "exit 7"]`"#),
    ];
    assert_eq!(*told.borrow(), expected);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn servers_that_nobody_holds_any_more_end() {
    let project = project(&[
        r#"cmd: [sh, -c, "echo $$ > a; sleep 60 & echo $! > b; echo ready; wait"], ready: { stdout: ready }"#,
    ]);
    drop(start(&project).await.expect("it is ready"));
    for _ in 0..500 {
        if !lives(project.folder(), "a") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(gone(project.folder(), &["a", "b"]));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_servers_before_one_that_fails_are_ended_in_reverse() {
    let goes = |name: &str| {
        format!(
            r#"cmd: [sh, -c, "trap 'echo {name} >> ended; exit' TERM; echo $$ > {name}; echo ready; while true; do sleep 0.01; done"], ready: {{ stdout: ready }}"#
        )
    };
    let project = project(&[
        &goes("a"),
        &goes("b"),
        r#"cmd: [sh, -c, "exit 7"], ready: { port: 1 }"#,
    ]);
    let (message, _) = failure(&project).await;
    assert!(
        message.ends_with("ended with exit code 7 before it was ready"),
        "{message}"
    );
    assert!(gone(project.folder(), &["a", "b"]));
    assert_eq!(
        std::fs::read_to_string(project.folder().join("ended")).unwrap(),
        "b\na\n"
    );
}

#[tokio::test]
async fn a_server_never_waits_for_a_reader() {
    let much = "head -c 3000000 /dev/zero | tr '\\\\0' x; echo; head -c 3000000 /dev/zero | tr '\\\\0' y >&2";
    let project = project(&[&format!(
        r#"cmd: [sh, -c, "{much}; echo ready; {much}; echo done > done; exec sleep 60"], ready: {{ stdout: "^ready$" }}"#
    )]);
    let servers = start(&project).await.expect("it is ready");
    for _ in 0..1000 {
        if project.folder().join("done").exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(project.folder().join("done").exists());
    servers.stop().await;
}

#[tokio::test]
async fn a_server_is_stopped_while_it_is_waited_for() {
    let project = project(&[
        r#"cmd: [sh, -c, "echo $$ > a; echo up > up; exec sleep 60"], ready: { stdout: never }"#,
    ]);
    let cancel = CancellationToken::new();
    let commands = commands(&project);
    let stop = async {
        while !project.folder().join("up").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (started, ()) = tokio::join!(Servers::start(&commands, &cancel, |_| {}), stop);
    assert!(matches!(started, Err(ServerStartError::Stopped)));
    #[cfg(target_os = "linux")]
    assert!(gone(project.folder(), &["a"]));
}

/// Answers one request after the other with these statuses once `folder` contains the file `up`; returns its URL.
fn answering(listener: TcpListener, statuses: &'static [u16]) {
    std::thread::spawn(move || {
        for status in statuses {
            let (mut connection, _) = listener.accept().expect("a connection");
            let mut request = [0; 4096];
            let _ = connection.read(&mut request);
            let _ = write!(
                connection,
                "HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
}

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    (listener, port)
}

#[tokio::test]
async fn a_url_is_ready_when_it_answers_without_an_error_of_its_own() {
    let (listener, port) = listener();
    drop(listener);
    let project = project(&[&format!(
        r#"cmd: [sh, -c, "echo up > up; exec sleep 60"], ready: {{ url: "http://127.0.0.1:{port}/health" }}"#
    )]);
    let up = project.folder().join("up");
    let begins = std::thread::spawn(move || {
        while !up.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is still free");
        answering(listener, &[503, 500, 404]);
    });
    let servers = start(&project).await.expect("404 is an answer");
    begins.join().expect("the listener was started");
    assert!(servers.notes().is_empty());
    servers.stop().await;
}

#[tokio::test]
async fn what_is_never_well_is_told_with_what_was_seen_last() {
    let (listener, port) = listener();
    drop(listener);
    let project = project(&[&format!(
        r#"cmd: [sh, -c, "echo starting; exec sleep 60"], timeout_ms: 200, ready: {{ port: {port} }}"#
    )]);
    let (message, printed) = failure(&project).await;
    assert!(
        message.ends_with(&format!(
            "was not ready within its 200 ms: port {port} of this machine: connection refused"
        )),
        "{message}"
    );
    assert_eq!(printed, "starting");
}

#[tokio::test]
async fn a_server_that_answers_and_never_well_has_help_that_fits() {
    let (listener, port) = listener();
    drop(listener);
    let project = project(&[&format!(
        r#"cmd: [sh, -c, "echo up > up; exec sleep 60"], timeout_ms: 400, ready: {{ url: "http://127.0.0.1:{port}/health" }}"#
    )]);
    let up = project.folder().join("up");
    std::thread::spawn(move || {
        while !up.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is still free");
        answering(listener, &[501; 50]);
    });
    let Err(ServerStartError::Broken(error)) = start(&project).await else {
        panic!("it should fail");
    };
    let message = &error.problem.message;
    assert!(
        message.ends_with("/health: it answers with status 501"),
        "{message}"
    );
    let help = error.problem.help.join("\n");
    let port = format!("`ready: {{ port: {port} }}`");
    assert!(help.contains("below 500") && help.contains(&port), "{help}");
}

#[tokio::test]
async fn what_runs_already_is_an_error_or_used() {
    let (listener, port) = listener();
    let server = |ready: &str, reuse: &str| {
        project(&[&format!(
            r#"cmd: [sh, -c, "echo up > up; sleep 60"], ready: {{ {ready} }}{reuse}"#
        )])
    };
    let by_port = format!("port: {port}");
    let (message, _) = failure(&server(&by_port, "")).await;
    assert!(
        message.starts_with(&format!("port {port} is already in use, but server 1")),
        "{message}"
    );

    let used = server(&by_port, ", reuse: true");
    let servers = start(&used).await.expect("it is used");
    assert!(servers.notes()[0].contains(&format!("is not started: port {port} answers already")));
    servers.stop().await;
    assert!(!used.folder().join("up").exists());
    drop(listener.accept().expect("nobody closed it"));

    let (listener, port) = self::listener();
    answering(listener, &[200, 200, 502]);
    let by_url = format!("url: \"http://127.0.0.1:{port}/\"");
    assert!(
        failure(&server(&by_url, ""))
            .await
            .0
            .starts_with("http://127.0.0.1")
    );
    start(&server(&by_url, ", reuse: \"${AGAIN:-true}\""))
        .await
        .expect("it is used")
        .stop()
        .await;
    let (message, _) = failure(&server(&by_url, ", reuse: true")).await;
    assert!(
        message.ends_with("already is not ready: it answers with status 502"),
        "{message}"
    );
}

#[tokio::test]
async fn the_end_of_a_server_is_noticed() {
    let project = project(&[
        r#"cmd: [sh, -c, "echo ready; exec sleep 60"], ready: { stdout: ready }"#,
        r#"cmd: [sh, -c, "echo ready; while ! test -e end; do sleep 0.01; done; echo 'I am ill' >&2; exit 9"], ready: { stdout: ready }"#,
    ]);
    let servers = start(&project).await.expect("both are ready");
    std::fs::write(project.folder().join("end"), "").unwrap();
    let exit = servers.watch().exit().await;
    let told = exit.to_string();
    assert!(
        told.starts_with("server 2 `[\"sh\", ") && told.ends_with(" ended with exit code 9"),
        "{told}"
    );
    assert_eq!(exit.printed, "ready\nI am ill");
    servers.stop().await;
}

const MARKING: &str =
    r#"cmd: [sh, -c, "echo $$ > a; echo ready; exec sleep 60"], ready: { stdout: ready }"#;

#[test]
fn a_server_runs_only_where_something_is_sent() {
    let starts = |arguments: &[&str]| {
        let project = project(&[MARKING]);
        let output = ananke(&project, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
        let started = project.folder().join("a").exists();
        #[cfg(target_os = "linux")]
        assert!(!started || gone(project.folder(), &["a"]));
        (project, started)
    };
    for arguments in [
        &["run", "--dry-run"][..],
        &["check"],
        &["list"],
        &["explain", "a.test.yaml"],
        &["run", "--filter", "nothing", "--allow-empty"],
    ] {
        assert!(!starts(arguments).1, "{arguments:?}");
    }
    assert!(starts(&["run"]).1);
    let (project, started) = starts(&["run", "--record", "kept"]);
    assert!(started);
    std::fs::remove_file(project.folder().join("a")).unwrap();
    for arguments in [
        &["run", "--replay", "kept"][..],
        &["run", "--replay", "kept", "--record-missing"],
    ] {
        assert_eq!(ananke(&project, arguments).status.code(), Some(0));
        assert!(!project.folder().join("a").exists(), "{arguments:?}");
    }
    assert!(starts(&["run", "--record", "kept", "--record-missing"]).1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_leaves_no_process() {
    let config = r#"version: "1.3"
target: { type: scripted, rules: [{ do: [{ say: hello }] }] }
server: { cmd: [sh, -c, "echo $$ > a; sleep 600 & echo $! > b; echo ready; wait"], ready: { stdout: ready } }
"#;
    // More output than a pipe holds: the program reads it only once its guard knows the hook.
    let hooks = "hooks: [{ cmd: [\"true\"] }, { cmd: [sh, -c, \"echo $$ > c; sleep 600 & echo $! > d; head -c 200000 /dev/zero >&2; echo up > up; wait\"] }]\n";
    let test = format!("{TEST}{hooks}").replace("1.0", "1.3");
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", &test)]);
    let folder = project.folder();
    std::fs::write(
        folder.join(".report.json.1-0.spool"),
        "of a run that was killed",
    )
    .unwrap();
    let mut child = program(&project, &["run", "-o", "report.json", "--record", "kept"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(until(|| folder.join("up").exists()));
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id()))
        .unwrap_or_default();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(gone(folder, &["a", "b", "c", "d"]));
    for (number, child) in children.split_whitespace().enumerate() {
        let name = format!("child-{number}");
        std::fs::write(folder.join(&name), child).unwrap();
        assert!(gone(folder, &[&name]), "the guard is over too");
    }
    // The next run deletes what the killed runs left.
    let hidden = || {
        std::fs::read_dir(folder)
            .unwrap()
            .flatten()
            .filter(is_hidden_report)
            .count()
    };
    assert_eq!(hidden(), 1, "only that of the last run");
    let config = config.split("server:").next().unwrap();
    std::fs::write(folder.join("ananke.config.yaml"), config).unwrap();
    std::fs::write(folder.join("a.test.yaml"), TEST).unwrap();
    assert_eq!(
        ananke(&project, &["run", "-o", "report.json"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(hidden(), 0);
}

#[cfg(target_os = "linux")]
fn is_hidden_report(entry: &std::fs::DirEntry) -> bool {
    entry
        .file_name()
        .to_string_lossy()
        .starts_with(".report.json.")
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_no_server() {
    // The agent accepts the request and never responds; or the server is never ready.
    for ready in ["ready", "never"] {
        let (listener, port) = listener();
        let config = format!(
            "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"http://127.0.0.1:{port}/\", agentId: held }}\nserver: {{ cmd: [sh, -c, \"echo $$ > a; sleep 60 & echo $! > b; echo ready; echo up > up; wait\"], ready: {{ stdout: {ready} }} }}\n"
        );
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)]);
        let child = program(&project, &["run"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut connection = None;
        if ready == "ready" {
            let (mut accepted, _) = listener.accept().unwrap();
            accepted.read_exact(&mut [0; 16]).unwrap();
            connection = Some(accepted);
        }
        while !project.folder().join("up").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(130), "{printed}");
        assert!(printed.contains("1 test: 1 skipped"), "{printed}");
        assert!(gone(project.folder(), &["a", "b"]), "{ready}");
        drop(connection);
    }
}

#[test]
fn programs_that_read_json_hear_of_a_server_beside_it() {
    let (listener, port) = listener();
    drop(listener);
    let config = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"http://127.0.0.1:{port}/\", agentId: a }}\nserver: {{ cmd: [sh, -c, \"echo $$ > a; echo ready; exec sleep 60\"], ready: {{ stdout: ready }} }}\n"
    );
    let test = "version: \"1.3\"\nname: a\nhooks: [{ cmd: [sh, -c, 'kill -9 \"$(cat a)\"'] }]\nturns: [{ user: hi }]\n";
    let project = Project::new(&[
        ("ananke.config.yaml", &config),
        ("a.test.yaml", test),
        ("b.test.yaml", test),
    ]);
    let output = ananke(&project, &["run", "--json"]);
    let (stdout, stderr) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout
            .lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
        "{stdout}"
    );
    assert!(
        stdout.contains("not run: a server of the config ended"),
        "{stdout}"
    );
    assert!(
        stdout.contains("a server of the config ended before all tests had run"),
        "{stdout}"
    );
    assert!(
        stderr.contains(
            "was ended by signal 9 (SIGKILL) while the tests ran\n  what it printed last:\n    ready\n"
        ),
        "{stderr}"
    );
}
