//! What people have of the conversations of their agents, as the software wrote it (tests/captures/traces/README.md): each file
//! is read as the conversation that it is of, and no prohibition passes on it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ananke::context::Context;
use ananke::observed::ObservedConversation;
use ananke::plan::Selection;
use ananke::trace::{Change, Fact, ResultContent};
use ananke::verify::{TraceContext, trace_format};
use futures_util::FutureExt as _;

use crate::support::project::Project;

/// The beginnings of the names of files of spans; all others are lists of messages.
const SPANS: [&str; 5] = ["otlp-", "jaeger-", "tempo-", "console-", "langfuse-"];

/// The facts that a conversation may lack.
const FACTS: [Fact; 7] = [
    Fact::Calls,
    Fact::Arguments,
    Fact::Results,
    Fact::CallEnds,
    Fact::Text,
    Fact::UserText,
    Fact::Usage,
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/traces")
}

/// The names of the files, in order.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("the directory of the captures");
    let mut names: Vec<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .filter(|name| {
            let ending = std::path::Path::new(name).extension();
            ending.is_some_and(|ending| ending == "json" || ending == "jsonl")
        })
        .collect();
    names.sort();
    names
}

fn format_of(name: &str) -> &'static str {
    if SPANS.iter().any(|beginning| name.starts_with(beginning)) {
        "otel"
    } else {
        "openai"
    }
}

/// What was said and done, a line for each, and the facts that are not shown.
fn summary(conversation: &ObservedConversation) -> String {
    let mut lines = String::new();
    let missing: Vec<&str> = FACTS
        .into_iter()
        .filter(|fact| !conversation.shown.has(*fact))
        .map(Fact::words)
        .collect();
    if !missing.is_empty() {
        writeln!(lines, "  not shown: {}", missing.join(", ")).unwrap();
    }
    let mut names = HashMap::new();
    let mut tokens = (0, 0);
    for turn in &conversation.turns {
        let said = turn.input.describe();
        writeln!(lines, "  user      {said}").unwrap();
        for timed in &turn.changes {
            match &timed.change {
                Change::MessageText { delta, .. } => {
                    writeln!(lines, "  agent     {delta:?}").unwrap();
                }
                Change::Reasoning { delta, .. } => {
                    writeln!(lines, "  reasoning {delta:?}").unwrap();
                }
                Change::CallOpened { id, name, .. } => {
                    names.insert(id.clone().into_owned(), names.len() + 1);
                    write!(lines, "  call {}    {name}", names[&**id]).unwrap();
                }
                Change::CallArgs { delta, .. } => writeln!(lines, "({delta})").unwrap(),
                Change::CallAnswered {
                    id,
                    result,
                    is_error,
                } => {
                    let end = match is_error {
                        Some(true) => " (failed)",
                        Some(false) => "",
                        None => " (it is not known whether it failed)",
                    };
                    let result = match result {
                        ResultContent::Text(text) => format!("{text:?}"),
                        ResultContent::Json(value) => value.to_string(),
                        other @ ResultContent::Structured { .. } => format!("{other:?}"),
                    };
                    writeln!(lines, "  result {}  {result}{end}", names[&**id]).unwrap();
                }
                Change::Usage { usage, .. } => {
                    tokens.0 += usage.input.counted;
                    tokens.1 += usage.output.counted;
                }
                Change::Unread(unread) => {
                    writeln!(lines, "  unread    {}: {}", unread.name, unread.detail).unwrap();
                }
                Change::Warning(words) => writeln!(lines, "  warning   {words}").unwrap(),
                _ => {}
            }
        }
    }
    if tokens != (0, 0) {
        writeln!(lines, "  tokens    {} in, {} out", tokens.0, tokens.1).unwrap();
    }
    for words in &conversation.warnings {
        writeln!(lines, "  warning   {words}").unwrap();
    }
    lines
}

#[test]
fn each_captured_trace_is_read_as_the_conversation_that_it_is_of() {
    let mut read = String::new();
    for name in names() {
        let context = TraceContext {
            context: Context::isolated(folder()),
            selection: Selection::default(),
        };
        let format = trace_format(format_of(&name)).expect("a format");
        let file = format
            .open(&folder().join(&name), &name, &context)
            .unwrap_or_else(|error| panic!("{name}: {}", error.message));
        writeln!(read, "{name}").unwrap();
        let ids = file.ids();
        for index in 0..ids.len() {
            let conversation = file.conversation(index).now_or_never().expect("no wait");
            let conversation = conversation.unwrap_or_else(|problem| panic!("{name}: {problem:?}"));
            if ids.len() > 1 {
                writeln!(read, "  conversation {}", index + 1).unwrap();
            }
            read += &summary(&conversation);
        }
    }
    let path = folder().join("conversations.txt");
    if super::schema::update() {
        std::fs::write(&path, &read).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the conversations");
    assert!(
        read == expected,
        "{} is not what is read: look at the difference after `ANANKE_UPDATE=1 cargo test`",
        path.display()
    );
}

#[test]
fn no_prohibition_of_the_call_passes_on_a_captured_trace() {
    let rules = "version: \"1.4\"\n\
                 tests:\n\
                 - { name: tool, turns: [{ user: x }], assert: { tools: { forbid: [get_weather] } } }\n\
                 - { name: arguments, turns: [{ user: x }], assert: { tools: { forbid_calls: [{ name: get_weather, args_match: { city: Paris|Lima } }] } } }\n";
    let project = Project::new(&[("rules.yaml", rules)]);
    for format in ["otel", "openai"] {
        let names = names();
        let names = names.iter().filter(|name| format_of(name) == format);
        let output = Command::new(env!("CARGO_BIN_EXE_ananke"))
            .arg("verify")
            .args(names.map(|name| folder().join(name)))
            .args(["--from", format, "--rules", "rules.yaml", "-o", "out.tap"])
            .current_dir(project.folder())
            .env_clear()
            .output()
            .expect("the program can be started");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let tap = std::fs::read_to_string(project.folder().join("out.tap")).expect("a report");
        let passed: Vec<&str> = tap.lines().filter(|line| line.starts_with("ok ")).collect();
        assert!(passed.is_empty(), "{}", passed.join("\n"));
        assert!(
            tap.lines()
                .filter(|line| line.starts_with("not ok "))
                .count()
                >= 50
        );
    }
}
