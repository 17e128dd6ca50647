//! The fixes that problems offer, and `check --fix`, which applies them.

use ananke::plan::{Selection, fix};

use crate::support::project::Project;

const CONFIG: &str =
    "version: \"1.3\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";

/// What `check --fix` makes of a test file.
fn check(before: &str, after: &str) {
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", before)]);
    fix(
        &project.context(),
        &Selection {
            checks: true,
            ..Selection::default()
        },
    )
    .expect("the file can be written");
    let text =
        std::fs::read_to_string(project.folder().join("a.test.yaml")).expect("the file is there");
    assert_eq!(text, after);
}

#[test]
fn a_version_is_raised_and_nothing_else_changes() {
    let file = |version: &str| {
        format!(
            "\u{feff}# mine\r\nversion: {version} # old\r\nname: x\r\nturns: [{{ user: [{{ type: text, text: y }}] }}]\r\n"
        )
    };
    check(&file("'1.0'"), &file("'1.3'"));
    check(&file("1.0"), &file("1.3"));
    check(&file("\"1.3\""), &file("\"1.3\""));
    check("version: \"1.0\"\nname: [", "version: \"1.0\"\nname: [");
}

#[test]
fn a_mistyped_key_or_value_is_corrected_if_one_name_is_near() {
    let file = |key: &str, tools: &str, mode: &str| {
        format!(
            "version: \"1.3\"\nname: x\n{key}: [smoke]\nturns:\n  - user: Hi\n    assert:\n      tools: {{ {tools}: [pay] }}\n      sequence: {{ mode: {mode}, steps: [{{ call: pay }}] }}\n"
        )
    };
    check(
        &file("tgas", "\"requires\"", "in_ordr"),
        &file("tags", "\"require\"", "in_order"),
    );
}

#[test]
fn a_wrong_shape_is_written_as_what_it_means() {
    let file = |turns: &str| format!("version: \"1.3\"\nname: x\nturns:\n{turns}\n");
    for (wrong, right) in [
        ("  - Hi", "  - { user: Hi }"),
        ("  - user:\"Hi\"", "  - user: \"Hi\""),
        (
            "  - { user: Hi, timeout_ms: 30s }",
            "  - { user: Hi, timeout_ms: 30000 }",
        ),
        ("  - { user: 5 }", "  - { user: \"5\" }"),
        ("  - { user: \"${env.X}\" }", "  - { user: \"${ENV.X}\" }"),
        (
            "  - { user: Hi, assert: { tools: { forbid: [{ name: pay }] } } }",
            "  - { user: Hi, assert: { tools: { forbid: [pay] } } }",
        ),
        (
            "  - { user: Hi, assert: { tools: { require: [{ name: pay, args: '{\"to\":1}' }] } } }",
            "  - { user: Hi, assert: { tools: { require: [{ name: pay, args: {\"to\":1} }] } } }",
        ),
        (
            "  - { user: Hi, assert: { sequence: { mode: exact, steps: [pay, { says: a }] } } }",
            "  - { user: Hi, assert: { sequence: { mode: exact, steps: [{ call: pay }, { says: a }] } } }",
        ),
    ] {
        check(&file(wrong), &file(right));
        check(&file(right), &file(right));
    }
}

#[test]
fn what_is_not_certain_stays() {
    for stays in [
        // The key is there already.
        "version: \"1.3\"\nname: x\nnmae: y\nturns: [{ user: Hi }]\n",
        // Nothing is near.
        "version: \"1.3\"\nname: x\nsomething: y\nturns: [{ user: Hi }]\n",
        // It is written in an unusual way.
        "version: \"1.3\"\nname: x\nx-a: &a 5s\nturns: [{ user: Hi, timeout_ms: *a }]\n",
        // There is no such version.
        "version: 1.9\nname: x\nturns: [{ user: Hi }]\n",
    ] {
        check(stays, stays);
    }
    let first = "version: \"1.3\"\nnmae: x\nnaem: y\nturns: [{ user: Hi }]\n";
    check(first, &first.replace("nmae", "name"));
}

#[test]
fn a_case_file_is_never_rewritten() {
    let cases = "{\"id\": \"a\", \"input\": \"Hi\", \"expcted\": \"Hello\"}\n{\"id\": 5, \"input\": \"Hi\", \"timeout\": 30}\n";
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.jsonl", cases)]);
    let selection = Selection {
        checks: true,
        paths: vec!["a.jsonl".into()],
        ..Selection::default()
    };
    assert!(fix(&project.context(), &selection).is_ok_and(|fixed| fixed.done.is_empty()));
    let text =
        std::fs::read_to_string(project.folder().join("a.jsonl")).expect("the file is there");
    assert_eq!(text, cases);
}

#[test]
fn what_a_help_line_states_is_done_and_counted() {
    let file = |target: &str, args: &str, forbid: &str| {
        format!(
            "name: x\n{target}: default\nturns:\n  - user: Hi\n    assert: {{ tools: {{ require: [{{ name: pay, {args}: {{ to: 1 }} }}], forbid_calls: {forbid} }} }}\nnothing_near: 1\n"
        )
    };
    let before = file("agent", "arguments", "{ name: refund }");
    let project = Project::new(&[("ananke.config.yaml", CONFIG), ("a.test.yaml", &before)]);
    let selection = Selection {
        checks: true,
        ..Selection::default()
    };
    let fixed = fix(&project.context(), &selection).expect("the file can be written");
    assert_eq!((fixed.done.len(), fixed.left), (3, 1), "{fixed:?}");
    let text = std::fs::read_to_string(project.folder().join("a.test.yaml")).unwrap();
    assert_eq!(text, file("target", "args", "[{ name: refund }]"));
}

#[test]
fn a_command_line_is_a_list_of_words() {
    for (written, expected) in [
        (
            "python agent.py --port 80",
            Some("[python, agent.py, --port, \"80\"]"),
        ),
        ("python agent.py | tee log", None),
    ] {
        let config =
            |cmd: &str| format!("version: \"1.4\"\ntarget: {{ type: command, cmd: {cmd} }}\n");
        let project = Project::new(&[("ananke.config.yaml", &config(written))]);
        let selection = Selection {
            checks: true,
            ..Selection::default()
        };
        fix(&project.context(), &selection).expect("the file can be written");
        let text = std::fs::read_to_string(project.folder().join("ananke.config.yaml")).unwrap();
        assert_eq!(text, config(expected.unwrap_or(written)));
    }
}
