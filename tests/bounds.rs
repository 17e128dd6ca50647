//! Whatever grows or repeats has a limit, and the limit is reported.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: hi }] }] }\n";

fn check(project: &Project) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ananke"))
        .arg("check")
        .current_dir(project.folder())
        .output()
        .unwrap()
}

/// The processor time and peak memory of processes.
#[cfg(target_os = "linux")]
#[path = "../benches/growth/cost.rs"]
#[allow(
    dead_code,
    clippy::disallowed_methods,
    reason = "a process is measured, and only its memory is of interest"
)]
mod cost;

#[cfg(target_os = "linux")]
#[path = "golden_cases/agent.rs"]
mod agent;

/// The peak memory in MiB of a test whose agent makes so many calls, each with these events, and the size of the response.
#[cfg(target_os = "linux")]
fn of_calls(count: usize, kinds: &[&str]) -> (f64, f64) {
    let events = (0..count).fold(String::new(), |mut events, number| {
        for (kind, more) in [
            ("START", "\"toolCallName\":\"find\"".to_owned()),
            ("ARGS", format!("\"delta\":\"{{\\\"id\\\":{number}}}\"")),
            ("END", "\"timestamp\":1".to_owned()),
            (
                "RESULT",
                format!("\"messageId\":\"m{number}\",\"content\":\"ok\""),
            ),
        ] {
            if !kinds.contains(&kind) {
                continue;
            }
            let event =
                format!("{{\"type\":\"TOOL_CALL_{kind}\",\"toolCallId\":\"c{number}\",{more}}}");
            let _ = write!(events, "data: {event}\n\n");
        }
        events
    });
    let run =
        |kind| format!("data: {{\"type\":\"RUN_{kind}\",\"threadId\":\"t\",\"runId\":\"r\"}}\n\n");
    let events = run("STARTED") + &events + &run("FINISHED");
    let size = events.len();
    let url = agent::start(events.into_bytes());
    let config = format!(
        "version: \"1.4\"\nrun: {{ keep: 0 }}\ntarget: {{ type: agui, endpoint: \"{url}\", agentId: shop, timeout_ms: 300000 }}\n"
    );
    let arguments = if kinds.contains(&"ARGS") {
        ", args_match: { id: \"^7$\" }"
    } else {
        ""
    };
    let test = format!(
        "version: \"1.3\"\nname: x\nturns: [{{ user: hi }}]\nassert: {{ tools: {{ require: [{{ name: find{arguments} }}] }} }}\n"
    );
    let project = Project::new(&[("ananke.config.yaml", &config), ("x.test.yaml", &test)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    // Arenas that a thread takes by chance are no memory of calls.
    command
        .args(["run", "--quiet"])
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(project.folder());
    #[expect(clippy::cast_precision_loss, reason = "a few MiB")]
    let size = size as f64 / f64::from(1 << 20);
    (cost::of(&mut command, 0).mebibytes, size)
}

/// Ids, arguments and results of a few bytes take no memory of their own, no rule keeps what it has parsed, and no
/// index by id keeps the ids a second time.
#[cfg(target_os = "linux")]
#[test]
fn a_response_of_tiny_calls_takes_a_bounded_multiple_of_its_size() {
    let shapes: [(&[&str], f64); 4] = [
        (&["START", "ARGS", "END", "RESULT"], 5.0),
        (&["START", "END", "RESULT"], 6.0),
        // Nothing but the calls themselves.
        (&["START", "END"], 7.0),
        // Calls that never end: each is open until the run ends, and breaks a rule of the protocol.
        (&["START"], 18.0),
    ];
    for (kinds, limit) in shapes {
        let (base, _) = of_calls(8, kinds);
        let (peak, size) = of_calls(40_000, kinds);
        let ratio = (peak - base) / size;
        assert!(
            ratio < limit,
            "{kinds:?} take {ratio:.1} times their size: {peak:.1} MiB for {size:.1} MiB, of which {base:.1} without them"
        );
    }
}

/// The peak memory in MiB of a test of a server of MCP with these keys, which ends with this error.
#[cfg(target_os = "linux")]
fn of_server(keys: &str, error: &str) -> f64 {
    let config = format!("version: \"1.3\"\ntarget: {{ type: mcp, protocol: legacy, {keys} }}\n");
    let test = "version: \"1.3\"\nname: x\nturns: [{ type: mcp:list }]\n";
    let project = Project::new(&[("ananke.config.yaml", &config), ("x.test.yaml", test)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    command
        .args(["run", "-o", "report.json"])
        .current_dir(project.folder());
    let peak = cost::of(&mut command, 1).mebibytes;
    let report = std::fs::read_to_string(project.folder().join("report.json")).unwrap();
    assert!(report.contains(error), "{keys}: {report}");
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_sends_100_mib_needs_no_more_memory_than_the_limit_of_a_message() {
    let program = |script: &str| format!("transport: stdio, command: [/bin/sh, -c, \"{script}\"]");
    let base = of_server(&program("exit 1"), "1");
    let mut answer = b"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"".to_vec();
    answer.resize(100 << 20, b'x');
    let url = agent::start(answer);
    for (keys, error) in [
        (
            program("read line; head -c 104857600 /dev/zero; read line"),
            "a line that is larger than 16 MiB",
        ),
        (
            format!("transport: http, endpoint: \"{url}\""),
            "a message is larger than 16 MiB",
        ),
    ] {
        let peak = of_server(&keys, error);
        // A kept run holds at most 32 MiB of an attempt.
        assert!(
            peak - base < 64.0 + 32.0,
            "{keys}: {peak:.1} MiB, and {base:.1} MiB without the answer"
        );
    }
}

/// Variables that are each `ten` times as long as the one before.
fn growing(ten: impl Fn(&str) -> String) -> String {
    let mut vars = "vars:\n  V0: \"0123456789\"\n".to_owned();
    for number in 1..10 {
        let _ = writeln!(
            vars,
            "  V{number}: {}",
            ten(&format!("${{V{}}}", number - 1))
        );
    }
    vars
}

#[test]
fn variables_that_grow_are_an_error() {
    let texts = growing(|before| format!("\"{}\"", before.repeat(10)));
    let lists = growing(|before| format!("[{}]", vec![format!("\"{before}\""); 10].join(", ")));
    let test = "version: \"1.3\"\nname: x\nturns: [{ user: \"${V9}\" }]\n";
    for vars in [&texts, &lists] {
        for project in [
            Project::new(&[
                ("ananke.config.yaml", CONFIG),
                ("x.test.yaml", &format!("{test}{vars}")),
            ]),
            Project::new(&[
                ("ananke.config.yaml", &format!("{CONFIG}{vars}")),
                ("x.test.yaml", test),
            ]),
        ] {
            let output = check(&project);
            let shown = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{shown}");
            assert_eq!(
                shown
                    .matches("variables insert more than 16 MiB here")
                    .count(),
                1,
                "{shown}"
            );
        }
    }
}

#[test]
fn a_hundred_problems_are_printed_and_the_rest_is_counted() {
    let tests: String = (0..5000).fold(
        "version: \"1.3\"\ntests:\n".to_owned(),
        |mut tests, number| {
            let _ = writeln!(
                tests,
                "  - {{ name: n{number}, turns: [{{ user: \"${{MISSING}}\" }}] }}"
            );
            tests
        },
    );
    let output = check(&Project::new(&[
        ("ananke.config.yaml", CONFIG),
        ("x.test.yaml", &tests),
    ]));
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert_eq!(
        shown.matches("error[undefined-variable]").count(),
        100,
        "{shown}"
    );
    let end: Vec<&str> = shown
        .lines()
        .filter(|line| !line.is_empty())
        .rev()
        .take(3)
        .collect();
    assert!(
        end[0].starts_with("For more: `ananke explain ") && end[1] == "5000 errors",
        "{end:?}"
    );
    assert!(end[2].starts_with("and 4"), "{end:?}");
}

#[test]
fn unknown_keys_of_one_mapping_are_counted_from_a_thousand_on() {
    let keys = (0..5000).fold(String::new(), |mut keys, number| {
        let _ = writeln!(keys, "key{number}: 1");
        keys
    });
    let test = format!("version: \"1.3\"\nname: x\nturns: [{{ user: hi }}]\n{keys}");
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("x.test.yaml", &test)]);
    let output = check(&project);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("\n1001 errors\n"), "{shown}");
}

#[test]
fn a_quote_that_nothing_closes_is_no_row_of_the_rest_of_the_file() {
    let test = "version: \"1.3\"\nname: x\ncases: rows.csv\nturns: [{ user: \"${A}\" }]\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("x.test.yaml", test)]);
    let rows = std::fs::File::create(project.folder().join("rows.csv")).unwrap();
    (&rows).write_all(b"A,B\n1,2\n3,\"open\n").unwrap();
    // A sparse file takes no space on the disk.
    rows.set_len(1 << 36).unwrap();
    let output = check(&project);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(
        shown.contains("rows.csv:3: the row is larger than 8 MiB"),
        "{shown}"
    );
    assert!(
        shown.contains("does a quote open in it that nothing closes?"),
        "{shown}"
    );
}

#[test]
fn a_hook_may_give_many_variables() {
    let entries = (0..500_000).fold(String::new(), |mut entries, number| {
        let _ = write!(entries, "\"V{number}\":1,");
        entries
    });
    let variables = format!("{{{entries}\"LAST\": \"there\"}}");
    let test = "version: \"1.3\"\nname: x\nhooks: [{ cmd: [cat, variables.json] }]\nturns: [{ user: \"${LAST}\" }]\n";
    let files = [
        ("ananke.config.yaml", CONFIG),
        ("x.test.yaml", test),
        ("variables.json", variables.as_str()),
    ];
    let project = Project::new(&files);
    let run = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .arg("run")
        .current_dir(project.folder())
        .output()
        .unwrap();
    assert_eq!(
        run.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
}
