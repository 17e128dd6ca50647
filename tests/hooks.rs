//! Hooks and the processes they start: which are left, how long a hook is waited for, how much it may print.

use std::path::Path;
use std::time::Duration;

use ananke::compile::{HookCommand, HookRole};
use ananke::hook;
use ananke::outcome::{ErrorKind, Halt, Status};
use ananke::process::Launch;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::support::project::Project;

/// Much more than a hook needs that is not waited for, and much less than one that is.
pub(crate) const SOON: Duration = Duration::from_secs(5);

/// A program in a directory of its own.
pub(crate) fn launch(folder: &Path, argv: &[&str]) -> Launch {
    Launch {
        argv: argv.iter().copied().map(str::to_owned).collect(),
        environment: [("PATH", "/usr/bin:/bin")].into_iter().collect(),
        folder: folder.to_path_buf(),
        folder_name: ".".to_owned(),
        timeout: Duration::from_secs(30),
    }
}

/// `sh -c SCRIPT` in a directory of its own.
fn shell(folder: &Path, script: &str) -> HookCommand {
    HookCommand {
        number: 1,
        launch: launch(folder, &["sh", "-c", script]),
        role: HookRole::Test,
        may_be_quoted: true,
        warnings: Vec::new(),
    }
}

/// Runs a hook; its output or its problem, and how long that took.
async fn run(command: &HookCommand) -> (Result<Map<String, Value>, String>, Duration) {
    let started = Instant::now();
    let given = hook::run(command, &CancellationToken::new()).await;
    (given.map_err(|error| error.to_string()), started.elapsed())
}

/// Whether the process whose id is in the file `name` still runs.
fn lives(folder: &Path, name: &str) -> bool {
    let process = std::fs::read_to_string(folder.join(name)).expect("the hook wrote its ids");
    let process: u32 = process.trim().parse().expect("an id");
    // A zombie, whose parent has not noticed its end, does not run.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until none of the processes runs, and returns whether that happened.
pub(crate) async fn gone(folder: &Path, names: &[&str]) -> bool {
    for _ in 0..100 {
        if !names.iter().any(|name| lives(folder, name)) {
            return true;
        }
        sleep(Duration::from_millis(10)).await;
    }
    false
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_after_a_time_out() {
    let folder = TempDir::new().unwrap();
    let script = "echo $$ > a; sleep 60 & echo $! > b; (sleep 60 & echo $! > c; wait) & echo $! > d; sleep 60";
    let mut command = shell(folder.path(), script);
    command.launch.timeout = Duration::from_millis(200);
    let (given, took) = run(&command).await;
    assert!(
        given
            .unwrap_err()
            .ends_with("timed out after 200 ms and was killed")
    );
    assert!(took < SOON, "{took:?}");
    assert!(gone(folder.path(), &["a", "b", "c", "d"]).await);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_when_the_run_is_stopped() {
    let folder = TempDir::new().unwrap();
    let command = shell(
        folder.path(),
        "echo $$ > a; sleep 60 & echo $! > b; echo ready > c; wait",
    );
    let cancel = CancellationToken::new();
    let stop = async {
        while !folder.path().join("c").exists() {
            sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (given, ()) = tokio::join!(hook::run(&command, &cancel), stop);
    assert_eq!(Halt::from(given.unwrap_err()), Halt::Stopped);
    assert!(gone(folder.path(), &["a", "b"]).await);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_when_nobody_waits_any_more() {
    let folder = TempDir::new().unwrap();
    let command = shell(
        folder.path(),
        "echo $$ > a; sleep 60 & echo $! > b; echo ready > c; wait",
    );
    let cancel = CancellationToken::new();
    let begun = async {
        while !folder.path().join("c").exists() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = hook::run(&command, &cancel) => panic!("it waits for a minute"),
        () = begun => {}
    }
    assert!(gone(folder.path(), &["a", "b"]).await);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_runs_in_the_background_ends_with_its_hook() {
    let folder = TempDir::new().unwrap();
    for redirected in ["", ">/dev/null 2>&1"] {
        let script = format!("sleep 60 {redirected} & echo $! > a; echo '{{\"A\": 1}}'");
        let (given, took) = run(&shell(folder.path(), &script)).await;
        assert_eq!(given.map(Value::Object), Ok(json!({"A": 1})));
        assert!(took < SOON, "{took:?}");
        assert!(gone(folder.path(), &["a"]).await, "{redirected}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_that_left_the_group_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    // The process ends by itself, so that this test leaves none behind.
    let script = "setsid sleep 8 & echo '{\"A\": 1}'; echo said >&2";
    let (given, took) = run(&shell(folder.path(), script)).await;
    assert_eq!(given.map(Value::Object), Ok(json!({"A": 1})));
    assert!(took < SOON, "{took:?}");

    let mut command = shell(folder.path(), "setsid sleep 8 & echo said >&2; sleep 60");
    command.launch.timeout = Duration::from_millis(200);
    let (given, took) = run(&command).await;
    assert!(given.unwrap_err().ends_with("its stderr ends:\n  said"));
    assert!(took < SOON, "{took:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn output_of_a_process_that_outlives_the_hook_a_little_still_counts() {
    let folder = TempDir::new().unwrap();
    let (given, _) = run(&shell(folder.path(), "(sleep 0.02; echo '{\"A\": 1}') &")).await;
    assert_eq!(given.map(Value::Object), Ok(json!({"A": 1})));
}

#[cfg(unix)]
#[tokio::test]
async fn eight_mebibytes_are_the_most() {
    let folder = TempDir::new().unwrap();
    let script = |bytes: usize| {
        // `{"A":"` and `"}` are the other eight bytes.
        let letters = bytes - 8;
        format!("printf '{{\"A\":\"'; head -c {letters} /dev/zero | tr '\\0' x; printf '\"}}'")
    };
    let (given, _) = run(&shell(folder.path(), &script(8 << 20))).await;
    assert_eq!(
        given.unwrap()["A"].as_str().map(str::len),
        Some((8 << 20) - 8)
    );
    let (given, _) = run(&shell(folder.path(), &script((8 << 20) + 1))).await;
    assert!(
        given
            .unwrap_err()
            .contains("printed more than 8 MiB to stdout: its stdout begins `{\"A\":\"***…`")
    );
    let (given, took) = run(&shell(folder.path(), "yes")).await;
    assert!(
        given
            .unwrap_err()
            .contains("printed more than 8 MiB to stdout: its stdout begins `y\\ny")
    );
    assert!(took < SOON, "{took:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn stderr_is_free_and_its_end_is_told() {
    let folder = TempDir::new().unwrap();
    let script = "seq 1 300000 >&2; echo '{}'";
    assert_eq!(run(&shell(folder.path(), script)).await.0, Ok(Map::new()));
    let (given, _) = run(&shell(folder.path(), "seq 1 300000 >&2; exit 1")).await;
    let lines: Vec<String> = (299_991..=300_000)
        .map(|line| format!("\n  {line}"))
        .collect();
    assert!(
        given
            .unwrap_err()
            .ends_with(&format!("exit code 1\nits stderr ends:{}", lines.concat()))
    );
}

/// An interrupt ends the program and its hook, and the report contains what finished.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_hook_and_the_reports_are_written() {
    use rustix::process::{Pid, Signal, kill_process};
    let first = "version: \"1.0\"\nname: first\nturns: [{ user: a }]\n";
    let second = "version: \"1.0\"\nname: second\nhooks: [{ cmd: [sh, -c, 'echo $$ > a; sleep 60 & echo $! > b; echo > c; wait'] }]\nturns: [{ user: a }]\n";
    let third = first.replace("first", "third");
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("1.test.yaml", first),
        ("2.test.yaml", second),
        ("3.test.yaml", &third),
    ]);
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(["run", "--junit", "report.xml"])
        .current_dir(project.folder())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !project.folder().join("c").exists() && started.elapsed() < SOON {
        std::thread::sleep(Duration::from_millis(5));
    }
    let number = i32::try_from(program.id())
        .ok()
        .and_then(Pid::from_raw)
        .expect("a process");
    kill_process(number, Signal::INT).unwrap();
    let output = program.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(started.elapsed() < 2 * SOON);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("3 tests: 1 passed, 2 skipped"), "{told}");
    let report = std::fs::read_to_string(project.folder().join("report.xml")).unwrap();
    for said in [
        "name=\"first\"",
        "not run to its end: the run was interrupted",
        "not run: the run was interrupted",
    ] {
        assert!(report.contains(said), "{report}");
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    assert!(runtime.block_on(gone(project.folder(), &["a", "b"])));
}

const CONFIG: &str = "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: \"${WORDS:-nothing}\" }] }] }\n";

#[cfg(unix)]
#[tokio::test]
async fn a_broken_hook_is_an_error_of_its_kind_and_sends_nothing() {
    let test = "version: \"1.0\"\nname: t\nhooks: [{ cmd: [sh, -c, 'exit 4'] }]\nturns: [{ user: a }, { user: b }]\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("t.test.yaml", test)]);
    let outcome = project.run().await.remove(0);
    assert_eq!(outcome.status(), Status::Error);
    assert_eq!(
        (
            outcome.transcript.turns.len(),
            outcome.transcript.turns_not_run,
            outcome.transcript.duration_us
        ),
        (0, 2, 0)
    );
    let problem = outcome.verdict.end().problem().unwrap();
    assert_eq!(problem.kind, ErrorKind::Hook);
    assert_eq!(problem.kind.as_str(), "hook");
    assert_eq!(
        problem.message,
        "hook 1 `[\"sh\", \"-c\", \"exit 4\"]` ended with exit code 4"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_undefined_after_the_hooks_is_an_error_of_the_set_up() {
    let test = "version: \"1.0\"\nname: t\nhooks: [{ cmd: [echo, '{\"A\": 1}'] }]\nturns: [{ user: \"${B}\" }]\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("t.test.yaml", test)]);
    let outcome = project.run().await.remove(0);
    assert_eq!(
        (
            outcome.status(),
            outcome.transcript.turns.len(),
            outcome.transcript.turns_not_run
        ),
        (Status::Error, 0, 1)
    );
    let problem = outcome.verdict.end().problem().unwrap();
    assert_eq!(problem.kind, ErrorKind::Setup);
    assert_eq!(
        problem.message,
        "t.test.yaml:4:18: error[undefined-variable]: the variable `B` is not defined"
    );
    assert_eq!(
        problem.help.as_deref(),
        Some("the hooks of this test gave `A`")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn hooks_run_once_a_test_and_cost_the_agent_nothing() {
    let test = |name: &str| {
        format!(
            "version: \"1.0\"\nname: {name}\nhooks: [{{ cmd: [sh, -c, 'echo run >> log; sleep 0.05'] }}]\nturns: [{{ user: a }}, {{ user: b }}]\nassert: {{ timing: {{ max_duration_ms: 1 }} }}\n"
        )
    };
    let (one, two) = (test("one"), test("two"));
    let project = Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("a.test.yaml", &one),
        ("b.test.yaml", &two),
    ]);
    let outcomes = project.run().await;
    assert!(
        outcomes.iter().all(
            |outcome| outcome.status() == Status::Passed && outcome.transcript.duration_us == 0
        )
    );
    assert_eq!(
        std::fs::read_to_string(project.folder().join("log")).unwrap(),
        "run\nrun\n"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn an_environment_that_is_no_text_reaches_programs_and_is_wrong_in_a_text() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt as _;

    let raw = || OsString::from_vec(b"caf\xe9".to_vec());
    let config =
        r#"{ version: "1.3", target: { type: scripted, rules: [{ do: [{ say: "${CODES}" }] }] } }"#;
    let script = r#"codes=$(printf %s "$RAW" | od -An -tx1 | tr -d ' \n'); printf '{"CODES": "%s"}' "$codes""#;
    let test = |user: &str| {
        let cmd = serde_json::json!(["sh", "-c", script]);
        let rules = r#"{ text: { contains: ["636166e9"] } }"#;
        format!(
            r#"{{ version: "1.3", name: raw, hooks: [{{ cmd: {cmd} }}], turns: [{{ user: "{user}", assert: {rules} }}] }}"#
        )
    };
    let project = |user: &str| {
        Project::new(&[
            ("ananke.config.yaml", config),
            ("one.test.yaml", &test(user)),
        ])
        .with_environment("PATH", "/usr/bin:/bin")
        .with_environment("RAW", raw())
    };
    let outcomes = project("Hello").run().await;
    assert_eq!(
        outcomes[0].status(),
        ananke::outcome::Status::Passed,
        "{:?}",
        outcomes[0]
    );
    let problems: Vec<String> = project("${ENV.RAW}")
        .plan()
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("the environment variable `RAW` is not valid UTF-8"),
        "{problems:?}"
    );
}
