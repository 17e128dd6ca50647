//! What reports say about limits and truncated texts is true.

use serde_json::Value;

use super::rebuilt::ananke;
use crate::support::project::Project;

const SLOW: &str = r#"version: "1.3"
target:
  type: scripted
  rules:
    - when: { user: "slow" }
      do: [{ delay_ms: 200000 }, { say: "At last." }]
    - when: { user: "long" }
      do: [{ call: { tool: read, result: "RESULT" } }, { say: "SAID" }]
    - do: [{ delay_ms: 1000 }, { say: "Here." }]
"#;

/// A run of `test`: what is printed, and its result in the JSON report.
fn told(config: &str, test: &str) -> (Project, String, Value) {
    let project = Project::new(&[("ananke.config.yaml", config), ("a.test.yaml", test)]);
    let arguments = "run -v -o out.json -o out.xml -o out.md -o out.tap -o out.html";
    let done = ananke(&project, &arguments.split(' ').collect::<Vec<_>>());
    let report = std::fs::read_to_string(project.folder().join("out.json")).unwrap();
    let result = serde_json::from_str::<Value>(&report).unwrap()["results"][0].clone();
    (project, String::from_utf8(done.stdout).unwrap(), result)
}

fn durations(assertions: &Value) -> Vec<(bool, &str)> {
    let rules = assertions.as_array().unwrap().iter();
    let durations = rules.filter(|rule| rule["type"] == "timing.max_duration_ms");
    durations
        .map(|rule| (rule["passed"] == true, rule["expected"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_limit_that_applies_to_no_turn_is_not_reported() {
    let test = r#"version: "1.3"
name: turn override
turns:
  - user: "slow"
    assert: { timing: { max_duration_ms: 300000 } }
assert: { timing: { max_duration_ms: 120000 } }
"#;
    let (_, printed, result) = told(SLOW, test);
    assert_eq!(
        result["status"], "passed",
        "the limit is longer than the default timeout: {printed}"
    );
    assert_eq!(
        durations(&result["turns"][0]["assertions"]),
        [(true, "at most 5 min")]
    );
    assert_eq!(durations(&result["final_assertions"]), []);
    assert!(!printed.contains("120000"), "{printed}");
}

#[test]
fn the_words_for_a_limit_say_to_which_turns_it_applies() {
    let test = |limit: u64| {
        format!(
            r#"version: "1.3"
name: some turns
turns:
  - user: "a"
  - user: "b"
    assert: {{ timing: {{ max_duration_ms: false }} }}
  - user: "c"
assert: {{ timing: {{ max_duration_ms: {limit} }} }}
"#
        )
    };
    let (_, printed, result) = told(SLOW, &test(2000));
    assert_eq!(
        durations(&result["final_assertions"]),
        [(true, "at most 2 s in turns 1, 3")],
        "{printed}"
    );
    let of_test = &result["final_assertions"][0];
    assert_eq!(
        (&of_test["actual"], &of_test["limit"]),
        (&2000.0.into(), &2000.into())
    );
    let (_, printed, result) = told(SLOW, &test(1500));
    let third = durations(&result["turns"][2]["assertions"]);
    let expected = "a test of at most 1.5 s in turns 1, 3";
    assert!(third.contains(&(false, expected)), "{third:?} {printed}");
}

#[test]
fn a_count_has_its_numbers() {
    let test = r#"version: "1.3"
name: counts
turns:
  - user: "long"
    assert:
      tools:
        require:
          - { name: read, count: { exact: 1 } }
          - { name: read, count: { min: 1, max: 3 } }
          - { name: read, count: { exact: 2 } }
          - { name: write, count: { max: 0 } }
          - { name: read, count: { min: 1 } }
"#;
    let (_, printed, result) = told(SLOW, test);
    let rules = result["turns"][0]["assertions"].as_array().unwrap();
    let mut numbers: Vec<_> = rules
        .iter()
        .map(|rule| {
            let number = |key: &str| rule[key].as_u64();
            (
                rule["passed"] == true,
                number("actual"),
                number("limit"),
                rule["unit"].as_str(),
            )
        })
        .collect();
    numbers.sort_unstable();
    let calls = |passed, actual, limit| (passed, Some(actual), Some(limit), Some("calls"));
    let without_a_maximum = (true, None, None, None);
    let expected = [
        calls(false, 1, 2),
        without_a_maximum,
        calls(true, 0, 0),
        calls(true, 1, 1),
        calls(true, 1, 3),
    ];
    assert_eq!(numbers, expected, "{printed}");
    assert!(
        !printed.contains("3 calls"),
        "the words are enough: {printed}"
    );
}

/// Each `(N more bytes)` of a text.
fn missing(text: &str) -> Vec<&str> {
    text.split(" more bytes)")
        .filter_map(|part| part.rsplit_once("… ("))
        .map(|(_, count)| count)
        .collect()
}

#[test]
fn the_number_of_truncated_bytes_is_that_of_the_text() {
    let test = r#"version: "1.3"
name: long
turns: [{ user: "long" }]
assert: { tools: { require: [{ name: read, result_match: "^never$" }] } }
"#;
    let (result, said) = ("x".repeat(822), "y".repeat(50_000));
    let (project, printed, _) = told(
        &SLOW.replace("RESULT", &result).replace("SAID", &said),
        test,
    );
    let of_result = |count: &&str| matches!(*count, "622" | "422");
    for (name, expected) in [
        ("stdout", "47952"),
        ("out.xml", "47952"),
        ("out.html", "33616"),
        ("out.md", "47952"),
    ] {
        let written = match name {
            "stdout" => printed.clone(),
            file => std::fs::read_to_string(project.folder().join(file)).unwrap(),
        };
        let counts = missing(&written);
        // The console shows the call itself, with its whole result.
        assert!(
            name == "stdout" || counts.contains(&"622"),
            "{name} quotes the result: {counts:?}"
        );
        let others: Vec<&str> = counts
            .into_iter()
            .filter(|count| !of_result(count))
            .collect();
        assert!(
            others
                .iter()
                .all(|count| [expected, "47952"].contains(count)),
            "{name}: {others:?}"
        );
    }
}
