//! The crates: which of ours use which, and those that each feature brings, as `cargo` resolves them for this machine.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::house::{CRATES, PROTOCOLS};
use crate::repository::read;

/// The crates of ours that a crate with this manifest uses.
fn used_by(manifest: &str) -> Vec<&str> {
    let dependencies = manifest
        .split_once("\n[dependencies]\n")
        .map_or("", |(_, rest)| rest.split("\n[").next().unwrap_or_default());
    let name = |line| str::strip_prefix(line, "ananke-")?.split(['.', ' ']).next();
    dependencies.lines().filter_map(name).collect()
}

/// What is wrong with the crates that `krate` uses.
fn wrong_uses(krate: &str, used: &[&str]) -> Vec<String> {
    let rank = |name: &str| CRATES.iter().position(|line| line.contains(&name));
    let root = CRATES.len() - 1;
    let Some(own) = rank(krate) else {
        return vec![format!("`{krate}` is not in the table")];
    };
    let is_wrong = |other: &&&str| {
        let knows_protocol = PROTOCOLS.contains(other) && own != root;
        knows_protocol || rank(other).is_none_or(|other| other >= own)
    };
    let wrong = used.iter().filter(is_wrong);
    wrong
        .map(|other| format!("`{krate}` must not use `{other}`"))
        .collect()
}

#[test]
fn crates_use_only_those_before_them() {
    let mut problems = Vec::new();
    for krate in CRATES.iter().flat_map(|line| line.iter()) {
        let path = match *krate {
            "ananke" => "Cargo.toml".to_owned(),
            _ => format!("crates/{krate}/Cargo.toml"),
        };
        problems.extend(wrong_uses(krate, &used_by(&read(&path))));
    }
    super::expect_none(
        &problems,
        "move the code to the crate that needs it, or pass in what it needs; the table is CRATES in tests/tidy/house.rs",
    );
}

#[test]
fn finds_a_crate_that_must_not_be_used() {
    let manifest = "[package]\n\n[dependencies]\nananke-base.workspace = true\nserde = \"1\"\n\n[dev-dependencies]\nananke-lab.workspace = true\n";
    assert_eq!(used_by(manifest), ["base"]);
    assert_eq!(wrong_uses("agui", &["agents", "base"]), [""; 0]);
    assert_eq!(wrong_uses("agui", &["a2a"]).len(), 1);
    assert_eq!(wrong_uses("run", &["agui"]).len(), 1);
    assert_eq!(wrong_uses("model", &["rules"]).len(), 1);
    assert_eq!(wrong_uses("utils", &[]).len(), 1);
    assert_eq!(wrong_uses("ananke", &["agui", "report"]), [""; 0]);
}

/// The packages that are built for the library with these arguments, without our own crates: their dependencies, theirs,
/// and what builds them.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args([
        "tree",
        "--locked",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--no-dedupe",
        "--format",
        "{p}",
    ]);
    tree.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = tree.output().expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("names of packages are UTF-8");
    let package = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let version = rest.split(' ').next()?;
        (!name.starts_with("ananke")).then(|| format!("{name} {version}"))
    };
    text.lines().filter_map(package).collect()
}

const TESTING: [&str; 3] = ["--no-default-features", "--features", "testing"];

#[test]
fn a_dev_dependency_brings_no_command_line_no_xml_and_no_validator() {
    let testing = crates(&TESTING);
    let has = |name: &str| {
        testing
            .iter()
            .any(|package| package.split(' ').next() == Some(name))
    };
    assert!(
        has("tokio") && has("serde_yaml") | has("serde-saphyr"),
        "{testing:?}"
    );
    for name in [
        "clap",
        "clap_complete",
        "clap_mangen",
        "jsonschema",
        "notify",
        "quick-xml",
        "rustyline",
    ] {
        assert!(!has(name), "{name} is a crate of the command: {testing:?}");
    }
    // The command has them, so they are asked for by their right names.
    let command = crates(&[]);
    for name in ["clap", "jsonschema", "quick-xml", "rustyline"] {
        assert!(
            command
                .iter()
                .any(|package| package.starts_with(&format!("{name} "))),
            "{name}"
        );
    }
}

/// Other systems have other dependencies.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_pages_count_the_crates() {
    let (testing, command) = (crates(&TESTING).len(), crates(&[]).len());
    for (page, sentence) in [
        (
            "docs/performance.md",
            format!(
                "| crates of a dev-dependency with the feature `testing` alone, and of the command | {testing} and {command}"
            ),
        ),
        (
            "docs/testing.md",
            format!("{testing} crates instead of {command}."),
        ),
    ] {
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page))
            .expect("a page");
        assert!(text.contains(&sentence), "{page} does not say `{sentence}`");
    }
}
