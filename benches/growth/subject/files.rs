//! Projects with many files, tests, rows, runs and settings.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::conversations::SAID;
use super::{Files, event, lines, program, remote, shop, test, written};

pub(super) fn files(count: usize) -> Files {
    let file = |number| {
        let text = format!(
            "version: \"1.3\"\nname: order {number}\nturns:\n  - user: \"Where is order {number}?\"\n    assert: {{ tools: {{ require: [{{ name: find_order }}] }}, text: {{ must_match: \"O-[0-9]+\" }} }}\n"
        );
        (format!("number-{number}.test.yaml"), text)
    };
    [shop()].into_iter().chain((0..count).map(file)).collect()
}

const ROWS: &str = "cases: rows.jsonl\nturns:\n  - user: \"Where is ${ORDER}?\"\n    assert: { tools: { require: [{ name: find_order }] }, text: { contains: \"O-7\" } }\n";

pub(super) fn rows(count: usize) -> Files {
    let rows = lines(count, |number| {
        format!("{{\"id\":\"row-{number}\",\"ORDER\":\"order {number}\"}}")
    });
    vec![shop(), test(ROWS), ("rows.jsonl".to_owned(), rows)]
}

/// Each row has a token of its own, which must be masked.
pub(super) fn secrets(count: usize) -> Files {
    let (name, config) = shop();
    let config = config.replace(
        "type: scripted",
        "type: scripted\n  headers: { authorization: \"Bearer ${TOKEN}\" }",
    );
    let row = |number| {
        format!(
            "{{\"id\":\"row-{number}\",\"ORDER\":\"o-{number}\",\"TOKEN\":\"tok-{number:08}-{number:x}-secret\"}}"
        )
    };
    vec![
        (name, config),
        test(ROWS),
        ("rows.jsonl".to_owned(), lines(count, row)),
    ]
}

/// Many tests in one file.
pub(super) fn tests(count: usize) -> Files {
    let tests = lines(count, |number| {
        format!(
            "  - {{ name: order {number}, turns: [{{ user: \"hello {number}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}] }}"
        )
    });
    vec![
        shop(),
        (
            "many.test.yaml".to_owned(),
            format!("version: \"1.3\"\ntests:\n{tests}"),
        ),
    ]
}

pub(super) fn variables(count: usize) -> Files {
    let variables = lines(count, |number| {
        format!("  VALUE_{number}: \"value {number}\"")
    });
    let text = (0..count).fold(String::new(), |text, number| {
        format!("{text}${{VALUE_{number}}} ")
    });
    let turns =
        format!("turns: [{{ user: \"{text}\", assert: {{ text: {{ contains: \"O-7\" }} }} }}]\n");
    vec![shop(), test(&format!("vars:\n{variables}{turns}"))]
}

/// Every test is in quarantine, by an entry of its own.
pub(super) fn quarantine(count: usize) -> Files {
    let mut files = files(count);
    let entry = |number| {
        format!(
            "  - {{ test: \"number-{number}.test.yaml::order {number}\", owner: shop, expires: 2999-12-31, reason: known }}"
        )
    };
    let _ = write!(files[0].1, "quarantine:\n{}", lines(count, entry));
    files
}

pub(super) fn failing_tests(count: usize) -> Files {
    files(count)
        .into_iter()
        .map(|(name, text)| (name, text.replace("name: find_order", "name: refund")))
        .collect()
}

/// Mistakes in one file.
pub(super) fn problems(count: usize) -> Files {
    let turns = lines(count, |number| {
        format!("  - {{ user: \"${{NOBODY_{number}}}\", usr: {number} }}")
    });
    vec![shop(), test(&format!("turns:\n{turns}"))]
}

pub(super) fn broken_files(count: usize) -> Files {
    files(count)
        .into_iter()
        .map(|(name, text)| (name, text.replace("  - user:", "  - usr:")))
        .collect()
}

/// Attachments of one message, each a text in the test.
pub(super) fn attachments(count: usize) -> Files {
    let attached = lines(count, |_| {
        "      - { type: document, source: \"data:text/plain;base64,aGVsbG8=\" }".to_owned()
    });
    vec![
        shop(),
        test(&format!(
            "turns:\n  - user: hello\n    attachments:\n{attached}    assert: {{ text: {{ contains: \"O-7\" }} }}\n"
        )),
    ]
}

pub(super) fn targets(count: usize) -> Files {
    let (name, config) = shop();
    let others = lines(count, |number| {
        format!("  target-{number}: {{ extends: default, agentId: agent-{number} }}")
    });
    let (file, content) = files(1).swap_remove(1);
    vec![
        (name, format!("{config}targets:\n{others}")),
        (file, content),
    ]
}

/// Targets, each of which extends the one before it; 32 may.
pub(super) fn extends_depth(count: usize) -> Files {
    let (name, config) = shop();
    let others = lines(count, |number| {
        let before = number
            .checked_sub(1)
            .map_or_else(|| "default".to_owned(), |before| format!("target-{before}"));
        format!("  target-{number}: {{ extends: {before}, agentId: agent-{number} }}")
    });
    let (file, content) = files(1).swap_remove(1);
    let last = format!("target: target-{}\n", count - 1);
    vec![
        (name, format!("{config}targets:\n{others}")),
        (file, content.replacen("turns:", &(last + "turns:"), 1)),
    ]
}

/// Runs the program in `folder`, where it must succeed.
fn run_in(folder: &TempDir, arguments: &[&str]) {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(folder.path());
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.expect("the program can be started");
    assert!(status.success(), "{arguments:?} ended with {status}");
}

/// The parts of so many machines, each of ten tests.
pub(super) fn shards(count: usize) -> Files {
    let tests = tests(10 * count);
    let folder = written(&tests);
    let part = |number: usize| {
        let (shard, name) = (format!("{}/{count}", number + 1), part_name(number));
        run_in(&folder, &["run", "--quiet", "--shard", &shard, "-o", &name]);
        let text = std::fs::read_to_string(folder.path().join(&name));
        (name, text.expect("the program wrote the part"))
    };
    let parts: Files = (0..count).map(part).collect();
    tests.into_iter().chain(parts).collect()
}

pub(super) fn part_name(number: usize) -> String {
    format!("part-{number}.json")
}

/// Copies of one kept run, and a project whose answers are in it.
pub(super) fn kept_runs(count: usize) -> Files {
    let said = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    let (name, config) = remote(&(said + "\n"));
    let config = config.replacen("1.3", "1.4", 1) + "run: { keep: 1000 }\n";
    let files = vec![(name, config), test(SAID)];
    let folder = written(&files);
    run_in(&folder, &["run", "--quiet"]);
    let runs = std::fs::read_dir(folder.path().join(RUNS)).expect("a run was kept");
    let kept = runs.flatten().next().expect("a run was kept");
    let text = std::fs::read_to_string(kept.path()).expect("a kept run is a text");
    let copies = (0..count).map(|number| (format!("{RUNS}/{number:015}-1.jsonl"), text.clone()));
    files.into_iter().chain(copies).collect()
}

/// The directory of kept runs in a project.
const RUNS: &str = ".ananke/runs";

/// Events of a type that no version of the protocol has.
pub(super) fn unread_entries(count: usize) -> Files {
    let said = event(
        "{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"role\":\"assistant\",\"delta\":\"word 7\"}",
    );
    let unknown = lines(count, |number| {
        event(&format!(
            "{{\"type\":\"WEATHER_{}\",\"number\":{number}}}",
            number % 100
        ))
    });
    let (name, text) =
        test("turns: [{ user: hello }]\nassert: { text: { contains: \"word 7\" } }\n");
    vec![remote(&(said + "\n" + &unknown)), (name, text)]
}
