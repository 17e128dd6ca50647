//! Names of files that every system can check out: Windows reserves some names, and refuses some characters.

use std::collections::BTreeMap;

use super::expect_none;
use super::repository::paths;

/// Names of devices: Windows refuses them with every file extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Devices whose name ends with a digit.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// The reason why Windows refuses `name`, one part of a path.
fn refusal(name: &str) -> Option<String> {
    if let Some(refused) = name
        .chars()
        .find(|c| c.is_control() || ":*?\"<>|\\".contains(*c))
    {
        return Some(format!("the character {refused:?}"));
    }
    if name.ends_with(['.', ' ']) {
        return Some("a dot or a space at the end".to_owned());
    }
    let stem = name.split('.').next()?.trim_end().to_lowercase();
    let is_numbered = NUMBERED_DEVICES.iter().any(|device| {
        let number = stem.strip_prefix(device).unwrap_or_default();
        number.chars().count() == 1 && number.contains(|c: char| "123456789¹²³".contains(c))
    });
    (is_numbered || DEVICES.contains(&stem.as_str())).then(|| format!("the device `{stem}`"))
}

/// The paths that not every system can have, each with the reason.
fn wrong(paths: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut lowercase = BTreeMap::new();
    for path in paths {
        let reason = path.split('/').find_map(refusal);
        problems.extend(reason.map(|reason| format!("{path}: {reason}")));
        if let Some(other) = lowercase.insert(path.to_lowercase(), path) {
            problems.push(format!("{path}: differs from {other} in case alone"));
        }
    }
    problems
}

#[test]
fn every_system_accepts_the_names_of_files() {
    let paths = paths();
    assert!(paths.len() > 1000, "{} files were found", paths.len());
    expect_none(
        &wrong(&paths),
        "rename it: Windows cannot check out the repository",
    );
}

#[test]
fn finds_names_that_windows_refuses() {
    let found = |path: &str| wrong(&[path.to_owned()]).len();
    for path in [
        "tests/nul.test.yaml",
        "AUX",
        "con /a.rs",
        "a/com1.txt",
        "lpt³",
        "a./b",
        "a ",
        "a:b",
        "what?.md",
        "a\\b",
        "a\tb",
    ] {
        assert_eq!(found(path), 1, "{path}");
    }
    for path in [
        "tests/nul-character.test.yaml",
        "console.rs",
        "com.rs",
        "com10.rs",
        ".gitignore",
        "a b.md",
    ] {
        assert_eq!(found(path), 0, "{path}");
    }
    let same = ["src/Text.rs", "src/text.rs"].map(str::to_owned);
    assert_eq!(wrong(&same).len(), 1);
}
