//! What people write wrongly, as a table: each mistake with the code, the place and the remedy that a message gives.
//!
//! `mistakes.txt` has one mistake per line: the frame that it is put into, what is written (`⏎` begins a new line), the code,
//! line and column, and the first remedy. `ANANKE_UPDATE=1` writes the last three; read them.

use std::fmt::Write as _;

use ananke::diagnostic::Diagnostic;

use crate::support::project::Project;

const TABLE: &str = include_str!("mistakes.txt");

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hi }] }] }\n";
const TEST: &str =
    "version: \"1.3\"\nname: a\nturns: [{ user: hi, assert: { text: { contains: x } } }]\n";

/// The config and the test file with a mistake in its frame.
fn files(frame: &str, mistake: &str) -> (String, String) {
    let mistake = mistake.replace('⏎', "\n");
    let test = |text: String| (CONFIG.to_owned(), format!("version: \"1.3\"\n{text}\n"));
    let config = |text: String| (format!("version: \"1.3\"\n{text}\n"), TEST.to_owned());
    match frame {
        "assert" => test(format!(
            "name: a\nturns:\n  - user: hi\n    assert: {mistake}"
        )),
        "turn" => test(format!(
            "name: a\nassert: {{ text: {{ contains: x }} }}\nturns:\n  - {mistake}"
        )),
        "test" => test(format!(
            "name: a\nassert: {{ text: {{ contains: x }} }}\nturns: [{{ user: hi }}]\n{mistake}"
        )),
        "file" => (CONFIG.to_owned(), format!("{mistake}\n")),
        "server" => (
            "version: \"1.4\"\ntarget: { type: mcp, transport: stdio, command: [server] }\n"
                .to_owned(),
            format!("name: a\nturns:\n  - {mistake}\n"),
        ),
        "target" => config(format!("target: {mistake}")),
        "config" => config(format!(
            "target: {{ type: scripted, rules: [] }}\n{mistake}"
        )),
        other => panic!("unknown frame {other}"),
    }
}

fn problems(frame: &str, mistake: &str) -> Vec<Diagnostic> {
    if frame == "case" {
        let files = [("ananke.config.yaml", CONFIG), ("cases.jsonl", mistake)];
        return Project::new(&files).plan_of(&["cases.jsonl"]).problems;
    }
    let (config, test) = files(frame, mistake);
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", &test)])
        .with_environment("AGENT_URL", "http://127.0.0.1:9");
    project.plan().problems
}

/// The row of a mistake, as it is found now.
fn row(frame: &str, mistake: &str) -> String {
    let mut row = format!("{frame} ¦ {mistake}");
    let problems = problems(frame, mistake);
    for problem in &problems {
        let place = problem
            .place()
            .map(|place| format!("{}:{}", place.line, place.column));
        let help = problem.help.first().map_or("", String::as_str);
        let _ = write!(
            row,
            " ¦ {} ¦ {} ¦ {help}",
            problem.code,
            place.unwrap_or_default()
        );
    }
    row
}

#[test]
fn every_mistake_has_a_code_a_place_and_a_remedy() {
    let mut wrong = Vec::new();
    let mut text = String::new();
    let mut count = 0;
    for line in TABLE.lines() {
        let mut cells = line.split(" ¦ ");
        let (Some(frame), Some(mistake)) = (cells.next(), cells.next()) else {
            text += line;
            text.push('\n');
            continue;
        };
        count += 1;
        let found = row(frame, mistake);
        let cells: Vec<&str> = found.split(" ¦ ").collect();
        if cells.len() < 5 || cells.iter().any(|cell| cell.trim().is_empty()) {
            wrong.push(format!(
                "no problem, or one without a place or remedy: {found}"
            ));
        } else if found != line && !crate::schema::update() {
            wrong.push(format!("expected {line}\n   found {found}"));
        }
        text += &found;
        text.push('\n');
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 200, "only {count} mistakes");
    if crate::schema::update() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mistakes.txt");
        std::fs::write(file, text).expect("the file can be written");
    }
}
