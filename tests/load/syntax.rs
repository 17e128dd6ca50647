//! Messages about texts that are not YAML, or YAML that is not accepted.

use ananke::schema::FileKind;
use snapbox::str;

use super::{check, check_test};

#[test]
fn duplicate_keys_stand_beside_other_problems() {
    check_test(
        r#"turns: [{ user: a }]
name: b
name: c
asert: {}
"#,
        str![[r#"
error[duplicate-key]: the key `name` is duplicated
 --> a.yaml:4:1
  |
2 | name: a
  | ---- first here
3 | turns: [{ user: a }]
4 | name: b
  | ^^^^ again here
  |
  = help: keep one of them

error[duplicate-key]: the key `name` is duplicated
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
fn a_tab() {
    check_test(
        "turns:\n\t- user: a\n",
        str![[r#"
error[syntax]: YAML does not allow tabs as indentation
 --> a.yaml:4:2
  |
4 |     - user: a
  |     ^
  |
  = help: indent with spaces, usually two per level

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
error[syntax]: a second YAML document begins here
 --> a.yaml:3:1
  |
3 | version: "1.0"
  | ^
  |
  = help: write one document per file: move the rest to a file of its own

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
error[bad-value]: `.inf` is not a number that JSON can represent
 --> a.yaml:3:17
  |
3 | turns: [{ user: .inf }]
  |                 ^^^^
  |
  = help: write a finite number, or quote the text

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
  = help: define it first with `&name`, or quote a text that begins with `*`

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
  = help: leave out the `!` tag; quote a text that begins with `!`

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
error[syntax]: unexpected `name: value`
 --> a.yaml:4:17
  |
4 | description: say: hello
  |                 ^
  |
  = help: quote a text that contains `: `

1 error

"#]],
    );
}

#[test]
fn hostile_text_is_harmless() {
    check_test(
        "turns: [{ user: a }]\n\"k\u{9b}\u{202e}y\": \"\\u001b[31m\"\n\"\\e[2J\": 1\n",
        str![[r#"
error[syntax]: the character `\u{9b}` is not allowed in a file
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
