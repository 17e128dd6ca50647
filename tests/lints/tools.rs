//! Warnings about rules for tools: required and forbidden at once, steps that never come, calls that are too many.

use super::warnings;

#[test]
fn a_required_tool_that_is_forbidden() {
    let require = "{ tools: { require: [{ name: pay }] } }";
    let forbid = "{ tools: { forbid: [pay] } }";
    let none: [&str; 0] = [];
    let found = |target: &str, test: &str, turns: &[&str]| warnings(target, test, turns, 1000);
    assert_eq!(
        found(forbid, "{}", &["{}", require]),
        ["forbidden-requirement:6"]
    );
    assert_eq!(
        found("{}", forbid, &["{}", require]),
        ["forbidden-requirement:6"]
    );
    assert_eq!(found(require, forbid, &["{}"]), ["forbidden-requirement:5"]);
    assert_eq!(
        found("{}", require, &[forbid]),
        ["forbidden-requirement:3"],
        "the only turn is all of the test"
    );
    assert_eq!(
        found("{}", require, &[forbid, "{}"]),
        none,
        "the other turn may call it"
    );
    assert_eq!(
        found("{}", "{}", &[require, forbid]),
        none,
        "never in force together"
    );
    let both = "{ tools: { require: [{ name: pay }], forbid: [pay] } }";
    assert_eq!(
        found("{}", "{}", &["{}", both]),
        ["forbidden-requirement:6"]
    );
}

#[test]
fn a_step_of_a_sequence_that_can_never_come() {
    let none: [&str; 0] = [];
    let sequence =
        |mode: &str, steps: &str| format!("{{ sequence: {{ mode: {mode}, steps: [{steps}] }} }}");
    let forbid = "{ tools: { forbid: [pay] } }";
    let found = |test: &str, turn: &str| warnings("{}", test, &[turn, "{}"], 1000);
    for mode in ["exact", "in_order", "any_order", "at_least"] {
        let turn = sequence(mode, "{ call: look }, { call: pay }");
        assert_eq!(found(forbid, &turn), ["forbidden-requirement:5"], "{mode}");
    }
    assert_eq!(
        found(forbid, &sequence("exact", "{ result: pay }")),
        ["forbidden-requirement:5"]
    );
    assert_eq!(
        found(
            "{ tools: { allow_only: [look] } }",
            &sequence("exact", "{ call: pay }")
        )
        .len(),
        1
    );
    assert_eq!(
        found(
            "{ tools: { max_calls: 1 } }",
            &sequence("exact", "{ call: a }, { call: a }")
        )
        .len(),
        1
    );
    for silent in [
        "{ call: pay, optional: true }",
        "{ call: look }",
        "{ says: pay }",
    ] {
        assert_eq!(found(forbid, &sequence("exact", silent)), none, "{silent}");
    }
    assert_eq!(
        found(forbid, &sequence("only", "{ call: pay }")),
        none,
        "it may come, and need not"
    );
    let of_result = "{ tools: { forbid_calls: [{ name: pay, result_match: no }] } }";
    assert_eq!(
        found(of_result, &sequence("exact", "{ call: pay }")),
        none,
        "its result may be another"
    );
    assert_eq!(
        found(of_result, &sequence("exact", "{ result: pay, match: no }")).len(),
        1
    );
    assert_eq!(
        warnings(
            "{}",
            "{}",
            &[&sequence("exact", "{ call: pay }"), forbid],
            1000
        ),
        none,
        "never in force together"
    );
}

#[test]
fn what_is_required_decides_whether_it_is_forbidden() {
    let none: [&str; 0] = [];
    for (require, forbid, expected) in [
        ("{ name: pay, count: { exact: 0 } }", "forbid: [pay]", false),
        (
            "{ name: pay, count: { min: 0, max: 3 } }",
            "forbid: [pay]",
            false,
        ),
        ("{ name: pay, count: { min: 2 } }", "forbid: [pay]", true),
        ("{ name: pay, after: look }", "forbid: [look]", true),
        ("{ name: pay }", "forbid_calls: [{ name: pay }]", true),
        (
            "{ name: pay }",
            "forbid_calls: [{ name: pay, args_match: { to: eve } }]",
            false,
        ),
        (
            "{ name: pay, args_match: { to: eve, of: '1' } }",
            "forbid_calls: [{ name: pay, args_match: { to: eve } }]",
            true,
        ),
        (
            "{ name: pay, result_match: ok }",
            "forbid_calls: [{ name: pay, result_match: ok }]",
            true,
        ),
        (
            "{ name: pay, result_match: ok }",
            "forbid_calls: [{ name: pay, result_match: no }]",
            false,
        ),
        ("{ name: pay, after_result: look }", "forbid: [look]", true),
        (
            "{ name: pay_all }",
            "forbid_calls: [{ name_match: '^pay' }]",
            true,
        ),
        (
            "{ name: repay }",
            "forbid_calls: [{ name_match: '^pay' }]",
            false,
        ),
        (
            "{ name: pay-x }",
            "forbid_calls: [{ name_match: '^pay${THREAD_ID}' }]",
            false,
        ),
        ("{ name_match: pay }", "forbid: [pay]", false),
        (
            "{ name_match: pay }",
            "forbid_calls: [{ name_match: pay }]",
            true,
        ),
        (
            "{ name: pay, args: { a: 1 } }",
            "forbid_calls: [{ name: pay }]",
            true,
        ),
        (
            "{ name: pay, args: { a: 1 } }",
            "forbid_calls: [{ name: pay, args: { a: 1 } }]",
            true,
        ),
        (
            "{ name: pay, args: { a: 1 } }",
            "forbid_calls: [{ name: pay, args: { a: 2 } }]",
            false,
        ),
        (
            "{ name: pay }",
            "forbid_calls: [{ name: pay, args_not_match: { a: x } }]",
            false,
        ),
        (
            "{ name: pay, status: pending }",
            "forbid_calls: [{ name: pay, status: pending }]",
            true,
        ),
        (
            "{ name: pay, status: executed }",
            "forbid_calls: [{ name: pay, status: pending }]",
            false,
        ),
        (
            "{ name: pay, is_error: true, result_match: x }",
            "forbid_calls: [{ name: pay, is_error: true }]",
            true,
        ),
        (
            "{ name: pay, args_match: { id: '${THREAD_ID}' } }",
            "forbid_calls: [{ name: pay, args_match: { id: '${THREAD_ID}' } }]",
            true,
        ),
    ] {
        let test = format!("{{ tools: {{ require: [{require}], {forbid} }} }}");
        let found = warnings("{}", &test, &["{}"], 1000);
        if expected {
            assert_eq!(found, ["forbidden-requirement:3"], "{test}");
        } else {
            assert_eq!(found, none, "{test}");
        }
    }
}

#[test]
fn what_is_switched_off_forbids_nothing() {
    let require = "{ tools: { require: [{ name: pay }] } }";
    let forbid = "{ tools: { forbid: [pay] } }";
    let off = "{ tools: { forbid: false, require: [{ name: pay }] } }";
    let none: [&str; 0] = [];
    let found = |target: &str, test: &str, turns: &[&str]| warnings(target, test, turns, 1000);
    assert_eq!(found(forbid, off, &["{}"]), none);
    assert_eq!(found(forbid, "{}", &[off]), none);
    assert_eq!(
        found(forbid, require, &["{ tools: { forbid: false } }", "{}"]),
        none,
        "it may be called there"
    );
    let both = "{ tools: { forbid: false, require: false } }";
    assert_eq!(
        found(forbid, require, &[both, "{}"]),
        ["forbidden-requirement:3"]
    );
    assert_eq!(
        found("{}", forbid, &["{ tools: { forbid: false } }", require]),
        none,
        "its call may have begun before"
    );
}

#[test]
fn tools_that_are_not_allowed_and_calls_that_are_too_many() {
    let none: [&str; 0] = [];
    for (rules, expected) in [
        ("allow_only: [look], require: [{ name: pay }]", true),
        ("allow_only: [pay], require: [{ name: pay }]", false),
        ("allow_only: [], require: [{ name_match: . }]", true),
        ("allow_only: [pay], require: [{ name_match: ^p }]", false),
        ("allow_only: [pay], require: [{ name_match: ^x }]", true),
        (
            "allow_only: [pay], require: [{ name: pay, after: look }]",
            true,
        ),
        (
            "allow_only: [pay], require: [{ name: look, count: { max: 3 } }]",
            false,
        ),
        (
            "allow_only: ['${THREAD_ID}'], require: [{ name: pay }]",
            false,
        ),
        (
            "max_calls: 1, require: [{ name: pay }, { name: look }]",
            true,
        ),
        (
            "max_calls: 2, require: [{ name: pay }, { name: look }]",
            false,
        ),
        (
            "max_calls: 2, require: [{ name: pay, count: { min: 2 } }, { name: pay, args: { a: 1 } }]",
            false,
        ),
        (
            "max_calls: 1, require: [{ name: pay, count: { min: 2 } }]",
            true,
        ),
        (
            "max_calls: 1, require: [{ name: pay }, { name_match: . }]",
            false,
        ),
        (
            "max_calls: 0, require: [{ name: pay, count: { max: 2 } }]",
            false,
        ),
        (
            "subagents: exclude, max_calls: 0, require: [{ name: pay }]",
            true,
        ),
    ] {
        let found = warnings("{}", &format!("{{ tools: {{ {rules} }} }}"), &["{}"], 1000);
        if expected {
            assert_eq!(found, ["forbidden-requirement:3"], "{rules}");
        } else {
            assert_eq!(found, none, "{rules}");
        }
    }
    let exclude = "{ tools: { subagents: exclude, allow_only: [] } }";
    let include = "{ tools: { subagents: include, require: [{ name: pay }] } }";
    assert_eq!(
        warnings("{}", exclude, &[include], 1000),
        none,
        "a subagent may call it"
    );
    let of_turn = "{ tools: { max_calls: 0, require: [{ name: pay }] } }";
    assert_eq!(
        warnings("{}", "{}", &["{}", of_turn], 1000),
        none,
        "its call may have begun before"
    );
    assert_eq!(
        warnings("{}", "{}", &[of_turn, "{}"], 1000),
        ["forbidden-requirement:5"]
    );
    let require = "{ tools: { require: [{ name: pay }] } }";
    assert_eq!(
        warnings("{}", "{ tools: { max_calls: 0 } }", &["{}", require], 1000),
        ["forbidden-requirement:3"]
    );
}
