//! The published package: its name in whatever a person installs by, and the files that it contains.
//!
//! The name `ananke` belongs to others on the registries of Rust and Python. It is that of the command and of the library alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::expect_none;
use super::house::CRATES;
use super::repository::{File, is_rust, read, repository, root};

/// The name of the package on every registry.
const PACKAGE: &str = env!("CARGO_PKG_NAME");

/// Beginnings of commands that name packages of a registry.
const INSTALLERS: &[&[&str]] = &[
    &["cargo", "install"],
    &["cargo", "add"],
    &["cargo", "binstall"],
    &["pip", "install"],
    &["pip3", "install"],
    &["pipx", "install"],
    &["pipx", "run"],
    &["poetry", "add"],
    &["uv", "add"],
    &["uv", "tool", "install"],
    &["uv", "tool", "run"],
    &["uvx"],
    &["npm", "install"],
    &["npm", "i"],
    &["npm", "add"],
    &["npm", "exec"],
    &["npx"],
    &["pnpm", "add"],
    &["pnpm", "dlx"],
    &["yarn", "add"],
    &["yarn", "dlx"],
    &["bun", "add"],
    &["bunx"],
];

/// The commands on a line, as words: without quotes and the marks of lists in YAML and JSON.
fn commands(line: &str) -> Vec<Vec<&str>> {
    let ends = |c: char| "`;&|#".contains(c);
    let parts = line.split(ends).map(|part| {
        let words = part.split(|c: char| c.is_whitespace() || "\"'[]{}(),".contains(c));
        words.filter(|word| !word.is_empty()).collect()
    });
    parts.collect()
}

/// Whether a word is the name `ananke`, alone or with a version.
fn is_other_package(word: &str) -> bool {
    word.trim_end_matches(['.', ':'])
        .strip_prefix("ananke")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '=', '<', '>', '~', '!']))
}

/// Whether a command installs the package of others. The name of a program is no package: `--bin ananke`.
fn installs_other_package(words: &[&str]) -> bool {
    let arguments = words.iter().enumerate().find_map(|(start, _)| {
        let rest = &words[start..];
        INSTALLERS
            .iter()
            .find_map(|installer| rest.strip_prefix(*installer))
    });
    let Some(arguments) = arguments else {
        return false;
    };
    let names_ours = arguments.iter().any(|word| word.starts_with(PACKAGE));
    let mut before = "";
    let names_others = arguments.iter().any(|word| {
        let is_program = std::mem::replace(&mut before, word) == "--bin";
        !is_program && is_other_package(word)
    });
    names_others && !names_ours
}

/// Whether a line of a Cargo.toml depends on the package of others.
fn depends_on_other_package(line: &str) -> bool {
    let line = line.trim_start_matches(['#', ' ', '/', '!']);
    let value = line
        .strip_prefix("ananke")
        .and_then(|rest| rest.trim_start().strip_prefix('='));
    // The value of a variable in a shell script is no version.
    let is_dependency = value.is_some_and(|value| {
        let value = value.trim_start();
        let version = value.strip_prefix('"').unwrap_or_default();
        value.starts_with('{')
            || version.starts_with(|c: char| c.is_ascii_digit() || "^~=<>*".contains(c))
    });
    let is_table = line.starts_with('[') && line.trim_end().ends_with("dependencies.ananke]");
    is_table || (is_dependency && !line.contains(&format!("package = \"{PACKAGE}\"")))
}

/// The lines of `text` that name `ananke` as a package, numbered from 1. A line that ends with `\` goes on.
fn wrong_names(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut command = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        command += line.trim_end_matches('\\');
        let goes_on = line.ends_with('\\');
        if goes_on {
            continue;
        }
        let installs = commands(&command)
            .iter()
            .any(|words| installs_other_package(words));
        if installs || depends_on_other_package(line) {
            found.push(number);
        }
        command.clear();
    }
    found
}

#[test]
fn no_text_names_the_package_of_others() {
    let mut problems = Vec::new();
    for file in repository() {
        if file.path == "tests/tidy/package.rs" {
            continue;
        }
        let lines = wrong_names(&file.text).into_iter();
        problems.extend(lines.map(|line| format!("{}:{line}", file.path)));
    }
    expect_none(
        &problems,
        &format!("`ananke` is a package of others on crates.io and PyPI: write `{PACKAGE}`"),
    );
}

#[test]
fn finds_the_package_of_others() {
    for wrong in [
        "cargo install ananke",
        "run: rustup update && cargo install --locked --git \"$URL\" ananke",
        "`cargo add --dev ananke@0.1`",
        "python -m pip install -q 'ananke==0.1'",
        "pip install ananke[pytest]",
        "args: [\"npx\", \"-y\", \"ananke\"]",
        "cargo install \\\n  --locked ananke",
        "uvx ananke run",
        "[dev-dependencies.ananke]",
        "ananke = \"0.1\"",
        "//! ananke = { version = \"0.1\" }",
    ] {
        assert_eq!(wrong_names(wrong).len(), 1, "{wrong}");
    }
    for right in [
        "cargo install ananke-test",
        "cargo install --locked --path . # installs ananke",
        "cargo install ananke-test --bin ananke",
        "cargo install --git \"$URL\" --bin ananke",
        "npx -p ananke-test ananke run",
        "`cargo install` puts the program `ananke` there",
        "npm install; ananke run",
        "ananke = { package = \"ananke-test\", version = \"0.1\" }",
        "ananke: { image: x }",
        "ananke=\"${ANANKE:-target/release/ananke}\"",
    ] {
        assert_eq!(wrong_names(right).len(), 0, "{right}");
    }
}

/// The releases of the action that `text` names, which are not the one of this version; numbered from 1.
fn other_releases(text: &str) -> Vec<usize> {
    let release = format!("{PACKAGE}/ananke@v");
    let version = env!("CARGO_PKG_VERSION");
    let is_other = |(_, line): &(usize, &str)| {
        let mut named = line.split(&release).skip(1);
        named.any(|rest| {
            let ends = |c: char| !c.is_ascii_digit() && c != '.';
            rest.split(ends).next() != Some(version)
        })
    };
    let lines = (1..).zip(text.lines());
    lines.filter(is_other).map(|(number, _)| number).collect()
}

#[test]
fn the_action_is_named_in_the_present_version() {
    let mut problems = Vec::new();
    for file in repository() {
        let lines = other_releases(&file.text).into_iter();
        problems.extend(lines.map(|line| format!("{}:{line}", file.path)));
    }
    expect_none(&problems, "the action has the version of Cargo.toml");
    let old = format!("uses: {PACKAGE}/ananke@v0.0.1");
    assert_eq!(other_releases(&old), [1]);
}

#[test]
fn the_packages_of_all_registries_say_the_same() {
    for path in ["python/pyproject.toml", "node/package.json"] {
        let text = read(path);
        for said in [
            PACKAGE,
            env!("CARGO_PKG_DESCRIPTION"),
            env!("CARGO_PKG_LICENSE"),
            env!("CARGO_PKG_REPOSITORY"),
        ] {
            assert!(
                text.contains(said),
                "{path} does not say `{said}`, as Cargo.toml does"
            );
        }
    }
}

/// The files of a package that `cargo package` would publish, by their paths in the repository.
fn published(package: &str, folder: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--locked",
            "--package",
            package,
        ])
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("paths are UTF-8");
    text.lines()
        .map(|line| format!("{folder}{}", line.replace('\\', "/")))
        .collect()
}

/// The paths that the source file at `path` includes with `include_str!`, from the root.
fn included(path: &str, text: &str) -> Vec<String> {
    let targets = text
        .split("include_str!(\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'));
    let from = Path::new(path).parent().unwrap_or(Path::new(""));
    let resolve = |target: &str| {
        let mut parts: Vec<&str> = from.to_str().unwrap_or_default().split('/').collect();
        for part in target.split('/') {
            match part {
                ".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        parts.join("/")
    };
    targets.map(|(target, _)| resolve(target)).collect()
}

/// Fails if a file of the code in `folder`, or a file that it includes outside of its unit tests, is not published.
/// The number of includes.
fn check_files(files: &[File], folder: &str, published: &BTreeSet<String>) -> usize {
    let mut includes = 0;
    let source = format!("{folder}src/");
    for file in files
        .iter()
        .filter(|file| file.path.starts_with(&source) && is_rust(&file.path))
    {
        assert!(
            published.contains(&file.path),
            "{} is not published",
            file.path
        );
        let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        for included in included(&file.path, code) {
            includes += 1;
            assert!(
                published.contains(&included),
                "{} includes {included}, which is not published",
                file.path
            );
        }
    }
    includes
}

#[test]
fn the_published_package_has_what_it_needs_and_no_more() {
    let published_of_root = published(PACKAGE, "");
    for needed in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        assert!(
            published_of_root.contains(needed),
            "{needed} is not published"
        );
    }
    let files = repository();
    let mut includes = 0;
    let crates = CRATES.iter().flat_map(|line| line.iter());
    for krate in crates.filter(|krate| **krate != "ananke") {
        let folder = format!("crates/{krate}/");
        let of_crate = published(&format!("{PACKAGE}-{krate}"), &folder);
        includes += check_files(&files, &folder, &of_crate);
    }
    includes += check_files(&files, "", &published_of_root);
    assert!(includes > 10, "{includes} includes were found");
    let others: Vec<&String> = published_of_root
        .iter()
        .filter(|path| {
            ["tests/", "specs/", "scripts/", "fuzz/", "benches/", ".ci/"]
                .iter()
                .any(|folder| path.starts_with(folder))
        })
        .collect();
    assert!(others.is_empty(), "no build needs {others:?}");
}

/// The crates whose examples in comments are built and run although there are none, or are not although there are.
fn wrong_doctests(files: &[File]) -> Vec<String> {
    let of_crate = |krate: &str| {
        let sources = format!("crates/{krate}/src/");
        let mut comments = files
            .iter()
            .filter(|file| is_rust(&file.path) && file.path.starts_with(&sources))
            .flat_map(|file| file.text.lines().map(str::trim_start));
        let has_examples = comments.any(|line| {
            let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
            comment.is_some_and(|comment| comment.trim_start().starts_with("```"))
        });
        let manifest = format!("crates/{krate}/Cargo.toml");
        let manifest = files.iter().find(|file| file.path == manifest);
        let is_tested = !manifest.is_some_and(|file| file.text.contains("\ndoctest = false\n"));
        match (has_examples, is_tested) {
            (true, false) => Some(format!("crates/{krate} has examples that no test runs")),
            (false, true) => Some(format!("crates/{krate} has no examples to test")),
            _ => None,
        }
    };
    let crates = CRATES.iter().flat_map(|line| line.iter());
    crates
        .filter(|krate| **krate != "ananke")
        .filter_map(|krate| of_crate(krate))
        .collect()
}

#[test]
fn examples_in_comments_are_tested_where_there_are_some() {
    expect_none(
        &wrong_doctests(&repository()),
        "write `doctest = false` under `[lib]` of a Cargo.toml exactly if the crate has no example: cargo builds each such crate once more",
    );
    let manifest = "[lib]\nbench = false\ndoctest = false\n";
    let with_example = [
        File::new("crates/base/Cargo.toml", manifest),
        File::new("crates/base/src/lib.rs", "/// A list.\n    /// ```\n"),
    ];
    let found = wrong_doctests(&with_example).join("\n");
    assert!(found.contains("crates/base has examples that no test runs"));
    assert!(found.contains("crates/model has no examples to test"));
}
