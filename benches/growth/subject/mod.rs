//! What a project can have many of, and a project with so many of it.

mod conversations;
mod files;
mod rules;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::agent;
use crate::cost::{self, Cost};
use conversations::{
    calls, checkpoints, client_tools, declared_tools, history, interrupts, messages, origins,
    parallel_calls, pieces, state_patches, state_steps, turns, violations, walk_steps,
};
use files::{
    attachments, broken_files, extends_depth, failing_tests, files, kept_runs, part_name, problems,
    quarantine, rows, secrets, shards, targets, tests, unread_entries, variables,
};
use rules::{
    causes, causes_of_open_calls, findings, name_patterns, patterns, rules, rules_and_calls,
    rules_of_a_tool, rules_off,
};

/// Something that a project can have many of.
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// The smaller of the two counts that are compared.
    pub(crate) count: usize,
    write: fn(usize) -> Files,
    /// The program's arguments, and the exit code that it must end with.
    arguments: &'static [&'static str],
    code: i32,
}

/// Names and texts of files.
type Files = Vec<(String, String)>;

/// A project in a temporary directory.
pub(crate) struct Project<'a> {
    folder: TempDir,
    subject: &'a Subject,
    count: usize,
}

const RUN: &[&str] = &["run", "--quiet", "-o", "report.json", "-o", "junit.xml"];

/// The arguments of a merge, before the names of the parts.
const MERGE: &[&str] = &["report", "-o", "report.json", "-o", "junit.xml"];

/// A project with one of everything.
pub(crate) fn smallest() -> Subject {
    Subject {
        name: "",
        count: 1,
        write: files,
        arguments: RUN,
        code: 0,
    }
}

/// Everything that is measured.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<Subject> {
    let passing = |name, count, write| Subject {
        name,
        count,
        write,
        arguments: RUN,
        code: 0,
    };
    let failing = |name, count, write| Subject {
        name,
        count,
        write,
        arguments: RUN,
        code: 1,
    };
    let parallel: &[&str] = &["run", "--quiet", "--parallel", "8"];
    let list: &[&str] = &["list", "--json"];
    vec![
        passing("files", 500, files),
        Subject {
            arguments: list,
            ..passing("files, listed", 2000, files)
        },
        passing("rows", 1000, rows),
        Subject {
            arguments: parallel,
            ..passing("rows at once", 1000, rows)
        },
        passing("secrets", 200, secrets),
        passing("tests", 500, tests),
        passing("turns", 1500, turns),
        passing("calls", 5000, calls),
        passing("parallel calls", 5000, parallel_calls),
        passing("messages", 20000, messages),
        passing("pieces", 50000, pieces),
        passing("history", 5000, history),
        passing("rules", 800, rules),
        passing("rules of a tool", 800, rules_of_a_tool),
        passing("rules off", 1500, rules_off),
        Subject {
            arguments: &["check"],
            ..passing("name patterns", 100, name_patterns)
        },
        passing("rules x calls", 50, rules_and_calls),
        passing("patterns", 300, patterns),
        passing("variables", 3000, variables),
        passing("client tools", 1500, client_tools),
        passing("quarantine", 300, quarantine),
        failing("findings", 1000, findings),
        failing("failing tests", 500, failing_tests),
        Subject {
            arguments: &["check"],
            ..failing("problems", 1000, problems)
        },
        Subject {
            arguments: &["check"],
            ..failing("broken files", 300, broken_files)
        },
        passing("state steps", 300, state_steps),
        passing("state patches", 20000, state_patches),
        passing("violations", 50000, violations),
        passing("causes", 5000, causes),
        failing("causes of open calls", 5000, causes_of_open_calls),
        passing("origins", 5000, origins),
        passing("declared tools", 1500, declared_tools),
        passing("attachments", 300, attachments),
        passing("interrupts", 300, interrupts),
        passing("checkpoints", 300, checkpoints),
        passing("walk steps", 100, walk_steps),
        passing("targets", 500, targets),
        passing("extends depth", 3, extends_depth),
        Subject {
            arguments: MERGE,
            ..passing("shards", 20, shards)
        },
        Subject {
            arguments: &["run", "--quiet", "--again"],
            ..passing("kept runs", 100, kept_runs)
        },
        passing("unread entries", 20000, unread_entries),
    ]
}

impl Subject {
    /// A project with `count` of it.
    pub(crate) fn project(&self, count: usize) -> Project<'_> {
        Project {
            folder: written(&(self.write)(count)),
            subject: self,
            count,
        }
    }
}

impl Project<'_> {
    /// What the program costs in it.
    pub(crate) fn run(&self) -> Cost {
        let mut command = Command::new(program());
        command
            .args(self.subject.arguments)
            .current_dir(self.folder.path());
        if self.subject.arguments == MERGE {
            command.args((0..self.count).map(part_name));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        cost::of(&mut command, self.subject.code)
    }
}

/// The program that is measured.
fn program() -> PathBuf {
    let program = std::env::var_os("ANANKE").unwrap_or_else(|| env!("CARGO_BIN_EXE_ananke").into());
    std::path::absolute(program).expect("the program has a path")
}

/// A directory with these files.
fn written(files: &Files) -> TempDir {
    let folder = TempDir::new().expect("the temporary directory can be written");
    for (name, text) in files {
        let path = folder.path().join(name);
        let own = path.parent().expect("a file is in a directory");
        std::fs::create_dir_all(own).expect("the temporary directory can be written");
        std::fs::write(path, text).expect("the temporary directory can be written");
    }
    folder
}

/// One line for each number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut lines, number| {
        let _ = writeln!(lines, "{}", line(number));
        lines
    })
}

/// A config with an embedded agent that does this.
fn scripted(actions: &str) -> (String, String) {
    let text =
        format!("version: \"1.3\"\ntarget:\n  type: scripted\n  rules:\n    - do:\n{actions}");
    ("ananke.config.yaml".to_owned(), text)
}

/// An embedded agent that calls a tool and says something.
fn shop() -> (String, String) {
    scripted(concat!(
        "        - call: { tool: find_order, args: { receipt: R-1001 }, result: { order: O-7 } }\n",
        "        - say: \"Your order O-7 is on its way.\"\n",
    ))
}

/// An agent on this machine that responds with these events.
fn remote(events: &str) -> (String, String) {
    let started = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    let finished = "data: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    let url = agent::start(format!("{started}{events}{finished}").into_bytes());
    let text = format!(
        "version: \"1.3\"\ntarget: {{ type: agui, endpoint: \"{url}\", agentId: bench, timeout_ms: 120000 }}\n"
    );
    ("ananke.config.yaml".to_owned(), text)
}

/// The events of the call of this number.
fn call(number: usize) -> [String; 4] {
    [
        format!(
            "{{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c{number}\",\"toolCallName\":\"find\"}}"
        ),
        format!(
            "{{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c{number}\",\"delta\":\"{{\\\"id\\\":{number}}}\"}}"
        ),
        format!("{{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c{number}\"}}"),
        format!(
            "{{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"m{number}\",\"toolCallId\":\"c{number}\",\"content\":\"ok\"}}"
        ),
    ]
}

fn event(json: &str) -> String {
    format!("data: {json}\n")
}

/// The only test file.
fn test(text: &str) -> (String, String) {
    (
        "one.test.yaml".to_owned(),
        format!("version: \"1.3\"\nname: one\n{text}"),
    )
}
