//! The schema version of everything that a user reads or copies is the newest one. **Invariant:** in the code of the library it is
//! written down once, in `VERSIONS`.

use std::path::Path;
use std::sync::LazyLock;

use ananke::model::NEWEST_VERSION;
use regex::Regex;

/// Files that are about other versions, or about a version that is written wrongly, or that contain the version of another format.
const ABOUT_VERSIONS: [&str; 5] = [
    "tests/real/schema-editors/mistakes.yaml",
    "examples/ci/circleci.yml",
    "docs/shards.md",
    "crates/base/src/diagnostic/docs/newer-key.md",
    "crates/model/src/schema/recover.rs",
];

/// Directories of what users read or copy.
const READ: [&str; 4] = ["docs/", "examples/", "specs/", "tests/real/"];

/// A file's version, in YAML, in a text of a program, or without its quotes.
static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\bversion\\?["']?: +\\?["']?(\d+\.\d+)(?:[^\d.]|$)"#).expect("a pattern")
});

/// The range of all versions, in a page.
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"1\.0"`? to `?"(\d+\.\d+)"#).expect("a pattern"));

/// Line and text of each version of a file in `text`, the text of the file at `path`, that is not the newest, or that code has
/// no need to write down.
pub(crate) fn wrong(path: &str, text: &str) -> Vec<(usize, String)> {
    let extension = Path::new(path).extension();
    let is_one_of =
        |extensions: &[&str]| extension.is_some_and(|own| extensions.iter().any(|one| own == *one));
    let is_page = is_one_of(&["md"]);
    let is_ours = path.starts_with("src/") || path.starts_with("crates/");
    let is_code = is_ours && is_one_of(&["rs"]);
    let is_read = is_page
        || ["README.md", "ananke.config.yaml"].contains(&path)
        || READ.iter().any(|directory| path.starts_with(directory))
        || is_ours && is_one_of(&["yaml", "rs"]);
    if !is_read || ABOUT_VERSIONS.contains(&path) || is_one_of(&["json", "jsonl", "lock"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let written = WRITTEN.captures_iter(line);
        let ranges = RANGE.captures_iter(line).filter(|_| is_page);
        for captures in written.chain(ranges) {
            let version = &captures[1];
            let is_literal = is_code && !line.trim_start().starts_with("//");
            if version != NEWEST_VERSION || is_literal {
                found.push((number, version.to_owned()));
            }
        }
    }
    found
}

#[test]
fn finds_an_older_version() {
    for (path, line, expected) in [
        ("docs/a.md", "version: \"1.0\"", 1),
        ("docs/a.md", "  version: '1.0'", 1),
        ("docs/a.md", "version: 1.0", 1),
        ("docs/a.md", "`\"1.0\"` to `\"1.1\"`", 1),
        ("docs/a.md", "version: \"1.0.3\"", 0),
        ("tests/real/a.mjs", "const HEAD = { version: \"1.0\" };", 1),
        ("tests/real/a.py", "{ \"version\": \"1.0\" }", 1),
        ("specs/a.test.yaml", "version: \"1.0\"", 1),
        ("src/a.rs", "//! version: \\\"1.0\\\"\\n", 1),
        ("src/a.rs", "let a = \"version: \\\"1.0\\\"\\n\";", 1),
        ("src/a.rs", "json!({ \"version\": \"1.0\" })", 1),
        ("tests/a.rs", "let a = \"version: 1.0\";", 0),
        (ABOUT_VERSIONS[0], "version: 1.0", 0),
    ] {
        assert_eq!(wrong(path, line).len(), expected, "{path}: {line}");
    }
    let newest = format!("version: \"{NEWEST_VERSION}\"");
    assert_eq!(wrong("docs/a.md", &newest), []);
    assert_eq!(wrong("src/a.rs", &format!("// {newest}")), []);
    assert_eq!(wrong("src/a.rs", &newest).len(), 1);
}
