//! Messages about the `version` of a file and about what is newer than it.

use ananke::diagnostic::apply;
use ananke::model::TestFile;
use ananke::schema::{FileKind, Version, load};
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
    let text = "name: a\nturns: [{ user: b, assert: { text: { contains: b } } }]\n";
    check(
        FileKind::Test,
        text,
        str![[r#"
no problems

"#]],
    );
    check(
        FileKind::Config,
        "target: { type: scripted, rules: [{ do: [{ say: b }] }] }\n",
        str![[r#"
error[version]: the key `version` is missing
 --> a.yaml:1:1
  |
1 | target: { type: scripted, rules: [{ do: [{ say: b }] }] }
  | ^^^^^^
  |
  = help: begin the file with `version: "1.4"`

1 error

"#]],
    );
}

/// A test file without a version has that of its config, and a fix gives it one of its own.
#[test]
fn a_test_has_the_version_of_its_config() {
    let text = "# A test.\nname: a\nid: b\nturns: [{ user: b }]\n";
    let source = super::source("a.yaml", text);
    let problems = load::<TestFile>(FileKind::Test, &source, Version::parse("1.0")).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    let message = "`id` needs version 1.3; it has no `version`, and its config says 1.0";
    assert_eq!(problems[0].message, message);
    let fixed = apply(&source, &problems[0].fixes);
    assert_eq!(
        fixed,
        "# A test.\nversion: \"1.3\"\nname: a\nid: b\nturns: [{ user: b }]\n"
    );
    let flow = super::source("a.yaml", "{ name: a, id: b, turns: [{ user: b }] }\n");
    let problems = load::<TestFile>(FileKind::Test, &flow, Version::parse("1.0")).unwrap_err();
    assert_eq!(problems[0].fixes.len(), 0);
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
