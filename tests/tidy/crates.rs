//! The crates that each feature brings, as `cargo` resolves them for this machine.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The packages that are built for the library with these arguments, without the library itself: its dependencies, theirs, and
/// what builds them.
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
        (name != "ananke").then(|| format!("{name} {version}"))
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
