//! What the config says about every run, tested from outside.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::project::Project;

const TEST: &str =
    "version: \"1.0\"\nname: a\nturns: [{ user: hi, assert: { text: { must_match: hello } } }]\n";

fn project(reports: &str) -> Project {
    let config = format!(
        "version: \"1.3\"\nreports: {reports}\nvars: {{ KIND: junit }}\n\
         target: {{ type: scripted, rules: [{{ do: [{{ say: hello }}] }}] }}\n"
    );
    Project::new(&[("ananke.config.yaml", &config), ("below/a.test.yaml", TEST)])
}

/// What a run in the directory `below` writes to these files of the project.
fn written(project: &Project, arguments: &[&str], files: &[&str]) -> Vec<Option<String>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ananke"));
    let command = command
        .current_dir(project.folder().join("below"))
        .env_clear()
        .args(arguments);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    files
        .iter()
        .map(|file| std::fs::read_to_string(project.folder().join(file)).ok())
        .collect()
}

#[test]
fn reports_of_the_config_are_written_beside_those_of_the_command_line() {
    let project = project("[\"reports/${KIND}.xml\", all.jsonl]");
    let files = ["reports/junit.xml", "all.jsonl", "below/own.json"];
    let [junit, lines, own] = written(&project, &["run", "-o", "own.json"], &files)
        .try_into()
        .unwrap();
    assert!(junit.is_some_and(|text| text.contains("<testsuites")));
    assert_eq!(lines.map(|text| text.lines().count()), Some(2));
    assert!(own.is_some_and(|text| text.contains("\"results\"")));
}

#[test]
fn a_format_is_named_where_the_extension_does_not_say_it() {
    let project = project(
        "[{ path: \"${KIND}.out\", format: junit }, { path: lines.json, format: jsonl }, { path: a.tap }]",
    );
    let files = ["junit.out", "lines.json", "a.tap"];
    let [junit, lines, tap] = written(&project, &["run"], &files).try_into().unwrap();
    assert!(junit.is_some_and(|text| text.contains("<testsuites")));
    assert_eq!(
        lines.map(|text| text.lines().count()),
        Some(2),
        "the format wins over the extension"
    );
    assert!(tap.is_some_and(|text| text.starts_with("TAP version 14")));
}

#[test]
fn a_report_without_a_known_format_is_a_problem() {
    let project = project("[report.txt, { path: report }]");
    let found = project.plan().problems;
    let told: Vec<_> = found
        .iter()
        .map(|problem| (problem.message.as_str(), problem.help.join("\n")))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for (message, help) in told {
        assert_eq!(message, "the file extension does not name a report format");
        assert!(
            help.contains("`.xml` (JUnit)")
                && help.contains("`format`")
                && help.contains("`junit`"),
            "{help}"
        );
    }
    let [problem] = &problems("reports: [{ path: a, format: word }]\n")[..] else {
        panic!("one problem")
    };
    assert!(problem.contains("word"), "{problem}");
}

#[test]
fn what_runs_nothing_writes_no_report() {
    let project = project("[all.jsonl]");
    for arguments in [&["check"][..], &["list"], &["run", "--dry-run"]] {
        assert_eq!(
            written(&project, arguments, &["all.jsonl"]),
            [None],
            "{arguments:?}"
        );
    }
}

/// The problems of a config with a target and these lines.
fn problems(lines: &str) -> Vec<String> {
    let config = format!("version: \"1.3\"\ntarget: {{ type: scripted, rules: [] }}\n{lines}");
    let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)]);
    project
        .plan()
        .problems
        .iter()
        .map(|problem| problem.message.clone())
        .collect()
}

#[test]
fn a_long_way_is_refused_and_a_broad_one_is_walked_once() {
    let mut targets = "targets:\n  t0: { extends: default }\n".to_owned();
    let mut assertions = "assertions:\n  a0: { tools: { forbid: [x] } }\n".to_owned();
    for (number, before) in (1..=32).zip(0..) {
        let _ = writeln!(targets, "  t{number}: {{ extends: t{before} }}");
        let _ = writeln!(
            assertions,
            "  a{number}: {{ extends: [a{before}, a{before}] }}"
        );
    }
    let user = "  u: { extends: default, assert: { extends: [a31] } }\n";
    assert_eq!(
        problems(&format!("{targets}{user}{assertions}")),
        [
            "more than 32 targets extend each other",
            "more than 32 targets extend each other"
        ]
    );
    let user = "targets:\n  u: { extends: default, assert: { extends: [a32] } }\n";
    // Reported at both words of the block that is wrong.
    let refused = "more than 32 blocks of assertions extend each other";
    assert_eq!(problems(&format!("{user}{assertions}")), [refused, refused]);
}

/// A typo in a target that extends another: the keys that are offered are those of the other's protocol.
#[test]
fn a_key_has_one_name_in_a_target_and_in_one_that_extends_it() {
    let server = "type: command, cmd: [serve]";
    for (target, other) in [
        ("type: command, cmd: [serve], command: [other]", server),
        (server, "extends: default, command: [serve], cmd: [other]"),
    ] {
        let config = format!(
            "version: \"1.4\"\ntarget: {{ {target} }}\ntargets: {{ other: {{ {other} }} }}\n"
        );
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)]);
        let problems = project.plan().problems;
        assert!(
            matches!(problems.as_slice(), [problem] if problem.to_string().contains(
                "error[duplicate-key]: `command` and `cmd` are the same key"
            )),
            "{problems:?}"
        );
    }
}

#[test]
fn an_unknown_key_of_an_extending_target_offers_the_keys_it_can_have() {
    let helps = |kind: &str, key: &str| {
        let config = format!(
            "version: \"1.3\"\ntarget: {{ {kind} }}\ntargets:\n  other: {{ extends: default, {key}: [] }}\n"
        );
        let project = Project::new(&[("ananke.config.yaml", &config), ("a.test.yaml", TEST)]);
        let problems = project.plan().problems;
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert_eq!(
            problem.to_string().split(": ").nth(1),
            Some("error[unknown-key]"),
            "{problem}"
        );
        (problem.help.join("; "), problem.fixes.len())
    };
    let scripted = "type: scripted, rules: []";
    let agui = "type: agui, agentId: shop, endpoint: \"http://127.0.0.1:1\"";
    assert_eq!(
        helps(scripted, "rulse"),
        // `roles`, of another protocol, is nearly as near.
        ("did you mean `rules`?".to_owned(), 0)
    );
    assert_eq!(
        helps(scripted, "agentid"),
        ("did you mean `agentId`?".to_owned(), 1)
    );
    let (help, fixes) = helps(agui, "rulse");
    assert!(
        help.contains("`endpoint`") && !help.contains("`rules`") && fixes == 0,
        "{help}"
    );
    let (help, fixes) = helps(scripted, "endpont");
    assert!(
        help.contains("`rules`") && !help.contains("`endpoint`") && fixes == 0,
        "{help}"
    );
}
