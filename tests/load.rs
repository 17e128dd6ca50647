//! Loading: every problem of a file at once, each exact, in our own words.

#![allow(clippy::needless_raw_string_hashes, reason = "snapbox writes them so")]

use std::sync::Arc;

use ananke::diagnostic::render::{Look, human, summary};
use ananke::diagnostic::{Diagnostic, SourceFile};
use ananke::model::{ConfigFile, TestFile};
use ananke::schema::{FileKind, load};
use snapbox::{assert_data_eq, str};

fn source(name: &str, text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new(name, name, text))
}

fn problems(kind: FileKind, text: &str) -> Vec<Diagnostic> {
    let source = source("a.yaml", text);
    match kind {
        FileKind::Config => load::<ConfigFile>(kind, &source).err().unwrap_or_default(),
        FileKind::Test => load::<TestFile>(kind, &source).err().unwrap_or_default(),
    }
}

/// A whole file and everything that is said about it.
fn check(kind: FileKind, text: &str, expected: impl snapbox::IntoData) {
    let problems = problems(kind, text);
    let rendered = format!("{}{}\n", human(&problems, Look::default()), summary(&problems));
    assert_data_eq!(rendered, expected.into_data().raw());
}

/// A test file that goes on after its name, and everything that is said about it.
fn check_test(rest: &str, expected: impl snapbox::IntoData) {
    check(FileKind::Test, &format!("version: \"1.0\"\nname: a\n{rest}"), expected);
}

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
          - args_match: {}
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

error[missing-key]: the key `name` is missing
  --> a.yaml:10:13
   |
10 |           - args_match: {}
   |             ^^^^^^^^^^ in this mapping

error[wrong-type]: expected a list, found the text `delete_order`
  --> a.yaml:11:17
   |
11 |         forbid: delete_order
   |                 ^^^^^^^^^^^^

error[bad-value]: `max_idle_ms` must be at least 0, found the number -5
  --> a.yaml:13:22
   |
13 |         max_idle_ms: -5
   |                      ^^

error[empty-value]: `assert` has no value
  --> a.yaml:14:1
   |
14 | assert:
   | ^^^^^^
   |
   = help: write a value, or leave the key out

6 errors

"#]],
    );
}

#[test]
fn a_number_is_no_version() {
    check(
        FileKind::Test,
        r#"version: 1.10
name: a
turns: [{ user: b }]
"#,
        str![[r#"
error[version]: `version` must be a quoted text, this is a number
 --> a.yaml:1:10
  |
1 | version: 1.10
  |          ^^^^
  |
  = help: put quotes round it: `version: "1.10"`

1 error

"#]],
    );
}

#[test]
fn an_unknown_version() {
    check(
        FileKind::Test,
        r#"version: "2.0"
name: a
turns: [{ user: b }]
"#,
        str![[r#"
error[version]: unknown version `2.0`
 --> a.yaml:1:10
  |
1 | version: "2.0"
  |          ^^^^^
  |
  = help: the known versions are `1.0`, `1.1`, `1.2`, `1.3`

1 error

"#]],
    );
}

#[test]
fn a_version_to_come() {
    check(
        FileKind::Test,
        r#"version: "1.9"
name: a
turns: [{ user: b }]
"#,
        str![[r#"
error[version]: version 1.9 is newer than this program, which knows versions up to 1.3
 --> a.yaml:1:10
  |
1 | version: "1.9"
  |          ^^^^^
  |
  = help: upgrade ananke

1 error

"#]],
    );
}

#[test]
fn no_version() {
    check(
        FileKind::Test,
        r#"name: a
turns: [{ user: b }]
"#,
        str![[r#"
error[version]: the key `version` is missing
 --> a.yaml:1:1
  |
1 | name: a
  | ^^^^
  |
  = help: begin the file with `version: "1.3"`

1 error

"#]],
    );
}

#[test]
fn a_newer_key_and_a_newer_type() {
    check(
        FileKind::Config,
        r#"version: "1.0"
specs: x
target:
  type: scripted
  rules: []
"#,
        str![[r#"
error[newer-key]: `specs` needs version 1.3; this file says 1.0
 --> a.yaml:2:1
  |
2 | specs: x
  | ^^^^^
  |
  = help: write `version: "1.3"`; `ananke check --fix` does it for you

error[newer-key]: `type: scripted` needs version 1.3; this file says 1.0
 --> a.yaml:4:9
  |
4 |   type: scripted
  |         ^^^^^^^^
  |
  = help: write `version: "1.3"`; `ananke check --fix` does it for you

2 errors

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
  = help: add `type:`, one of `agui`, `scripted`

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
  = help: the types are: `agui`, `scripted`

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

error[empty-value]: `state` has no value
 --> a.yaml:2:76
  |
2 | target: { type: agui, endpoint: "http://x", agentID: y, forwardedProps: 3, state: }
  |                                                                            ^^^^^
  |
  = help: write a value, or leave the key out

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

error[contradiction]: `state` must stand in an entry of its own
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

error[missing-key]: this mapping is empty
 --> a.yaml:9:11
  |
9 |         - {}
  |           ^
  |
  = help: add one of `say`, `call`, `answer`, `state`, `delay_ms`, `error`

error[wrong-type]: expected a mapping, found the text `text`
  --> a.yaml:10:11
   |
10 |         - text
   |           ^^^^

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

error[bad-value]: `turns` needs at least one entry
 --> a.yaml:3:8
  |
3 | turns: []
  |        ^

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
error[wrong-type]: expected a text, found the number 3
 --> a.yaml:4:11
  |
4 |   - user: 3
  |           ^
  |
  = help: put quotes round it

error[wrong-type]: expected a text, found `true`
 --> a.yaml:5:11
  |
5 |   - user: true
  |           ^^^^
  |
  = help: put quotes round it

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

1 error

"#]],
    );
}

#[test]
fn duplicate_keys_stand_beside_other_problems() {
    check_test(
        r#"turns: [{ user: a }]
name: b
name: c
asert: {}
"#,
        str![[r#"
error[duplicate-key]: the key `name` stands twice
 --> a.yaml:4:1
  |
2 | name: a
  | ---- first here
3 | turns: [{ user: a }]
4 | name: b
  | ^^^^ again here
  |
  = help: keep one of them

error[duplicate-key]: the key `name` stands twice
 --> a.yaml:5:1
  |
2 | name: a
  | ---- first here
...
5 | name: c
  | ^^^^ again here
  |
  = help: keep one of them

error[unknown-key]: unknown key `asert`
 --> a.yaml:6:1
  |
6 | asert: {}
  | ^^^^^
  |
  = help: did you mean `assert`?

3 errors

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
error[wrong-type]: expected `false`, a whole number or exactly one `${…}`, found `true`
 --> a.yaml:4:34
  |
4 | assert: { timing: { max_idle_ms: true, max_duration_ms: 1.5 } }
  |                                  ^^^^

error[wrong-type]: expected `false`, a whole number or exactly one `${…}`, found the number 1.5
 --> a.yaml:4:57
  |
4 | assert: { timing: { max_idle_ms: true, max_duration_ms: 1.5 } }
  |                                                         ^^^

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
error[wrong-type]: expected a text, found a mapping
 --> a.yaml:4:14
  |
4 |   - user: &a { b: c }
  |              ^

error[wrong-type]: expected a text, found a mapping
 --> a.yaml:5:11
  |
5 |   - user: *a
  |           ^^

2 errors

"#]],
    );
}

#[test]
fn a_tab() {
    check_test(
        "turns:\n\t- user: a\n",
        str![[r#"
error[syntax]: a tab cannot indent YAML
 --> a.yaml:4:2
  |
4 |     - user: a
  |     ^
  |
  = help: indent with spaces: two a level are usual

1 error

"#]],
    );
}

#[test]
fn an_empty_file() {
    check(
        FileKind::Test,
        r#"# nothing
"#,
        str![[r#"
error[empty-value]: the file is empty
--> a.yaml

1 error

"#]],
    );
}

#[test]
fn two_documents() {
    check(
        FileKind::Test,
        r#"version: "1.0"
---
version: "1.0"
"#,
        str![[r#"
error[syntax]: a second document begins here
 --> a.yaml:3:1
  |
3 | version: "1.0"
  | ^
  |
  = help: keep one document a file: move the rest to a file of its own

1 error

"#]],
    );
}

#[test]
fn no_finite_number() {
    check_test(
        r#"turns: [{ user: .inf }]
"#,
        str![[r#"
error[bad-value]: `.inf` is no number JSON can hold
 --> a.yaml:3:17
  |
3 | turns: [{ user: .inf }]
  |                 ^^^^
  |
  = help: write a finite number, or put quotes round a text

1 error

"#]],
    );
}

#[test]
fn a_key_that_is_no_text() {
    check_test(
        r#"[a, b]: c
"#,
        str![[r#"
error[syntax]: a key must be a text
 --> a.yaml:3:1
  |
3 | [a, b]: c
  | ^
  |
  = help: write every key as `name: value`

1 error

"#]],
    );
}

#[test]
fn an_unclosed_list() {
    check_test(
        r#"turns: [{ user: a }
"#,
        str![[r#"
error[syntax]: this list is not closed
 --> a.yaml:3:8
  |
3 | turns: [{ user: a }
  |        ^
  |
  = help: add the missing `]`

1 error

"#]],
    );
}

#[test]
fn an_unclosed_text() {
    check_test(
        r#"turns: [{ user: "a }]
"#,
        str![[r#"
error[syntax]: this text is not closed
 --> a.yaml:3:17
  |
3 | turns: [{ user: "a }]
  |                 ^
  |
  = help: add the missing quote

1 error

"#]],
    );
}

#[test]
fn an_unknown_alias() {
    check_test(
        r#"turns: *nothing
"#,
        str![[r#"
error[syntax]: this alias has no anchor
 --> a.yaml:3:8
  |
3 | turns: *nothing
  |        ^
  |
  = help: define it first with `&name`, or put quotes round a text that begins with `*`

1 error

"#]],
    );
}

#[test]
fn a_tag() {
    check_test(
        r#"turns: !secret a
"#,
        str![[r#"
error[syntax]: this tag does not fit its value
 --> a.yaml:3:16
  |
3 | turns: !secret a
  |                ^
  |
  = help: leave out the `!` tag; put quotes round a text that begins with `!`

1 error

"#]],
    );
}

#[test]
fn a_colon_in_a_text() {
    check_test(
        r#"turns: [{ user: a }]
description: say: hello
"#,
        str![[r#"
error[syntax]: no `name: value` can stand here
 --> a.yaml:4:17
  |
4 | description: say: hello
  |                 ^
  |
  = help: put quotes round a text that holds `: `

1 error

"#]],
    );
}

#[test]
fn hostile_text_is_harmless() {
    check_test(
        "turns: [{ user: a }]\n\"k\u{9b}\u{202e}y\": \"\\u001b[31m\"\n\"\\e[2J\": 1\n",
        str![[r#"
error[syntax]: the character `\u{9b}` cannot stand in a file
 --> a.yaml:4:3
  |
4 | "k¿�y": "\u001b[31m"
  |   ^
  |
  = help: write it as an escape inside double quotes

1 error

"#]],
    );
}

/// One message for a text too large or too odd to draw.
fn check_message(text: &str, expected: &str) {
    check_message_of(FileKind::Test, text, expected);
}

fn check_message_of(kind: FileKind, text: &str, expected: &str) {
    let problems = problems(kind, text);
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, [expected]);
}

#[test]
fn bombs_are_refused() {
    let level = |level: usize| match level {
        0 => format!("a0: &a0 [{}]\n", ["x"; 10].join(", ")),
        _ => format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", ")),
    };
    let laughs: String = (0..12).map(level).collect();
    check_message(&laughs, "the aliases of this file stand for more values than are read");
    check_message(&"- ".repeat(20_000), "lists and mappings nest deeper than 64 levels");
    check_message(&"[".repeat(20_000), "lists and mappings nest deeper than 64 levels");
    check_message(&"{a: ".repeat(20_000), "lists and mappings nest deeper than 64 levels");
    check_message(&"# long\n".repeat(2_000_000), "`a.yaml` is larger than 8 MiB");
}

#[test]
fn a_long_line_is_cut() {
    let text = format!("version: \"1.0\"\nname: a\nturns: [{{ user: a }}]\n{}: b\n", "x".repeat(900_000));
    let rendered = human(&problems(FileKind::Test, &text), Look::default());
    assert!(rendered.lines().all(|line| line.chars().count() < 200), "{rendered}");
}

#[test]
fn one_anchor_may_be_used_by_many() {
    let mut text =
        "version: \"1.0\"\nname: a\nturns:\n  - &turn { user: a, assert: { tools: { forbid: [b] } } }\n"
            .to_owned();
    text += &"  - *turn\n  - { <<: *turn, user: c }\n".repeat(5_000);
    let loaded = load::<TestFile>(FileKind::Test, &source("a.yaml", &text)).expect("an honest file");
    assert_eq!(loaded.value.turns.len(), 10_001);
}

#[test]
fn places_survive_and_count_bytes() {
    let text = "version: \"1.0\"\nname: ünï\nturns:\n  - user: &w wörld\n  - type: user\n    user: *w\n    assert: { text: { must_match: x } }\n";
    let loaded = load::<TestFile>(FileKind::Test, &source("a.yaml", text)).expect("a good file").value;
    let written = |span: ananke::diagnostic::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(written(loaded.name.span), "ünï");
    let users: Vec<(&str, &str)> = loaded
        .turns
        .iter()
        .map(|turn| {
            let ananke::model::Turn::User(turn) = turn;
            (turn.user.as_str(), written(turn.user.span))
        })
        .collect();
    assert_eq!(users, [("wörld", "wörld"), ("wörld", "*w")]);
    let ananke::model::Turn::User(last) = &loaded.turns[1];
    let patterns = last.assert.as_ref().and_then(|block| block.text.as_ref()?.must_match.as_ref());
    assert_eq!(patterns.map(|patterns| written(patterns.0[0].span)), Some("x"));
}

#[test]
fn deep_values_are_read_on_a_small_stack() {
    let deep = format!("{}x{}", "[".repeat(55), "]".repeat(55));
    let text =
        format!("version: \"1.0\"\ntarget: {{ type: agui, endpoint: x, agentId: y, state: {deep} }}\n");
    let loaded = load::<ConfigFile>(FileKind::Config, &source("a.yaml", &text)).expect("a good file");
    assert_eq!(loaded.value.target.timeout_ms().map(|number| number.span), None);
    let broken = text.replace("agentId", "agentID");
    check_message_of(FileKind::Config, &broken, "unknown key `agentID`");
}
