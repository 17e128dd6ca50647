//! Files of promptfoo: recognised by every command, and converted to tests that have the verdicts that their author expects.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::project::Project;

/// Runs the program in a directory.
fn ananke(folder: &Path, arguments: &[&str]) -> Output {
    let program = Command::new(env!("CARGO_BIN_EXE_ananke"))
        .args(arguments)
        .current_dir(folder)
        .output();
    program.expect("the program can be started")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The id and the status of each test of a file that is converted in `name`, a directory of golden cases, and run with its
/// scripted agent.
fn verdicts(name: &str) -> Vec<String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/pass");
    let from = cases.join(name);
    let project = tempfile::tempdir().expect("a folder");
    let to = project.path().join("converted.test.yaml");
    let to = to.to_str().expect("UTF-8");
    let converted = ananke(&from, &["convert", "promptfooconfig.yaml", "-o", to]);
    assert!(converted.status.success(), "{}", stderr(&converted));
    std::fs::copy(
        from.join("ananke.config.yaml"),
        project.path().join("ananke.config.yaml"),
    )
    .expect("the config can be copied");
    let checked = ananke(project.path(), &["check"]);
    assert_eq!(stderr(&checked), "", "{name}");
    assert!(checked.status.success(), "{name}");
    let run = ananke(project.path(), &["run", "--json"]);
    let lines = String::from_utf8(run.stdout).expect("UTF-8");
    let lines = lines
        .lines()
        .map(|line| -> Value { serde_json::from_str(line).expect("JSON") });
    lines
        .filter_map(|line| {
            let id = line["id"].as_str()?.split_once("::")?.1.to_owned();
            Some(format!("{id}: {}", line["status"].as_str()?))
        })
        .collect()
}

#[test]
fn converted_files_pass_the_check_and_have_the_expected_verdicts() {
    for (name, expected) in [
        (
            "convert-promptfoo-prompt",
            &[
                "names the number of days: passed",
                // The agent says what a rule forbids, so that the judge is not asked.
                "is polite to somebody who is angry: failed",
                "refunds in words: passed",
                "has a length that a program checks: skipped",
            ][..],
        ),
        (
            "convert-promptfoo-providers",
            &[
                "test 1 (short)[1]: passed",
                "test 1 (short)[2]: failed",
                "test 2 (short): passed",
                "test 1 (prompts/translator.json)[1]: passed",
                "test 1 (prompts/translator.json)[2]: passed",
                "test 2 (prompts/translator.json): failed",
            ],
        ),
        (
            "convert-promptfoo-vars-in-files",
            &[
                "test 1 (prompts/ask.txt 1): passed",
                "test 2 (prompts/ask.txt 1): failed",
                "opening hours (prompts/ask.txt 1): passed",
                "test 4 (prompts/ask.txt 1): skipped",
                "a long text (prompts/ask.txt 1): passed",
                "test 6 (prompts/ask.txt 1): passed",
                "test 7 (prompts/ask.txt 1): skipped",
                "test 1 (prompts/ask.txt 2): passed",
                "test 2 (prompts/ask.txt 2): failed",
                "opening hours (prompts/ask.txt 2): passed",
                "test 4 (prompts/ask.txt 2): skipped",
                "a long text (prompts/ask.txt 2): passed",
                "test 6 (prompts/ask.txt 2): passed",
                "test 7 (prompts/ask.txt 2): skipped",
            ],
        ),
        (
            "convert-promptfoo-default-test",
            &[
                "tests 1 to 2[1]: passed",
                // JSON in a fenced block is not JSON alone.
                "tests 1 to 2[2]: failed",
                "test 3: passed",
                "test 4: skipped",
                "a set of which one is enough: passed",
            ],
        ),
        (
            "convert-promptfoo-scenarios",
            &[
                "says hello[1]: passed",
                "says hello[2]: failed",
                "says hello[3]: passed",
                "tests 4 to 6[1]: failed",
                "tests 4 to 6[2]: passed",
                "tests 4 to 6[3]: failed",
                "test 7: skipped",
            ],
        ),
    ] {
        assert_eq!(verdicts(name), expected, "{name}");
    }
}

/// A file of promptfoo, as short as people write it.
const PROMPTFOO: &str = "description: my evaluation\nprompts: [\"Hi {{name}}\"]\nproviders: [openai:gpt-4o-mini]\ntests:\n  - vars: { name: Ada }\n    assert: [{ type: contains, value: \"${x}(\" }]\n";

#[test]
fn every_command_recognises_a_file_of_promptfoo_in_one_sentence() {
    let config =
        "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";
    let with_config = Project::new(&[
        ("ananke.config.yaml", config),
        ("promptfooconfig.yaml", PROMPTFOO),
    ]);
    let without = tempfile::tempdir().expect("a folder");
    std::fs::write(without.path().join("promptfooconfig.yaml"), PROMPTFOO).expect("a file");
    for folder in [with_config.folder(), without.path()] {
        for arguments in [
            &["run", "promptfooconfig.yaml"][..],
            &["check", "promptfooconfig.yaml"],
            &["list", "promptfooconfig.yaml"],
            &["explain", "promptfooconfig.yaml"],
            &["check", "--config", "promptfooconfig.yaml"],
        ] {
            let output = ananke(folder, arguments);
            let stderr = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}");
            let command = "`ananke convert promptfooconfig.yaml -o promptfooconfig.test.yaml`";
            assert!(stderr.contains(command), "{arguments:?}: {stderr}");
            assert_eq!(
                stderr.matches("error[").count(),
                1,
                "{arguments:?}: {stderr}"
            );
            assert!(
                stderr.contains("error[promptfoo]"),
                "{arguments:?}: {stderr}"
            );
        }
    }
}

#[test]
fn a_variable_that_is_not_defined_where_it_is_used_skips_the_test() {
    let skip = "skip: a variable that it uses is not defined";
    for (test, is_skipped) in [
        (
            "{ vars: { q: a }, assert: [{ type: contains, value: \"{{x}}\" }] }",
            true,
        ),
        (
            "{ vars: { q: a }, assert: [{ type: contains, value: \"{{q}} ${x} {{env.X}}\" }] }",
            false,
        ),
        ("{ vars: { a: b, q: \"{{a}}\" } }", false),
        ("{ vars: { q: \"{{a}}\", a: b } }", true),
        ("{ vars: { a: [b, c], q: \"{{a}}\" } }", true),
        ("{ vars: { a: b, q: { r: [\"{{x.y}}\"] } } }", true),
    ] {
        let (stdout, stderr, code) = converted(&format!(
            "prompts: [\"{{{{q}}}}\"]\nproviders: [b]\ntests: [{test}]\n"
        ));
        assert_eq!(
            stdout.contains(skip),
            is_skipped,
            "{test}: {stdout}{stderr}"
        );
        assert_eq!(
            stderr.contains("not defined where it is used"),
            is_skipped,
            "{test}: {stderr}"
        );
        assert_eq!(code, Some(0));
    }
    // Two tests whose variables use each other stay two tests.
    let test = "{ vars: { a: b, q: \"{{a}}\" }, assert: [{ type: is-json }] }";
    let (stdout, _, _) = converted(&format!(
        "prompts: [\"{{{{q}}}}\"]\nproviders: [b]\ntests: [{test}, {test}]\n"
    ));
    assert!(
        stdout.contains("name: test 2") && !stdout.contains("cases:"),
        "{stdout}"
    );
}

#[test]
fn a_directory_with_a_file_of_promptfoo_and_no_config_has_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("promptfooconfig.yaml"), PROMPTFOO).expect("a file");
    let stderr = stderr(&ananke(folder.path(), &["run"]));
    assert!(
        stderr.contains("`ananke convert promptfooconfig.yaml`"),
        "{stderr}"
    );
}

#[test]
fn more_tests_than_fit_are_an_error_and_a_row_for_each_value_has_a_bound() {
    let list: Vec<String> = (0..400).map(|number| number.to_string()).collect();
    let values = list.join(", ");
    let test =
        |vars: &str| format!("prompts: [a]\nproviders: [b]\ntests: [{{ vars: {{ {vars} }} }}]\n");
    let (stdout, _, _) = converted(&test(&format!(
        "a: [{values}], b: [{values}], c: [{values}]"
    )));
    assert!(
        stdout.contains("skip: its variables have too many values"),
        "{stdout}"
    );
    let prompts = vec!["\"{{a}}\""; 300].join(", ");
    let file =
        test(&format!("a: [{values}]")).replace("prompts: [a]", &format!("prompts: [{prompts}]"));
    let (stdout, stderr, code) = converted(&file);
    assert!(
        stderr.contains("this is more than 100000 tests"),
        "{stderr}"
    );
    assert_eq!((stdout.as_str(), code), ("", Some(1)));
}

/// The tests that are written for a file, and what is reported.
fn converted(file: &str) -> (String, String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("promptfooconfig.yaml"), file).expect("a file");
    let output = ananke(folder.path(), &["convert", "promptfooconfig.yaml"]);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (stdout, stderr(&output), output.status.code())
}

/// A file with one test, of which this is the assertion.
fn with_assertion(assertion: &str) -> String {
    format!(
        "prompts: [\"{{{{q}}}}\"]\nproviders: [echo]\ntests: [{{ vars: {{ q: a }}, assert: [{assertion}] }}]\n"
    )
}

#[test]
fn an_assertion_is_converted_or_listed_and_a_test_without_any_is_skipped() {
    for (assertion, rule) in [
        ("{ type: equals, value: 5 }", "- equals: \"5\""),
        ("{ type: not-contains, value: a }", "not: true"),
        ("{ type: icontains, value: a+ }", "- match: \"(?i)a\\\\+\""),
        ("{ type: ends-with, value: b }", "- match: \"b$\""),
        (
            "{ type: starts-with, value: \"{{q}}.\" }",
            "- match: \"^${q}\\\\.\"",
        ),
        (
            "{ type: icontains-all, value: [a, b] }",
            "- match: \"(?i)b\"",
        ),
        (
            "{ type: contains-any, value: \"a, b\" }",
            "- match: \"a|b\"",
        ),
        (
            "{ type: not-icontains-any, value: [a, b] }",
            "- match: \"(?i)a|b\"",
        ),
        (
            "{ type: is-json, value: \"{type: object}\" }",
            "type: object",
        ),
        ("{ type: not-is-json }", "not: true"),
        ("{ type: llm-rubric, value: polite }", "criteria: polite"),
        ("{ type: not-llm-rubric, value: rude }", "not: true"),
        ("{ type: latency, threshold: 100 }", "max_duration_ms: 100"),
        (
            "{ type: contains, value: a, metric: tone }",
            "- contains: a",
        ),
    ] {
        let (stdout, stderr, code) = converted(&with_assertion(assertion));
        assert!(stdout.contains(rule), "{assertion}: {stdout}{stderr}");
        assert!(!stdout.contains("skip:"), "{assertion}: {stdout}");
        assert_eq!(code, Some(0), "{assertion}");
    }
    for assertion in [
        "{ type: contains }",
        "{ type: contains, value: \"\" }",
        "{ type: contains, value: [a] }",
        "{ type: contains, value: \"file://value.py\" }",
        "{ type: contains, value: \"{{ q | upper }}\" }",
        "{ type: contains, value: a, weight: 0 }",
        "{ type: contains, value: a, transform: output.x }",
        "{ type: contains-all, value: [] }",
        "{ type: not-contains-all, value: [a, b] }",
        "{ type: contains-any, value: '\"a, b\", c' }",
        "{ type: regex, value: \"(?=a)\" }",
        "{ type: regex, value: \"{{q}}\" }",
        "{ type: not-is-json, value: { type: object } }",
        "{ type: not-contains-json }",
        "{ type: is-json, value: [1] }",
        "{ type: latency }",
        "{ type: not-latency, threshold: 5 }",
        "{ type: cost, threshold: 0.1 }",
        "{ type: javascript, value: \"output.length\" }",
        "{ type: assert-set, threshold: 0.5, assert: [{ type: contains, value: a }] }",
        "{ type: something-new }",
        "{ value: a }",
        "5",
    ] {
        let (stdout, stderr, code) = converted(&with_assertion(assertion));
        let skip = "skip: none of its assertions could be converted";
        assert!(stdout.contains(skip), "{assertion}: {stdout}");
        assert!(
            stderr.contains(" is not converted\n --> promptfooconfig.yaml:3:"),
            "{assertion}: {stderr}"
        );
        assert!(
            stdout.contains("# - promptfooconfig.yaml:3: "),
            "{assertion}: {stdout}"
        );
        assert_eq!(code, Some(0), "{assertion}");
    }
}

#[test]
fn a_file_of_which_no_test_is_left_is_an_error() {
    for (file, message) in [
        (
            "prompts: [a.py]\nproviders: [b]\n",
            "contains no tests that can be converted",
        ),
        (
            "prompts: [\"{% if a %}b{% endif %}\"]\nproviders: [b]\n",
            "contains no tests",
        ),
        (
            "prompts: [a]\nproviders: [b]\ntests: []\n",
            "contains no tests",
        ),
        (
            "prompts: [a]\nproviders: [b]\ntests: tests.csv\n",
            "`tests.csv` cannot be read",
        ),
        (
            "prompts: [a]\nproviders: [b]\ntests: \"tests/*.yaml\"\n",
            "contains no tests",
        ),
        ("prompts: [\nproviders: [b]\n", "error[syntax]"),
        (
            "name: a\nturns: [{ user: b }]\n",
            "neither a case file nor a file of promptfoo",
        ),
        ("5\n", "neither a case file nor a file of promptfoo"),
    ] {
        let (stdout, stderr, code) = converted(file);
        assert!(stderr.contains(message), "{file}: {stderr}");
        assert_eq!((stdout.as_str(), code), ("", Some(1)), "{file}");
    }
}

#[test]
fn values_of_odd_shapes_are_listed_and_never_a_panic() {
    for part in [
        "tests: 5",
        "tests: [5, [], null]",
        "tests: [{ vars: 5, assert: 5 }]",
        "tests: [{ vars: [], assert: {} }]",
        "tests: [{ vars: { a: [] } }]",
        "tests: [{ vars: { \"a b\": c, TEST_X: d } }]",
        "tests: [{ vars: { a: { b: [\"{{x | y}}\"] } } }]",
        "tests: [{ options: 5, description: [a] }]",
        "defaultTest: 5",
        "defaultTest: [a]",
        "scenarios: 5",
        "scenarios: [{ config: 5, tests: 5 }, [], {}]",
        "assertionTemplates: { a: 5 }\ntests: [{ assert: [{ $ref: \"#/assertionTemplates/a\" }] }]",
        "description: \"a\\nversion: 5\\n\"\n\"odd\\nkey\": 1",
    ] {
        let file = format!("prompts: [\"a\"]\nproviders: [{{}}, 5, [], \"b\\nc\"]\n{part}\n");
        let (stdout, stderr, code) = converted(&file);
        assert!(matches!(code, Some(0 | 1)), "{part}: {stderr}");
        assert!(stderr.contains("promptfoo"), "{part}: {stderr}");
        if code == Some(0) {
            let config =
                "version: \"1.4\"\ntarget: { type: scripted, rules: [{ do: [{ say: Hello }] }] }\n";
            let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", &stdout)]);
            let errors: Vec<String> = project
                .plan()
                .problems
                .iter()
                .map(ToString::to_string)
                .collect();
            let is_valid = errors.iter().all(|problem| !problem.contains("error["));
            assert!(is_valid, "{part}: {errors:?}\n{stdout}");
        }
    }
}
