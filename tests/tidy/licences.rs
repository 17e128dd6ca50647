//! The licences of the packages that the program is built with: the page of them names every package of Cargo.lock that is
//! not for tests alone, and both tools that read licences accept the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::expect_none;
use super::repository::root;

/// The page, which `cargo about` makes.
const PAGE: &str = "docs/licences.md";

/// Packages of Cargo.lock that no build contains: they belong to optional features and conditions that nothing selects.
const NEVER_BUILT: [&str; 9] = [
    "jiff-static",
    "jsonschema-macros",
    "jsonschema-macros-core",
    "proc-macro-crate",
    "toml_datetime",
    "toml_edit",
    "toml_parser",
    "winnow",
    "zerocopy-derive",
];

/// A package of a lock file.
#[derive(Debug)]
struct Locked {
    version: String,
    is_of_registry: bool,
    /// The packages that it depends on: a name, and the version where there are several.
    dependencies: Vec<String>,
}

/// The packages of a lock file by name.
fn locked(lock: &str) -> BTreeMap<String, Vec<Locked>> {
    let mut packages: BTreeMap<String, Vec<Locked>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let start = format!("{key} = \"");
            let rest = block.lines().find_map(|line| line.strip_prefix(&start))?;
            Some(rest.trim_end_matches('"').to_owned())
        };
        let dependencies = block.lines().filter_map(|line| {
            let quoted = line.strip_prefix(" \"")?;
            Some(quoted.trim_end_matches(['"', ',']).to_owned())
        });
        let package = Locked {
            version: value("version").expect("a package has a version"),
            is_of_registry: value("source").is_some(),
            dependencies: dependencies.collect(),
        };
        let name = value("name").expect("a package has a name");
        packages.entry(name).or_default().push(package);
    }
    packages
}

/// The packages of a registry that are in the program: those that `members` depend on by the given names, and what these
/// depend on, as name and version.
fn built(
    packages: &BTreeMap<String, Vec<Locked>>,
    members: &BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = members.keys().cloned().collect();
    while let Some(dependency) = next.pop() {
        let (name, version) = dependency
            .split_once(' ')
            .map_or((dependency.as_str(), None), |(name, version)| {
                (name, Some(version))
            });
        let versions = packages.get(name).map_or(&[][..], Vec::as_slice);
        let package = versions
            .iter()
            .find(|package| version.is_none_or(|version| version == package.version))
            .unwrap_or_else(|| panic!("Cargo.lock has no `{dependency}`"));
        let is_new = found.insert(format!("{name} {}", package.version));
        if is_new {
            let is_built = |other: &&String| {
                let other = other.split(' ').next().unwrap_or_default();
                members.get(name).is_none_or(|names| names.contains(other))
            };
            next.extend(package.dependencies.iter().filter(is_built).cloned());
        }
    }
    found.retain(|package| {
        let (name, version) = package.split_once(' ').unwrap_or_default();
        let versions = packages.get(name).map_or(&[][..], Vec::as_slice);
        versions
            .iter()
            .any(|package| package.version == version && package.is_of_registry)
    });
    found
}

/// The packages of this repository, each with the names of its dependencies that are not for tests alone.
fn members() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("the metadata is JSON");
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let dependencies = |package: &Value| {
        let all = list(package, "dependencies").into_iter();
        all.filter(|dependency| dependency["kind"] != "dev")
            .map(|dependency| name(&dependency))
            .collect()
    };
    let packages = list(&metadata, "packages").into_iter();
    packages
        .map(|package| (name(&package), dependencies(&package)))
        .collect()
}

/// The packages in the table of the page, as name and version.
fn listed(page: &str) -> BTreeSet<String> {
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    let packages = cells.filter(|cells| cells.len() == 3 && cells[0] != "package");
    packages
        .map(|cells| format!("{} {}", cells[0], cells[1]))
        .collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_page_of_licences_names_every_package() {
    let built = built(&locked(&read("Cargo.lock")), &members());
    assert!(
        built.iter().any(|package| package.starts_with("tokio ")),
        "{built:?}"
    );
    let listed = listed(&read(PAGE));
    let is_built = |package: &&String| {
        let name = package.split(' ').next().unwrap_or_default();
        !NEVER_BUILT.contains(&name)
    };
    let missing = built
        .difference(&listed)
        .filter(is_built)
        .map(|package| format!("{package} is not in {PAGE}"));
    let gone = listed
        .difference(&built)
        .map(|package| format!("{package} is in {PAGE} alone"));
    let unneeded = NEVER_BUILT
        .iter()
        .filter(|name| {
            let start = format!("{name} ");
            let has =
                |set: &BTreeSet<String>| set.iter().any(|package| package.starts_with(&start));
            !has(&built) || has(&listed)
        })
        .map(|name| format!("{name} is in NEVER_BUILT without need"));
    let problems: Vec<String> = missing.chain(gone).chain(unneeded).collect();
    expect_none(
        &problems,
        "make the page again, by the command in .ci/about.toml",
    );
}

#[test]
fn both_tools_accept_the_same_licences() {
    let accepted = |path: &str, key: &str| -> BTreeSet<String> {
        let text = read(path);
        let start = format!("\n{key} = [");
        let (_, rest) = text.split_once(&start).expect("the file has the list");
        let (list, _) = rest.split_once(']').expect("the list ends");
        let lines = list.lines().filter_map(|line| line.split('"').nth(1));
        lines.map(str::to_owned).collect()
    };
    let allowed = accepted(".ci/deny.toml", "allow");
    assert!(allowed.contains("MIT"), "{allowed:?}");
    assert_eq!(allowed, accepted(".ci/about.toml", "accepted"));
}

#[test]
fn finds_what_is_built() {
    let lock = r#"
version = 4

[[package]]
name = "ours"
version = "0.1.0"
dependencies = [
 "checks",
 "reads 2.0.0",
]

[[package]]
name = "reads"
version = "1.0.0"
source = "registry+https://example.org"

[[package]]
name = "reads"
version = "2.0.0"
source = "registry+https://example.org"
dependencies = [
 "counts",
]

[[package]]
name = "counts"
version = "3.1.0"
source = "registry+https://example.org"

[[package]]
name = "checks"
version = "1.0.0"
source = "registry+https://example.org"
"#;
    let members = BTreeMap::from([("ours".to_owned(), BTreeSet::from(["reads".to_owned()]))]);
    let found = built(&locked(lock), &members);
    assert_eq!(Vec::from_iter(found), ["counts 3.1.0", "reads 2.0.0"]);
    let page = "| package | version | licence |\n|---|---|---|\n| counts | 3.1.0 | MIT |\n";
    assert_eq!(Vec::from_iter(listed(page)), ["counts 3.1.0"]);
}
