//! Tests with many rules, and rules with much to evaluate.

use super::{Files, call, event, lines, remote, shop, test};

pub(super) fn rules(count: usize) -> Files {
    let rule = |number| {
        format!(
            "      - {{ name: tool_{number}, count: {{ exact: 0 }}, args: {{ id: {number} }} }}"
        )
    };
    let forbidden = lines(count, |number| format!("      - never_{number}"));
    let required = lines(count, rule);
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid:\n{forbidden}    require:\n{required}"
        )),
    ]
}

/// Rules that differ in their arguments alone.
pub(super) fn rules_of_a_tool(count: usize) -> Files {
    let rule = |number| format!("      - {{ name: pay, args: {{ id: {number} }} }}");
    let forbidden = lines(count, rule);
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid_calls:\n{forbidden}"
        )),
    ]
}

/// Rules of a test that one of its turns switches off.
pub(super) fn rules_off(count: usize) -> Files {
    let forbidden = lines(count, |number| format!("      - never_{number}"));
    let turns = "turns: [{ user: hello }, { user: hello, assert: { tools: false } }]";
    vec![
        shop(),
        test(&format!(
            "{turns}\nassert:\n  tools:\n    forbid:\n{forbidden}"
        )),
    ]
}

/// Forbidden and required tools: each forbidden one is compared with the patterns of the required ones.
pub(super) fn name_patterns(count: usize) -> Files {
    let forbidden = lines(count, |number| {
        format!("      - {{ name_match: \"^never_{number}$\" }}")
    });
    let required = lines(count, |number| format!("      - {{ name: tool_{number} }}"));
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    forbid_calls:\n{forbidden}    require:\n{required}"
        )),
    ]
}

/// Every rule checks every call: ten times as many of both may cost a hundred times as much, so the number of calls
/// stays the same.
pub(super) fn rules_and_calls(count: usize) -> Files {
    let events = lines(1000 * 4, |number| event(&call(number / 4)[number % 4]));
    let rule = |number| {
        format!(
            "      - {{ name: find, args_match: {{ id: \"^{number}$\" }}, result_match: \"ok\" }}"
        )
    };
    let required = lines(count, rule);
    vec![
        remote(&events),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    require:\n{required}"
        )),
    ]
}

pub(super) fn patterns(count: usize) -> Files {
    let patterns = lines(count, |number| {
        format!("      - \"(?i)word {number}[0-9]+ (foo|bar)\"")
    });
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  text:\n    must_not_match:\n{patterns}"
        )),
    ]
}

pub(super) fn findings(count: usize) -> Files {
    let rules = lines(count, |number| {
        format!("      - {{ name: missing_{number} }}")
    });
    vec![
        shop(),
        test(&format!(
            "turns: [{{ user: hello }}]\nassert:\n  tools:\n    require:\n{rules}"
        )),
    ]
}

const CAUSED: &str = "turns: [{ user: hello }]\nassert:\n  whenever:\n    - { call: find, preceded_by: { says: hello, role: user } }\n    - { result: find, not_followed_by: { call: find, same: [id] } }\n    - { call: find, followed_by: { result: find, same: [id] } }\n";

/// Every call is a trigger, and what must or must not come before or after it.
pub(super) fn causes(count: usize) -> Files {
    let (name, text) = test(CAUSED);
    let text = text.replace("1.3", "1.4");
    vec![
        remote(&lines(count * 4, |number| {
            event(&call(number / 4)[number % 4])
        })),
        (name, text),
    ]
}

/// The arguments of the first call never end, so that every other trigger waits. It has no result, which fails the test.
pub(super) fn causes_of_open_calls(count: usize) -> Files {
    let mut files = causes(count);
    let open = "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"open\",\"toolCallName\":\"find\"}";
    let events = lines(count * 4, |number| event(&call(number / 4)[number % 4]));
    files[0] = remote(&(event(open) + "\n" + &events));
    files
}
