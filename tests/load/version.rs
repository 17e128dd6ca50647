//! Messages about the `version` of a file and about what is newer than it.

use ananke::schema::FileKind;
use snapbox::str;

use super::check;

#[test]
fn a_number_is_read_as_it_is_written() {
    check(
        FileKind::Test,
        r#"version: 1.10
name: a
turns: [{ user: b }]
"#,
        str![[r#"
error[version]: version 1.10 is newer than this program, which knows versions up to 1.4
 --> a.yaml:1:10
  |
1 | version: 1.10
  |          ^^^^
  |
  = help: upgrade ananke

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
  = help: the known versions are `1.0`, `1.1`, `1.2`, `1.3`, `1.4`

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
error[version]: version 1.9 is newer than this program, which knows versions up to 1.4
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
  = help: begin the file with `version: "1.4"`

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
  = help: write `version: "1.3"`, which `ananke check --fix` does

error[newer-key]: `type: scripted` needs version 1.3; this file says 1.0
 --> a.yaml:4:9
  |
4 |   type: scripted
  |         ^^^^^^^^
  |
  = help: write `version: "1.3"`, which `ananke check --fix` does

2 errors

"#]],
    );
}
