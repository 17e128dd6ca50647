//! A person at the terminal: answers, records a conversation, or leaves.

use rustix::process::{Pid, Signal, kill_process};

use super::{Keyboard, Terminal};
use crate::support::ignores_hangups;
use crate::support::project::Project;

const CUSTOMER_SERVICE: &str = r#"version: "1.3"
target:
  type: scripted
  rules:
    - when: { user: "^cancel" }
      do: [{ ask: "Which order?" }]
    - when: { user: "O-7" }
      do: [{ say: "Is that all?" }]
    - do: [{ say: "Goodbye." }]
"#;

/// A project with a test that asks a person.
fn interactive(keys: &str) -> Project {
    let test = format!(
        "version: \"1.3\"\nname: t\nturns: [{{ user: cancel it }}]\n{keys}\nassert: {{ text: {{ contains: Goodbye }} }}\n"
    );
    Project::new(&[
        ("ananke.config.yaml", CUSTOMER_SERVICE),
        ("a.test.yaml", &test),
    ])
}

pub(super) const UP: &str = "\u{1b}[A";

#[test]
fn a_person_answers_with_editing_and_history() {
    let project = interactive("interactive: { timeout_ms: 30000 }");
    let arguments = ["run", "-o", "report.json", "--record", "kept"];
    let (mut terminal, mut child) = Terminal::start(
        &project,
        &arguments,
        &[("TERM", "xterm")],
        Keyboard::Present,
    );
    terminal.read_until("agent:  Which order?");
    terminal.read_until("you:");
    terminal.types("\r");
    terminal.read_until("you:\nyou:");
    terminal.types(b"caf\xff");
    terminal.read_until("type the line again\nyou:");
    // An empty line is no answer; the last character is a mistake.
    terminal.types("It is O-78\u{7f}\r");
    terminal.read_until("agent:  Is that all?\nyou:");
    terminal.types(format!("{UP}\r"));
    while terminal
        .screen
        .text()
        .matches("agent:  Is that all?\nyou:")
        .count()
        < 2
    {
        assert!(terminal.read(), "{}", terminal.screen.text());
    }
    terminal.types("no thanks\r");
    terminal.read_to_end();
    assert_eq!(
        child.wait().unwrap().code(),
        Some(0),
        "{}",
        terminal.screen.text()
    );
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(project.folder().join("report.json")).unwrap())
            .unwrap();
    let turns = json["results"][0]["turns"].as_array().unwrap();
    let said: Vec<_> = turns
        .iter()
        .map(|turn| (&turn["input"], &turn["input_source"]))
        .collect();
    let said = serde_json::to_value(said).unwrap();
    let expected = serde_json::json!([
        ["cancel it", "static"],
        ["It is O-7", "human"],
        ["It is O-7", "human"],
        ["no thanks", "human"]
    ]);
    assert_eq!(said, expected);
    assert_eq!(turns[0]["awaiting"]["reason"], "agent_declared");
    assert_eq!(turns[1]["awaiting"]["reason"], "content_is_question");
    assert_eq!(turns[3]["awaiting_input"], false);

    // A recording holds what was typed: its replay asks nobody, with and without a terminal.
    let arguments = ["run", "--replay", "kept"];
    for keyboard in [Keyboard::Present, Keyboard::Missing] {
        let (mut terminal, mut child) =
            Terminal::start(&project, &arguments, &[("TERM", "xterm")], keyboard);
        terminal.read_to_end();
        assert_eq!(
            child.wait().unwrap().code(),
            Some(0),
            "{}",
            terminal.screen.text()
        );
        assert!(
            !terminal.screen.text().contains("you:"),
            "{}",
            terminal.screen.text()
        );
    }
}

#[test]
fn a_person_records_a_conversation() {
    let project = interactive("");
    let arguments = ["record", "-o", "cancel.test.yaml"];
    let (mut terminal, mut child) = Terminal::start(
        &project,
        &arguments,
        &[("TERM", "xterm")],
        Keyboard::Present,
    );
    terminal.read_until("Ctrl-C ends it and writes nothing");
    terminal.read_until("you:");
    terminal.types("\r");
    terminal.read_until("you:\nyou:");
    terminal.types("cancel it\r");
    terminal.read_until("agent:  Which order?\nyou:");
    terminal.types("\u{4}");
    terminal.read_to_end();
    assert_eq!(
        child.wait().unwrap().code(),
        Some(0),
        "{}",
        terminal.screen.text()
    );
    assert!(
        terminal
            .screen
            .text()
            .contains("wrote cancel.test.yaml: 1 turn"),
        "{}",
        terminal.screen.text()
    );
    assert!(terminal.screen.is_itself());

    let arguments = ["record", "-o", "never.test.yaml"];
    let (mut terminal, mut child) = Terminal::start(
        &project,
        &arguments,
        &[("TERM", "xterm")],
        Keyboard::Present,
    );
    terminal.read_until("you:");
    terminal.types("cancel it\r");
    terminal.read_until("agent:  Which order?\nyou:");
    terminal.types("\u{3}");
    terminal.read_to_end();
    assert_eq!(
        child.wait().unwrap().code(),
        Some(130),
        "{}",
        terminal.screen.text()
    );
    assert!(!project.folder().join("never.test.yaml").exists());
}

#[test]
fn a_person_who_does_not_answer_is_missing_input() {
    for (keys, arguments, typed, code, reason) in [
        (
            "interactive: true",
            &["run"][..],
            "\u{4}",
            1,
            "the input of the terminal has ended",
        ),
        (
            "interactive: { timeout_ms: 50 }",
            &["run"],
            "",
            1,
            "the person did not answer within 50 ms",
        ),
        (
            "interactive: true\non_missing_input: fail",
            &["run"],
            "\u{4}",
            1,
            "the input of the terminal has ended",
        ),
        (
            "interactive: true",
            &["run", "--skip-interactive"],
            "",
            0,
            "`--skip-interactive` asks no person",
        ),
        (
            "",
            &["run", "--interactive", "--on-missing-input", "fail"],
            "\u{4}",
            1,
            "the input of the terminal has ended",
        ),
        (
            "interactive: false",
            &["run", "--interactive"],
            "\u{4}",
            1,
            "the input of the terminal has ended",
        ),
    ] {
        let project = interactive(keys);
        let arguments = [arguments, &["-o", "report.json"]].concat();
        let (mut terminal, mut child) = Terminal::start(
            &project,
            &arguments,
            &[("TERM", "xterm")],
            Keyboard::Present,
        );
        if !typed.is_empty() {
            terminal.read_until("you:");
            terminal.types(typed);
        }
        terminal.read_to_end();
        assert_eq!(
            child.wait().unwrap().code(),
            Some(code),
            "{keys}: {}",
            terminal.screen.text()
        );
        let json = std::fs::read_to_string(project.folder().join("report.json")).unwrap();
        assert!(json.contains(reason), "{keys}: {json}");
        assert!(terminal.screen.is_itself());
    }
}

#[test]
fn ctrl_c_at_a_question_and_a_terminal_that_is_closed_stop_the_run() {
    let ways: &[&str] = if ignores_hangups() {
        &["\u{3}"]
    } else {
        &["\u{3}", ""]
    };
    for keys in ways {
        let project = interactive("interactive: { timeout_ms: 30000 }");
        let arguments = ["run", "-o", "report.json"];
        let (mut terminal, mut child) = Terminal::start(
            &project,
            &arguments,
            &[("TERM", "xterm")],
            Keyboard::Present,
        );
        terminal.read_until("you:");
        if keys.is_empty() {
            drop(terminal);
            kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
        } else {
            terminal.types(keys);
            terminal.read_to_end();
        }
        let code = child.wait().unwrap().code();
        let json = std::fs::read_to_string(project.folder().join("report.json")).unwrap();
        assert!(json.contains("the run was interrupted"), "{keys:?}: {json}");
        assert_eq!(code, Some(130));
    }
}
