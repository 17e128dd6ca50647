//! What can never fail and what can never pass: each warning if it is true, and none if it is not.

mod tools;

use crate::support::project::Project;

/// A test whose turns have the asserts of `turns`, with the asserts of the test and of a target with `timeout`.
fn warnings(target: &str, test: &str, turns: &[&str], timeout: u64) -> Vec<String> {
    let project = Project::new(&[
        (
            "ananke.config.yaml",
            &format!(
                "version: \"1.3\"\ntarget:\n  type: scripted\n  timeout_ms: {timeout}\n  assert: {target}\n  rules: []\n"
            ),
        ),
        ("one.test.yaml", &file("one", test, turns)),
    ]);
    told(&project)
}

fn file(name: &str, test: &str, turns: &[&str]) -> String {
    let turns: Vec<String> = turns
        .iter()
        .map(|turn| format!("  - {{ user: hi, assert: {turn} }}\n"))
        .collect();
    format!(
        "version: \"1.3\"\nname: {name}\nassert: {test}\nturns:\n{}",
        turns.concat()
    )
}

fn told(project: &Project) -> Vec<String> {
    let planned = project.plan();
    assert!(planned.plan.is_some(), "{:?}", planned.problems);
    let line = |problem: &ananke::diagnostic::Diagnostic| {
        format!(
            "{}:{}",
            problem.code,
            problem.place().map(|place| place.line).unwrap_or_default()
        )
    };
    planned.problems.iter().map(line).collect()
}

const SOMETHING: &str = "{ tools: { forbid: [x] } }";

#[test]
fn a_pattern_that_must_and_must_not_match() {
    let (must, must_not) = (
        "{ text: { must_match: ok } }",
        "{ text: { must_not_match: ok } }",
    );
    let none: [&str; 0] = [];
    assert_eq!(
        warnings(must_not, must, &["{}", "{}"], 1000),
        ["forbidden-text:3"]
    );
    assert_eq!(
        warnings("{}", must_not, &["{}", must], 1000),
        ["forbidden-text:6"]
    );
    assert_eq!(warnings("{}", must, &["{}", must_not], 1000), none);
    assert_eq!(
        warnings(
            "{}",
            "{ text: { must_match: ok, must_not_match: OK } }",
            &["{}"],
            1000
        ),
        none
    );
}

#[test]
fn a_text_that_must_be_said_and_is_ruled_out() {
    for (rules, expected) in [
        ("contains: abc, not_contains: b", true),
        ("contains: abc, not_contains: abc", true),
        ("contains: b, not_contains: abc", false),
        ("contains: ABC, not_contains: b", false),
        ("contains: '${THREAD_ID}', not_contains: '{'", false),
        ("contains: abc, must_not_match: '^b'", false),
        ("equals: abc, contains: d", true),
        ("equals: [abc, d], contains: d", false),
        ("equals: [abc, d], not_contains: [c, d]", false),
        ("equals: [abc, ca], must_not_match: c", true),
        ("equals: abc, must_match: '^b'", true),
        ("equals: abc, must_match: '^a'", false),
        ("equals: abc, must_match: '^${THREAD_ID}'", false),
        ("equals: '${THREAD_ID}', contains: d", false),
    ] {
        let test = format!("{{ text: {{ {rules} }} }}");
        let found = warnings("{}", &test, &["{}", "{}"], 1000);
        let wanted: &[&str] = if expected { &["forbidden-text:3"] } else { &[] };
        assert_eq!(found, wanted, "{rules}");
    }
}

#[test]
fn texts_exclude_each_other_where_both_rules_look_at_the_same() {
    let none: [&str; 0] = [];
    let (last, all) = (
        "{ text: { contains: ab, of: final } }",
        "{ text: { not_contains: a } }",
    );
    assert_eq!(
        warnings(all, "{}", &["{}", last], 1000),
        ["forbidden-text:6"]
    );
    let (owed, forbidden) = (
        "{ text: { contains: ab } }",
        "{ text: { not_contains: a, of: final } }",
    );
    assert_eq!(
        warnings(forbidden, "{}", &["{}", owed], 1000),
        none,
        "said before the last message"
    );
    let (yes, no) = ("{ text: { equals: yes } }", "{ text: { equals: no } }");
    assert_eq!(warnings(yes, no, &["{}", "{}"], 1000), ["forbidden-text:3"]);
    assert_eq!(
        warnings("{}", yes, &[no, "{}"], 1000),
        none,
        "a turn is not the test"
    );
    let last = "{ text: { equals: no, of: final } }";
    assert_eq!(
        warnings(yes, last, &["{}"], 1000),
        none,
        "not the same text"
    );
}

#[test]
fn a_limit_that_the_time_out_cuts_off() {
    let limit = |ms: u64| format!("{{ timing: {{ max_duration_ms: {ms} }} }}");
    let idle = |ms: u64| format!("{{ timing: {{ max_idle_ms: {ms} }} }}");
    let none: [&str; 0] = [];
    assert_eq!(
        warnings("{}", "{}", &[&limit(1001)], 1000),
        ["limit-above-timeout:5"]
    );
    assert_eq!(warnings("{}", "{}", &[&limit(1000)], 1000), none);
    assert_eq!(
        warnings("{}", &limit(2000), &["{}", "{}"], 1000),
        none,
        "the turns together may take as long"
    );
    assert_eq!(
        warnings("{}", &limit(2001), &["{}", "{}"], 1000),
        ["limit-above-timeout:3"]
    );
    assert_eq!(
        warnings("{}", &idle(1001), &["{}", "{}"], 1000),
        ["limit-above-timeout:3"]
    );
    assert_eq!(
        warnings(&idle(1001), "{}", &["{}", "{}"], 1000),
        ["limit-above-timeout:5"]
    );
}

#[test]
fn a_limit_that_the_end_of_the_whole_test_cuts_off() {
    let within = |whole: u64, target: &str, test: &str, turns: &[&str]| {
        let config = format!(
            "version: \"1.3\"\ntarget: {{ type: scripted, assert: {target}, rules: [] }}\n"
        );
        let test = file("one", test, turns) + &format!("timeout_ms: {whole}\n");
        told(&Project::new(&[
            ("ananke.config.yaml", &config),
            ("one.test.yaml", &test),
        ]))
    };
    let limit = |measure: &str| format!("{{ timing: {{ {measure}: 1001 }} }}");
    let none: [&str; 0] = [];
    for measure in [
        "max_duration_ms",
        "max_idle_ms",
        "max_first_token_ms",
        "max_tool_ms",
    ] {
        let limit = limit(measure);
        assert_eq!(
            within(1000, "{}", &limit, &["{}", "{}"]),
            ["limit-above-timeout:3"],
            "{measure}"
        );
        assert_eq!(
            within(1000, "{}", "{}", &["{}", &limit]),
            ["limit-above-timeout:6"],
            "{measure}"
        );
        assert_eq!(
            within(1000, &limit, "{}", &["{}"]),
            ["limit-above-timeout:2"],
            "{measure}"
        );
        assert_eq!(
            within(1001, &limit, &limit, &["{}", &limit]),
            none,
            "{measure}"
        );
    }
}

#[test]
fn an_idle_limit_below_which_the_duration_lies() {
    let both = |idle: u64| format!("{{ timing: {{ max_duration_ms: 100, max_idle_ms: {idle} }} }}");
    let none: [&str; 0] = [];
    assert_eq!(
        warnings("{}", "{}", &[&both(100)], 1000),
        ["idle-above-duration:5"]
    );
    assert_eq!(warnings("{}", "{}", &[&both(99)], 1000), none);
    let longer = "{ timing: { max_duration_ms: 200 } }";
    assert_eq!(
        warnings("{}", &both(100), &["{}", "{}"], 1000),
        ["idle-above-duration:3"]
    );
    assert_eq!(
        warnings("{}", &both(100), &["{}", longer], 1000),
        none,
        "it has a meaning on one turn"
    );
}

#[test]
fn limits_of_the_target_are_a_mistake_only_where_no_test_gives_them_a_meaning() {
    let config = "version: \"1.3\"\ntarget:\n  type: scripted\n  rules: []\n  assert: { timing: { max_duration_ms: 100, max_idle_ms: 100 } }\n";
    let plain = file("plain", "{}", &["{}"]);
    let longer = file("longer", "{ timing: { max_duration_ms: 200 } }", &["{}"]);
    let alone = Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &plain),
        ("b.test.yaml", &plain),
    ]);
    assert_eq!(told(&alone), ["idle-above-duration:5"]);
    let mixed = Project::new(&[
        ("ananke.config.yaml", config),
        ("a.test.yaml", &plain),
        ("b.test.yaml", &longer),
    ]);
    assert_eq!(told(&mixed), [""; 0]);
}

#[test]
fn entries_that_require_nothing() {
    for (entry, expected) in [
        ("{ name: pay, count: { min: 0 } }", 1),
        ("{ name: pay, count: { min: 0, max: 9 } }", 0),
        ("{ name: pay, count: { min: 0 }, after: look }", 0),
        (
            "{ name: pay, count: { min: 0 }, result_not_match: failed }",
            0,
        ),
    ] {
        let found = warnings(
            "{}",
            &format!("{{ tools: {{ require: [{entry}] }} }}"),
            &["{}"],
            1000,
        );
        assert_eq!(found.len(), expected, "{entry}: {found:?}");
        assert!(
            found.iter().all(|warning| warning == "requires-nothing:3"),
            "{found:?}"
        );
    }
}

#[test]
fn tests_that_assert_nothing() {
    let none: [&str; 0] = [];
    assert_eq!(
        warnings("{}", "{}", &["{}", "{}"], 1000),
        ["asserts-nothing:2"]
    );
    assert_eq!(warnings(SOMETHING, "{}", &["{}"], 1000), none);
    assert_eq!(warnings("{}", "{}", &["{}", SOMETHING], 1000), none);
    let later = "{ text: { must_match: '${THREAD_ID}' } }";
    assert_eq!(
        warnings("{}", "{}", &[later], 1000),
        none,
        "known later is not nothing"
    );
    let limit = "{ timing: { max_idle_ms: 100 } }";
    let off = "{ timing: { max_idle_ms: false } }";
    assert_eq!(warnings(limit, off, &["{}"], 1000), ["asserts-nothing:2"]);
    assert_eq!(warnings(limit, off, &[limit], 1000), none);
}

#[test]
fn a_limit_that_applies_to_no_turn() {
    let none: [&str; 0] = [];
    let found = |test: &str, turns: &[&str]| warnings("{}", test, turns, 1000);
    let own = "{ timing: { max_idle_ms: 90 } }";
    assert_eq!(
        found("{ timing: { max_idle_ms: 50 } }", &[own, own]),
        ["unused-limit:3"]
    );
    assert_eq!(found("{ timing: { max_idle_ms: 50 } }", &[own, "{}"]), none);
    assert_eq!(
        found(
            "{ timing: { max_idle_ms: 50 } }",
            &["{ timing: { max_idle_ms: false } }"]
        )
        .len(),
        1
    );
    let total = "{ timing: { max_duration_ms: 50 } }";
    assert_eq!(
        found(total, &["{ timing: { max_duration_ms: 20 } }"]),
        none,
        "it limits the total"
    );
    assert_eq!(
        found(total, &["{ timing: { max_duration_ms: 90 } }"]),
        ["unused-limit:3"]
    );
}

#[test]
fn directories_of_tools_have_no_tests_unless_they_are_named() {
    let test = file("one", "{}", &[SOMETHING]);
    let found = |specs: &str| {
        let config = format!("version: \"1.3\"\n{specs}target: {{ type: scripted, rules: [] }}\n");
        let project = Project::new(&[
            ("ananke.config.yaml", &config),
            ("a.test.yaml", &test),
            ("node_modules/x/b.test.yaml", &test),
            ("web/dist/c.test.yaml", &test),
            ("target/d.test.yaml", &test),
            ("venv/e.test.yaml", &test),
            ("distant/f.test.yaml", &test),
        ]);
        let cases = project.plan().plan.expect("a plan").cases;
        let ids = cases.iter().map(|case| case.test.place.clone());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(found(""), ["a.test.yaml", "distant/f.test.yaml"]);
    assert_eq!(
        found("specs: [\"**/dist/*.test.yaml\"]\n"),
        ["web/dist/c.test.yaml"]
    );
}

#[test]
fn what_is_meant_as_written_is_not_odd() {
    let none: [&str; 0] = [];
    for turn in [
        "{ user: \"pay $3500 to {{NOBODY}} for $NOTHING\" }",
        "{ user: \"order #12\" } # the order",
        "{ user: \"a\", forwardedProps: { \"a:b\": 1, \"http://x\": 2 } }",
        "{ user: \"a\", assert: { tools: { require: [{ name: a, args_match: { b: \".*\" } }] } } }",
        "{ user: \"a\", assert: { tools: { require: [{ name: a, args: { b: 1 }, after: a }] } } }",
        "{ user: \"a\", assert: { tools: { allow_only: [] } } }",
        "{ user: \"a\", assert: { sequence: { mode: exact, steps: [{ says: \".*\" }] } } }",
    ] {
        let test = format!(
            "version: \"1.3\"\nname: a\nassert: {{ text: {{ contains: x }} }}\nturns:\n  - {turn}\n"
        );
        let project = Project::new(&[
            (
                "ananke.config.yaml",
                "version: \"1.3\"\ntarget: { type: scripted, rules: [] }\n",
            ),
            ("one.test.yaml", &test),
        ]);
        assert_eq!(told(&project), none, "{turn}");
    }
}

#[test]
fn a_rule_with_a_cause_that_can_never_fail() {
    let none: [&str; 0] = [];
    let found = |target: &str, test: &str, turns: &[&str]| {
        let project = Project::new(&[
            (
                "ananke.config.yaml",
                &format!(
                    "version: \"1.4\"\ntarget:\n  type: scripted\n  assert: {target}\n  rules: []\n"
                ),
            ),
            (
                "one.test.yaml",
                &file("one", test, turns).replace("\"1.3\"", "\"1.4\""),
            ),
        ]);
        told(&project)
    };
    let whenever = |rule: &str| format!("{{ whenever: [{{ {rule} }}] }}");
    let forbid = "{ tools: { forbid: [pay] } }";
    let by_call = whenever("call: pay, preceded_by: { call: look }");
    let by_result = whenever("result: pay, preceded_by: { call: look }");
    let traced = "{ provenance: [{ of: { call: pay }, from: [user] }] }";
    for rule in [&by_call, &by_result, traced] {
        assert_eq!(
            found(forbid, rule, &["{}"]),
            ["never-triggered:3"],
            "{rule}"
        );
        assert_eq!(
            found("{ tools: { allow_only: [look] } }", rule, &["{}"]),
            ["never-triggered:3"],
            "{rule}"
        );
        assert_eq!(
            found(rule, forbid, &["{}"]),
            ["never-triggered:4"],
            "in every test of the target: {rule}"
        );
        assert_eq!(
            found("{ tools: { forbid: [other] } }", rule, &["{}"]),
            none,
            "{rule}"
        );
        assert_eq!(
            found("{}", rule, &[forbid, "{}"]),
            none,
            "another turn may call it: {rule}"
        );
        assert_eq!(
            found("{}", forbid, &[rule, "{}"]),
            ["never-triggered:5"],
            "{rule}"
        );
    }
    let both =
        "{ tools: { forbid: [pay] }, whenever: [{ result: pay, preceded_by: { call: look } }] }";
    assert_eq!(
        found("{}", "{}", &["{}", both]),
        none,
        "the call may be one of the turn before"
    );
    assert_eq!(found("{}", "{}", &[both, "{}"]), ["never-triggered:5"]);
    let some = "{ tools: { forbid_calls: [{ name: pay, args: { to: me } }] } }";
    assert_eq!(
        found(some, &by_call, &["{}"]),
        none,
        "other calls may trigger it"
    );
    assert_eq!(
        found(
            some,
            &whenever("call: { name: pay, args: { to: me } }, preceded_by: { call: look }"),
            &["{}"]
        ),
        ["never-triggered:3"]
    );
    assert_eq!(
        found(
            forbid,
            &whenever("says: paid, preceded_by: { call: look }"),
            &["{}"]
        ),
        none
    );

    for always in ["call: same", "call: pay", "call: { name_match: \"^p\" }"] {
        let rule = whenever(&format!("result: pay, preceded_by: {{ {always} }}"));
        assert_eq!(
            found("{}", &rule, &["{}"]),
            ["never-triggered:3"],
            "{always}"
        );
    }
    for sometimes in [
        "result: pay, preceded_by: [{ call: pay }, { call: look }]",
        "result: pay, preceded_by: { call: pay }, within: turn",
        "result: pay, preceded_by: { call: pay, args: { to: me } }",
        "result: pay, preceded_by: { call: same, same: [to] }",
        "call: pay, preceded_by: { call: pay }",
        "result: pay, preceded_by: { call: pay }, not_followed_by: { call: pay }",
    ] {
        assert_eq!(
            found("{}", &whenever(sometimes), &["{}"]),
            none,
            "{sometimes}"
        );
    }
}
