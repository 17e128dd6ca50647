//! Messages about values of the wrong shape.

use ananke::schema::FileKind;
use snapbox::str;

use super::{check, check_test};

#[test]
fn six_mistakes_are_six_problems() {
    check(
        FileKind::Test,
        r#"version: "1.0"
nmae: checkout
turns:
  - user: I want to checkout
    assert:
      tools:
        require:
          - name: validate_cart
            count: { min: lots }
          - args_match: []
        forbid: delete_order
      timing:
        max_idle_ms: -5
assert:
"#,
        str![[r#"
error[unknown-key]: unknown key `nmae`
 --> a.yaml:2:1
  |
2 | nmae: checkout
  | ^^^^
  |
  = help: did you mean `name`?

error[wrong-type]: expected a whole number or exactly one `${…}`, found the text `lots`
 --> a.yaml:9:27
  |
9 |             count: { min: lots }
  |                           ^^^^
  |
  = help: for example `min: 1`

error[wrong-type]: expected a mapping, found a list
  --> a.yaml:10:25
   |
10 |           - args_match: []
   |                         ^
   |
   = help: for example `args_match: {"amount":"^10","items[0].id":"sku-.*"}`

error[newer-key]: a text here needs version 1.4; this file says 1.0
  --> a.yaml:11:17
   |
11 |         forbid: delete_order
   |                 ^^^^^^^^^^^^
   |
   = help: write `version: "1.4"`, which `ananke check --fix` does

error[bad-value]: `max_idle_ms` must be at least 0, found the number -5
  --> a.yaml:13:22
   |
13 |         max_idle_ms: -5
   |                      ^^
   |
   = help: write 0 or more

error[empty-value]: `assert` has no value
  --> a.yaml:14:1
   |
14 | assert:
   | ^^^^^^
   |
   = help: write a value, or remove the key

6 errors

"#]],
    );
}

#[test]
fn an_unknown_type() {
    check(
        FileKind::Config,
        r#"version: "1.0"
target: { type: agiu, endpoint: x }
"#,
        str![[r#"
error[unknown-value]: unknown type `agiu`
 --> a.yaml:2:17
  |
2 | target: { type: agiu, endpoint: x }
  |                 ^^^^
  |
  = help: did you mean `agui`?

1 error

"#]],
    );
}

#[test]
fn no_type() {
    check(
        FileKind::Config,
        r#"version: "1.0"
target: { endpoint: x }
"#,
        str![[r#"
error[missing-key]: the key `type` is missing
 --> a.yaml:2:11
  |
2 | target: { endpoint: x }
  |           ^^^^^^^^
  |
  = help: add `type:`, one of `agui`, `command`, `a2a`, `mcp`, `ai-sdk`, `openai`, `responses`, `anthropic`, `http`, `external`, `scripted`

1 error

"#]],
    );
}

#[test]
fn a_type_that_is_no_text() {
    check(
        FileKind::Config,
        r#"version: "1.0"
target: { type: 3 }
"#,
        str![[r#"
error[wrong-type]: expected a text as `type`, found the number 3
 --> a.yaml:2:17
  |
2 | target: { type: 3 }
  |                 ^
  |
  = help: the types are: `agui`, `command`, `a2a`, `mcp`, `ai-sdk`, `openai`, `responses`, `anthropic`, `http`, `external`, `scripted`

1 error

"#]],
    );
}

#[test]
fn a_missing_key_of_a_union_branch() {
    check(
        FileKind::Config,
        r#"version: "1.0"
target: { type: agui, endpoint: "http://x", agentID: y, forwardedProps: 3, state: }
"#,
        str![[r#"
error[unknown-key]: unknown key `agentID`
 --> a.yaml:2:45
  |
2 | target: { type: agui, endpoint: "http://x", agentID: y, forwardedProps: 3, state: }
  |                                             ^^^^^^^
  |
  = help: did you mean `agentId`?

error[wrong-type]: expected a mapping, found the number 3
 --> a.yaml:2:73
  |
2 | target: { type: agui, endpoint: "http://x", agentID: y, forwardedProps: 3, state: }
  |                                                                         ^
  |
  = help: for example `forwardedProps: { NAME: … }`

error[empty-value]: `state` has no value
 --> a.yaml:2:76
  |
2 | target: { type: agui, endpoint: "http://x", agentID: y, forwardedProps: 3, state: }
  |                                                                            ^^^^^
  |
  = help: write a value, or remove the key

3 errors

"#]],
    );
}

#[test]
fn steps_of_a_scripted_agent() {
    check(
        FileKind::Config,
        r#"version: "1.3"
target:
  type: scripted
  rules:
    - do:
        - sya: hello
        - { say: a, state: {} }
        - say: [a]
        - {}
        - text
"#,
        str![[r#"
error[unknown-key]: unknown key `sya`
 --> a.yaml:6:11
  |
6 |         - sya: hello
  |           ^^^
  |
  = help: did you mean `say`?

error[contradiction]: `state` must be in an entry of its own
 --> a.yaml:7:21
  |
7 |         - { say: a, state: {} }
  |                     ^^^^^
  |
  = help: this mapping takes one key: begin a new entry with `- `

error[wrong-type]: expected a text, found a list
 --> a.yaml:8:16
  |
8 |         - say: [a]
  |                ^
  |
  = help: write its entry without `[` and `]`

error[missing-key]: this mapping is empty
 --> a.yaml:9:11
  |
9 |         - {}
  |           ^
  |
  = help: add one of `say`, `ask`, `call`, `answer`, `state`, `think`, `custom`, `usage`, `delay_ms`, `interrupt`, `error`

error[wrong-type]: expected a mapping, found the text `text`
  --> a.yaml:10:11
   |
10 |         - text
   |           ^^^^
   |
   = help: write `{ say: text }`

5 errors

"#]],
    );
}

#[test]
fn an_empty_list_and_an_empty_text() {
    check(
        FileKind::Test,
        r#"version: "1.0"
name: ""
turns: []
"#,
        str![[r#"
error[bad-value]: `name` must not be an empty text
 --> a.yaml:2:7
  |
2 | name: ""
  |       ^^
  |
  = help: write one, or leave the key out

error[bad-value]: `turns` needs at least one entry
 --> a.yaml:3:8
  |
3 | turns: []
  |        ^
  |
  = help: write one

2 errors

"#]],
    );
}

#[test]
fn an_empty_list_entry() {
    check_test(
        r#"turns:
  - user: a
  -
"#,
        str![[r#"
error[empty-value]: this list entry has no value
 --> a.yaml:5:4
  |
5 |   -
  |    ^
  |
  = help: write a mapping, or delete the entry

1 error

"#]],
    );
}

#[test]
fn a_text_that_yaml_reads_as_something_else() {
    check_test(
        r#"turns:
  - user: 3
  - user: true
  - user: no
"#,
        str![[r#"
error[wrong-type]: expected a text or a list, found the number 3
 --> a.yaml:4:11
  |
4 |   - user: 3
  |           ^
  |
  = help: put quotes around it

error[wrong-type]: expected a text or a list, found `true`
 --> a.yaml:5:11
  |
5 |   - user: true
  |           ^^^^
  |
  = help: put quotes around it

2 errors

"#]],
    );
}

#[test]
fn not_a_mapping() {
    check(
        FileKind::Test,
        r#"- a
- b
"#,
        str![[r#"
error[wrong-type]: expected a mapping, found a list
 --> a.yaml:1:1
  |
1 | - a
  | ^
  |
  = help: put the tests under a key: begin with `tests:`, and indent the list

1 error

"#]],
    );
}

#[test]
fn a_limit_that_is_true() {
    check_test(
        r#"turns: [{ user: a }]
assert: { timing: { max_idle_ms: true, max_duration_ms: 1.5 } }
"#,
        str![[r#"
error[wrong-type]: expected a whole number, exactly one `${…}` or `false`, found `true`
 --> a.yaml:4:34
  |
4 | assert: { timing: { max_idle_ms: true, max_duration_ms: 1.5 } }
  |                                  ^^^^
  |
  = help: for example `max_idle_ms: 5000`

error[wrong-type]: expected a whole number, exactly one `${…}` or `false`, found the number 1.5
 --> a.yaml:4:57
  |
4 | assert: { timing: { max_idle_ms: true, max_duration_ms: 1.5 } }
  |                                                         ^^^
  |
  = help: for example `max_duration_ms: 5000`

2 errors

"#]],
    );
}

#[test]
fn an_alias_is_told_where_it_is_used() {
    check_test(
        r#"turns:
  - user: &a { b: c }
  - user: *a
"#,
        str![[r#"
error[wrong-type]: expected a text or a list, found a mapping
 --> a.yaml:4:14
  |
4 |   - user: &a { b: c }
  |              ^
  |
  = help: put `[` and `]` round it

error[wrong-type]: expected a text or a list, found a mapping
 --> a.yaml:5:11
  |
5 |   - user: *a
  |           ^^
  |
  = help: put `[` and `]` round it

2 errors

"#]],
    );
}
